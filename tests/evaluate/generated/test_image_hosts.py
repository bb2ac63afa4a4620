"""Images lie on known hosts, where robots.txt says what the truth says; ornaments are nothing to look at."""

from __future__ import annotations

from protego import Protego

from shoal.evaluate.generated.image_hosts import IMAGE_HOSTS
from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.urls import host_of, normalise


def test_every_address_is_in_normal_form_and_on_a_known_host(web: SyntheticWeb) -> None:
    assert [url for url in web.images if normalise(url) != url] == []
    assert {host_of(url) for url in web.images} == {*web.hosts, *IMAGE_HOSTS}


def test_robots_txt_says_what_the_truth_says(web: SyntheticWeb) -> None:
    rules = {host: Protego.parse(web.robots.get(host, "")) for host in (*web.hosts, *IMAGE_HOSTS)}
    wrong = [
        image.url
        for image in web.images.values()
        if rules[host_of(image.url)].can_fetch(image.url, "Shoal") != image.allowed
    ]
    assert wrong == []
    assert 20 < sum(not image.allowed for image in web.images.values()) < 200
    assert web.answer("img.energy.test", "/robots.txt", 1).body == web.robots["img.energy.test"].encode()
    assert web.answer("stats.test", "/robots.txt", 1).status == 404


def test_icons_are_icons(web: SyntheticWeb) -> None:
    icons = [image for image in web.images.values() if image.is_icon]
    assert {"logo.png", "rss.png", "spacer.png", "picture.gif"} < {image.url.rpartition("/")[2] for image in icons}
    assert all(not image.topics for image in icons)
    assert any(host_of(image.url) == "stats.test" for image in icons)
