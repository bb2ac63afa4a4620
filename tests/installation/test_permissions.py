"""Who may do what: the whole table, and the sentence for who may not."""

from __future__ import annotations

import pytest

from shoal.errors import NotAllowed
from shoal.installation.permissions import Act, may, require
from shoal.model.person import OPERATOR, Person, Role

EVERYBODY = {role: Person(id=role.value, name=role.value, role=role) for role in Role}
ADA, GRACE = "member", "grace"

# For each role, what may be done: R(ead), C(hange), A(dminister).
TABLE = [
    (Role.ADMINISTRATOR, GRACE, False, "RCA"),
    (Role.ADMINISTRATOR, None, False, "RCA"),
    (Role.MEMBER, ADA, False, "RC"),
    (Role.MEMBER, GRACE, False, ""),
    (Role.MEMBER, GRACE, True, "R"),
    (Role.MEMBER, None, False, ""),
    (Role.MEMBER, None, True, "R"),
    (Role.VIEWER, GRACE, True, "R"),
    (Role.VIEWER, GRACE, False, ""),
    (Role.VIEWER, "viewer", False, "R"),
    (Role.VIEWER, None, False, ""),
]


@pytest.mark.parametrize(("role", "owner", "shared", "allowed"), TABLE)
def test_who_may_do_what(role: Role, owner: str | None, shared: bool, allowed: str) -> None:
    acts = {"R": Act.READ, "C": Act.CHANGE, "A": Act.ADMINISTER}
    assert "".join(letter for letter, act in acts.items() if may(EVERYBODY[role], act, owner, shared=shared)) == allowed


@pytest.mark.parametrize("act", Act)
def test_the_operator_may_do_everything(act: Act) -> None:
    require(OPERATOR, act, GRACE, what="the crawl grid")


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (Act.CHANGE, "member may not change the crawl 电网: ask its owner or an administrator."),
        (Act.ADMINISTER, "member may not administer the crawl 电网: ask an administrator."),
    ],
)
def test_who_may_not_is_told_whom_to_ask(act: Act, sentence: str) -> None:
    with pytest.raises(NotAllowed) as caught:
        require(EVERYBODY[Role.MEMBER], act, GRACE, what="the crawl 电网")
    assert str(caught.value) == sentence
