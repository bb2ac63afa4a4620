"""The generated web, made once for all tests that only look at it, and what a survey finds in it."""

from __future__ import annotations

import pytest

from shoal.evaluate.generated.articles import Article, write_all
from shoal.evaluate.generated.synthetic_web import SyntheticWeb, generate
from shoal.evaluate.offline_web import GeneratedWeb
from shoal.evaluate.survey import Survey, survey


@pytest.fixture(scope="session")
def web() -> SyntheticWeb:
    return generate()


@pytest.fixture(scope="session")
def articles() -> list[Article]:
    return write_all(7)


@pytest.fixture(scope="session")
def surveyed(web: SyntheticWeb) -> Survey:
    return survey(GeneratedWeb(web), processes=2)
