"""Would what we give to operators work? Units, containers and dashboard are read as those programs read them that use them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from shoal.crawl import prometheus
from tests.test_docs import COMMANDS
from tests.test_layers import PROJECT

DEPLOY = Path(__file__).parent.parent / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMPOSE = {"RABBITMQ_PASSWORD": "r", "POSTGRES_PASSWORD": "p", "GRAFANA_PASSWORD": "g"}


def read_yaml(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def exported() -> set[str]:
    """Every name that a query may use."""
    families = {**prometheus.CRAWL, **prometheus.WORKER}
    parts = {
        f"{name}{part}" for name in families if name.endswith("_seconds") for part in ("_bucket", "_sum", "_count")
    }
    return {name for name in families if not name.endswith("_seconds")} | parts


# --- Grafana ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def dashboard() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((DEPLOY / "grafana" / "shoal.json").read_text(encoding="utf-8"))
    return read


def queries(dashboard: dict[str, Any]) -> list[str]:
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]


def test_the_dashboard_shows_every_metric_and_no_other(dashboard: dict[str, Any]) -> None:
    variables = [variable.get("definition", "") for variable in dashboard["templating"]["list"]]
    named = set(re.findall(r"\bshoal_\w+", " ".join([*queries(dashboard), *variables])))
    assert named - exported() == set()
    families = {re.sub("_(bucket|sum|count)$", "", name) for name in named}
    assert (prometheus.CRAWL.keys() | prometheus.WORKER.keys()) - families == {"shoal_crawl_seconds_total"}


def test_every_panel_has_its_number_its_place_and_its_queries(dashboard: dict[str, Any]) -> None:
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, f"{panel['title']} lies over another panel"
        assert place["x"] + place["w"] <= 24
        taken |= cells
        if panel["type"] != "row":
            letters = [target["refId"] for target in panel["targets"]]
            assert letters
            assert len(set(letters)) == len(letters)
            assert {target["datasource"]["uid"] for target in panel["targets"]} == {"${datasource}"}


def test_every_query_is_in_balance_and_uses_variables_that_exist(dashboard: dict[str, Any]) -> None:
    variables = {variable["name"] for variable in dashboard["templating"]["list"]} | {"__rate_interval"}
    for query in queries(dashboard):
        assert [query.count(sign) for sign in "([{"] == [query.count(sign) for sign in ")]}"], query
        assert set(re.findall(r"\$(\w+)", query)) <= variables, query
        counters = re.findall(r"\bshoal_\w+_total\b", query)
        assert not counters or "rate(" in query or "increase(" in query or query.startswith("sum("), query


# --- Prometheus and containers ---------------------------------------------------------------------------------------


def test_the_containers_fit_together() -> None:
    compose = read_yaml("compose.yaml")
    services = compose["services"]
    assert set(services) == {"rabbitmq", "postgres", "coordinator", "worker", "prometheus", "grafana"}
    assert services["worker"]["deploy"]["replicas"] == 3
    for service in services.values():
        assert "image" in service
        for needed in service.get("depends_on", ()):
            assert "healthcheck" in services[needed]
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            present = (DEPLOY / source).exists() or source == "./topic.toml"  # which the operator writes
            assert present if source.startswith("./") else source in compose["volumes"], volume
    keeps_folders = [service for service in services.values() if "SHOAL_DATABASE" in service.get("environment", ())]
    assert [service["hostname"] for service in keeps_folders] == ["coordinator"], (
        "else each new container is another machine"
    )
    build = services["worker"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_compose_itself_accepts_the_file(tmp_path: Path) -> None:
    written = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+):\?", written)) == set(COMPOSE), "no password stands in the file"
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
        return  # the client is not there: what we can see ourselves is seen above
    command = [docker, "compose", "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet"]
    done = subprocess.run(command, env=COMPOSE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_prometheus_asks_where_the_services_listen() -> None:
    services = read_yaml("compose.yaml")["services"]
    jobs = {job["job_name"]: job for job in read_yaml("prometheus.yml")["scrape_configs"]}
    (target,) = jobs["shoal-coordinator"]["static_configs"][0]["targets"]
    assert target == f"coordinator:{services['coordinator']['environment']['SHOAL_METRICS'].rpartition(':')[2]}"
    (workers,) = jobs["shoal-worker"]["dns_sd_configs"]
    assert workers["names"] == ["worker"]
    assert services["worker"]["command"][-1].endswith(f":{workers['port']}")


def test_the_image_takes_what_it_needs_and_no_more() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    taken = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert taken[0] == "*"
    assert all(any(DEPLOY.parent.glob(name.removeprefix("!"))) for name in taken[1:])
    assert re.findall(r"^USER (.+)$", dockerfile, re.MULTILINE) == ["shoal"], "nothing runs as root"


def test_the_image_has_the_libraries_that_were_tested() -> None:
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    taken = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    installing = re.findall(r"pip (?:install|wheel) ([^&\n]+)", dockerfile)
    locked = [words.split() for words in installing if "--requirement" in words]
    assert [words[-1] for words in locked] == [
        "/source/requirements/cluster.txt",
        "/source/requirements/build.txt",
    ]
    assert all({"--require-hashes", "--only-binary=:all:"} <= set(words) for words in locked)
    assert all(f"!{words[-1].removeprefix('/source/')}" in taken for words in locked)
    rest = [words.split() for words in installing if "--requirement" not in words]
    assert len(rest) == 2, "shoal is built, and installed"
    assert all("--no-deps" in words for words in rest), "nothing comes in beside what is locked"
    assert all({"--no-build-isolation", "--no-index"} & set(words) for words in rest)
    versions = set(re.findall(r"^FROM python:(\d+\.\d+)-", dockerfile, re.MULTILINE))
    assert len(versions) == 1, "the libraries are built for one version of Python, and run by the same"
    assert versions <= {name.rpartition(" ")[2] for name in PROJECT["classifiers"]}


# --- systemd ---------------------------------------------------------------------------------------------------------


def settings_of(unit: Path) -> dict[str, list[str]]:
    """`Service.User` → its values; anything that is not a comment, a heading or a setting is refused."""
    section, found = "", dict[str, list[str]]()
    for line in unit.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if heading := re.fullmatch(r"\[(Unit|Service|Install)\]", line):
            section = heading[1]
            continue
        setting = re.fullmatch(r"([A-Z]\w+)=(.*)", line)
        assert setting, f"{unit.name}: {line}"
        found.setdefault(f"{section}.{setting[1]}", []).append(setting[2])
    return found


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_runs_as_nobody_in_particular_and_stops_gracefully(unit: Path) -> None:
    settings = settings_of(unit)
    repeated = {name for name, values in settings.items() if len(values) > 1}
    assert repeated <= {"Service.Environment", "Service.EnvironmentFile"}
    assert settings["Service.User"] == ["shoal"]
    assert settings["Service.ProtectSystem"] == ["strict"]
    assert settings["Service.Restart"] == ["on-failure"]
    assert settings["Service.KillSignal"] == ["SIGTERM"]
    assert int(settings["Service.TimeoutStopSec"][0]) > 60, "the longest request takes so long"
    assert "SHOAL_BROKER" not in " ".join(settings["Service.Environment"]), "secrets are in files of their own"


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_accepts_a_unit(unit: Path, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        return  # what we can see ourselves is seen above
    program = tmp_path / "program"
    program.symlink_to("/bin/true")
    copy = tmp_path / unit.name.replace("@", "@grid")
    copy.write_text(re.sub(r"/opt/shoal/bin/\w+", str(program), unit.read_text(encoding="utf-8")), encoding="utf-8")
    verified = subprocess.run([analyze, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False)
    assert copy.name not in verified.stderr, verified.stderr
    assert verified.returncode == 0, verified.stderr
    hardened = [analyze, "security", "--offline=yes", "--threshold=20", str(copy)]
    exposure = subprocess.run(hardened, capture_output=True, text=True, check=False)
    assert exposure.returncode == 0, exposure.stdout.splitlines()[-1]


# --- what they run ---------------------------------------------------------------------------------------------------


def typed() -> list[list[str]]:
    """Every `shoal` command that stands in these files, word by word."""
    units = [settings_of(unit)["Service.ExecStart"][0] for unit in UNITS]
    services = [
        ["shoal", *service["command"]]
        for service in read_yaml("compose.yaml")["services"].values()
        if "command" in service
    ]
    script = re.findall(r"exec (shoal .+)", (DEPLOY / "coordinate").read_text(encoding="utf-8"))
    given = re.findall(r"^set -- (.+)$", (DEPLOY / "coordinate").read_text(encoding="utf-8"), re.MULTILINE)
    words = [line.partition("/bin/")[2].split() for line in units if "/shoal " in line]
    return [*words, *services, *(f"{line} {given[0]}".split() for line in script)]


def test_every_command_and_option_exists() -> None:
    commands = typed()
    assert {words[1] for words in commands} == {"crawl", "resume", "worker"}
    for _, name, *words in commands:
        known = {option for param in COMMANDS[name].params for option in param.opts}
        assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize(("exists", "begins"), [(False, "crawl /etc/t.toml --dir"), (True, "resume --dir")])
def test_a_service_begins_a_crawl_or_goes_on_with_it(tmp_path: Path, exists: bool, begins: str) -> None:
    (tmp_path / "bin").mkdir()
    shoal = tmp_path / "bin" / "shoal"
    shoal.write_text('#!/bin/sh\nprintf "%s\\n" "$*"\n', encoding="utf-8")
    shoal.chmod(0o755)
    folder = tmp_path / "a crawl"
    if exists:
        folder.mkdir()
    done = subprocess.run(
        [DEPLOY / "coordinate", "/etc/t.toml", folder],
        env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "SHOAL_METRICS": "9400", "SHOAL_OPTIONS": "--delay 2"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{begins} {folder} --metrics 9400 --quiet --delay 2\n"
