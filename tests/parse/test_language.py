"""A page's word about its language counts until its script says otherwise."""

import pytest

from shoal.parse.language import language_of

ENGLISH = "The power grid delivers electricity from the producers to the consumers of a country. "
CHINESE = "智能电网是以物理电网为基础的现代化电网，发展很快，需要可靠的通信网络。"
JAPANESE = "電力網は発電所から消費者へ電気を送るためのネットワークです。とても大切です。"
KOREAN = "전력망은 발전소에서 소비자에게 전기를 보내는 네트워크입니다."


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        (ENGLISH, "en-GB", "en"),
        (ENGLISH, "", "en"),
        (ENGLISH, "zh-CN", "en"),
        (ENGLISH, "fr", "fr"),
        (CHINESE, "", "zh"),
        (CHINESE, "en", "zh"),
        (CHINESE, "zh-Hant", "zh"),
        (JAPANESE, "", "ja"),
        (JAPANESE, "zh", "ja"),
        (KOREAN, "en", "ko"),
        ("Das Stromnetz ist ein Netzwerk zur Übertragung und Verteilung elektrischer Energie.", "", "de"),
        ("Электрическая сеть служит для передачи и распределения энергии потребителям.", "", "ru"),
        (ENGLISH, "english", "en"),
        ("Home Page\nCourse Syllabus\nLecture Outlines\nHomework Assignments\nProgramming Assignments", "", ""),
        ("La rete elettrica porta la corrente dalle centrali alle case di tutto il paese.", "", "it"),
        ("42", "", ""),
        ("", "zh", "zh"),
        ("", "", ""),
        (CHINESE[:12] + ENGLISH * 5, "en", "en"),
    ],
)
def test_the_language(text: str, declared: str, language: str) -> None:
    assert language_of(text, declared) == language
