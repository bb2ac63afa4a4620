"""Tables of labels as people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.evaluate.recorded.labels import read_labels, strangers


def saved(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "web.labels.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_labels(path)
    return str(caught.value).replace(str(path), path.name)


def test_each_topic_has_its_pages(tmp_path: Path) -> None:
    table = (
        "\ufeffurl\ttopic\r\n"
        "# made by hand\n"
        "\n"
        "http://A.test/x\tgrid\n"
        "http://a.test/x\trail\tsure\n"
        "http://a.test/%e7%94%b5\t电网 \r\n"
        "http://a.test/电\t电网\n"
    )
    assert read_labels(saved(tmp_path, table)) == {
        "grid": {"http://a.test/x"},
        "rail": {"http://a.test/x"},
        "电网": {"http://a.test/%E7%94%B5"},
    }


def test_a_table_needs_no_column_names(tmp_path: Path) -> None:
    assert read_labels(saved(tmp_path, "http://a.test/\tgrid")) == {"grid": {"http://a.test/"}}


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("", ": there is no label in it; each line is a URL, a tab and a topic"),
        ("url\ttopic\n", ": there is no label in it; each line is a URL, a tab and a topic"),
        (
            "http://a.test/\tgrid\nhttp://b.test/ grid\n",
            ", line 2: there should be a URL, a tab and a topic, but it says 'http://b.test/ grid'",
        ),
        ("http://a.test/\t\n", ", line 1: there should be a URL, a tab and a topic, but it says 'http://a.test/\\t'"),
        ("http://a.test/\tgrid\na.test\tgrid\n", ", line 2: 'a.test' is not a URL"),
        ("http://a.test/\t电网".encode("gbk"), " is not UTF-8 text (byte 15); save it as UTF-8"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, table: str | bytes, why: str) -> None:
    assert complaint(saved(tmp_path, table)) == f"web.labels.tsv{why}"


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    assert complaint(tmp_path / "no.tsv") == "no.tsv: there is no such file of labels"
    assert complaint(tmp_path).endswith(" is a folder; give the path of a file of labels")


def test_labels_for_unknown_pages() -> None:
    table = {"grid": frozenset(f"http://a.test/{n}" for n in range(5)), "rail": frozenset({"http://a.test/0"})}
    path = Path("w.tsv")
    assert strangers(table, [f"http://a.test/{n}" for n in range(9)], path) == ""
    assert strangers(table, ["http://a.test/0"], path) == (
        "w.tsv: 4 of 5 labelled URLs are not pages of the web and do not count: "
        "http://a.test/1, http://a.test/2, http://a.test/3, …"
    )
    with pytest.raises(InputError, match=r"w.tsv: not one of its 5 URLs is a page of the web, such as http://a.test/0"):
        strangers(table, ["http://b.test/"], path)
