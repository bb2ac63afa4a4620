"""Which texts are the worst for a regular expression? Derived from the expression itself.

    prefix ─ pump, again and again ─ suffix

A pattern is slow where many beginnings each read far and then fail, or where the same characters can be shared out among its
repeats in many ways. So what is pumped are the characters its repeats read (one of each class that it tells apart, and pairs of
them) and what it begins with; in front stands what leads to a repeat, behind it what the pattern cannot match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import permutations, product
from re import _constants as op  # type: ignore[attr-defined]  # the parser of the standard library, without types
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_COMMON = " \n\tab1zZ0_-/.=;,:&%<>\"'!?#()[]~+*@$é电。日\x00\u2028"
_MOST = 14
"""Characters, prefixes, pumps: so many of each. Patterns that tell more classes apart are dictionaries."""
_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)

Node = tuple[Any, Any]


class Attack(NamedTuple):
    """A text of any length that a pattern may be slow on."""

    prefix: str
    pump: str
    """What is repeated."""
    then: str = ""
    """What is repeated behind that."""
    suffix: str = ""
    binary: bool = False

    def text(self, length: int) -> Any:
        """About so long; bytes for a pattern of bytes."""
        room = length // 2 if self.then else length
        pumped = [pump * (room // len(pump)) for pump in (self.pump, self.then) if pump]
        text = self.prefix + "".join(pumped) + self.suffix
        return text.encode() if self.binary else text


def attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    """What to try on a pattern, each once."""
    binary = isinstance(pattern.pattern, bytes)
    source = pattern.pattern.decode("latin-1") if binary else pattern.pattern
    found = _Anatomy(list(parser.parse(source, pattern.flags)), ignore_case=bool(pattern.flags & re.IGNORECASE))
    whole = product(found.prefixes, found.pumps, found.suffixes)
    pairs = list(permutations(found.characters, 2))
    return list(
        dict.fromkeys(
            [
                *(Attack(prefix, pump, suffix=suffix, binary=binary) for prefix, pump, suffix in whole),
                *(Attack("", one + other, binary=binary) for one, other in pairs),
                *(Attack("", one, other, binary=binary) for one, other in pairs),
            ]
        )
    )


class _Anatomy:
    """What an expression is made of, as short texts."""

    def __init__(self, tree: list[Node], *, ignore_case: bool) -> None:
        self._ignore_case = ignore_case
        self._pool = list(dict.fromkeys([*_COMMON, *(chr(code) for code in _literals(tree))]))
        atoms = list(_atoms(tree))
        alike = {tuple(self._fits(atom, one) for atom in atoms): one for one in reversed(self._pool)}
        self.characters = list(alike.values())[:_MOST]
        leads = list(dict.fromkeys(self._leads(tree, "")))
        self.prefixes = _some(["", *leads], _MOST // 2)
        whole = self._sample(tree)
        self.pumps = _some([*self.characters, *leads, whole, whole[:-1], *(lead + " " for lead in leads)], 6 * _MOST)
        self.suffixes = list(dict.fromkeys(("", "\x01", "!", "\n!", whole[-2:-1])))

    def _leads(self, nodes: Iterable[Node], before: str) -> Iterator[str]:
        """What may stand in front of each repeat, and what each repeats."""
        for node in nodes:
            kind, value = node
            if kind in _REPEATS:
                yield before
                yield before + self._sample([node])
                yield self._sample(value[2])
            for inner in _inside(node):
                yield from self._leads(inner, before)
            before += self._sample([node])
        yield before

    def _sample(self, nodes: Iterable[Node]) -> str:
        """A short text that the nodes match, nearly: what looks around is not looked at."""
        return "".join(map(self._sample_one, nodes))

    def _sample_one(self, node: Node) -> str:
        kind, value = node
        if kind in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
            found: str = next((one for one in self._pool if self._fits(node, one)), "")
            return found
        if kind in _REPEATS:
            times: int = min(max(value[0], 1), 50)
            return self._sample(value[2]) * times
        if kind in (op.ASSERT, op.ASSERT_NOT, op.AT, op.GROUPREF, op.GROUPREF_EXISTS):
            return ""
        return self._sample(next(_inside(node)))

    def _fits(self, atom: Node, one: str) -> bool:
        kind, value = atom
        if kind == op.ANY:
            return one != "\n"
        if kind == op.LITERAL:
            return self._same(value, one)
        if kind == op.NOT_LITERAL:
            return not self._same(value, one)
        negated = value[0][0] == op.NEGATE
        return bool(negated) != any(self._is_one_of(item, one) for item in value[negated:])

    def _is_one_of(self, item: Node, one: str) -> bool:
        kind, value = item
        if kind == op.LITERAL:
            return self._same(value, one)
        if kind == op.RANGE:
            cases = {one, one.lower(), one.upper()} if self._ignore_case else {one}
            return any(len(case) == 1 and value[0] <= ord(case) <= value[1] for case in cases)
        return re.match(_CATEGORIES[value], one) is not None

    def _same(self, code: int, one: str) -> bool:
        return chr(code) == one or (self._ignore_case and chr(code).lower() == one.lower())


def _inside(node: Node) -> Iterator[list[Node]]:
    """The sequences that a node is made of."""
    kind, value = node
    if kind in _REPEATS:
        yield list(value[2])
    elif kind == op.SUBPATTERN:
        yield list(value[3])
    elif kind == op.ATOMIC_GROUP:
        yield list(value)
    elif kind == op.BRANCH:
        yield from map(list, value[1])
    elif kind in (op.ASSERT, op.ASSERT_NOT):
        yield list(value[1])
    elif kind == op.GROUPREF_EXISTS:
        yield from (list(part) for part in value[1:] if part is not None)


def _atoms(nodes: Iterable[Node]) -> Iterator[Node]:
    """Everything that reads one character."""
    for node in nodes:
        if node[0] in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
            yield node
        for inner in _inside(node):
            yield from _atoms(inner)


def _literals(nodes: Iterable[Node]) -> Iterator[int]:
    """The characters that are named."""
    for kind, value in _atoms(nodes):
        if kind in (op.LITERAL, op.NOT_LITERAL):
            yield value
        elif kind == op.IN:
            yield from (item for what, item in value if what == op.LITERAL)
            yield from (item[0] for what, item in value if what == op.RANGE)


def _some(texts: Iterable[str], most: int = _MOST) -> list[str]:
    """The first of them, each once; the empty one only if it comes first."""
    found = list(dict.fromkeys(texts))
    return [text for place, text in enumerate(found) if text or not place][:most]
