"""Who may do what? Everything has an owner; what nobody owns is the operator's, and what is shared may be read by all."""

from __future__ import annotations

from enum import StrEnum

from shoal.errors import NotAllowed
from shoal.model.person import Person, Role


class Act(StrEnum):
    """What somebody wants to do with a thing."""

    READ = "read"
    CHANGE = "change"
    """Make it, too: whoever makes something owns it."""
    ADMINISTER = "administer"
    """The installation itself: people, servers, what reaches beyond one crawl."""


def may(person: Person, act: Act, owner: str | None = None, *, shared: bool = False) -> bool:
    """True when this person may do that with a thing of this owner."""
    if person.role is Role.ADMINISTRATOR:
        return True
    owns = owner is not None and owner == person.id
    if act is Act.READ:
        return owns or shared
    return act is Act.CHANGE and owns and person.role is Role.MEMBER


def require(person: Person, act: Act, owner: str | None = None, *, shared: bool = False, what: str) -> None:
    """Go on only when this person may do that; `what` is a thing in words: "the crawl grid"."""
    if not may(person, act, owner, shared=shared):
        raise NotAllowed(f"{person.name} may not {act} {what}: ask {_who_may(act)}.")


def _who_may(act: Act) -> str:
    return "an administrator" if act is Act.ADMINISTER else "its owner or an administrator"
