"""What does a comparison look like on paper? One page of HTML with its pictures and all figures.

The page needs nothing but itself: pictures are drawn into it, its style is its own, and it runs no scripts. It can be sent
to somebody, and read on a phone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

import shoal
from shoal.evaluate.comparison_plots import Picture, best_first, colours_of
from shoal.evaluate.jobs import ORACLE, Conditions
from shoal.evaluate.ratings import EXPLAINED, HEADING, JudgeStanding, Rating, rating_rows, shown
from shoal.evaluate.standings import Comparison, Means, TopicFacts, TopicFigures, WebFacts


def write_report(path: Path, comparison: Comparison, pictures: Sequence[Picture]) -> None:
    """One self-contained page."""
    style = files("shoal.evaluate").joinpath("report.css").read_text(encoding="utf-8")
    body = "\n".join(_sections(comparison, pictures))
    title = escape(comparison.title)
    path.write_text(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n",
        encoding="utf-8",
    )


def _sections(comparison: Comparison, pictures: Sequence[Picture]) -> Iterator[str]:
    yield f'<p class="lead">{_winner(comparison)}</p>'
    overall = [picture for picture in pictures if not picture.web]
    if len(comparison.webs) > 1:
        yield _side_by_side([f"<div>{_overall_table(comparison)}</div>", *map(_figure, overall)])
    else:  # of a single web the pictures say no more than the table
        yield _overall_table(comparison)
    for web in comparison.webs:
        yield from _web_section(comparison, web, [picture for picture in pictures if picture.web == web.name])
    if comparison.judges:
        yield f"<h2>{HEADING}</h2>"
        yield _judges_table(comparison.judges)
    yield _method(comparison)


def _winner(comparison: Comparison) -> str:
    if not comparison.standings:
        return "No strategy was compared."
    best = comparison.standings[0]
    crawls = len(comparison.topics) - sum(len(web.topics) for web in comparison.webs)
    rank = f"the best of {len(comparison.standings)} strategies, " if len(comparison.standings) > 1 else ""
    return (
        f"<strong>{escape(best.name)}</strong> brings home {best.overall.of_oracle:.0%} of what a crawler that knows "
        f"every page would: {rank}in {_count(crawls, 'crawl')} of up to {_count(comparison.conditions.pages, 'page')}."
    )


def _overall_table(comparison: Comparison) -> str:
    """Strategies and webs; the figure in each cell is the share of the omniscient crawler's harvest."""
    webs = [web.name for web in comparison.webs]
    best = {web: max((row.webs[web].of_oracle for row in comparison.standings), default=0.0) for web in webs}
    best_overall = max((row.overall.of_oracle for row in comparison.standings), default=0.0)
    colours = colours_of(comparison.standings)
    head = "".join(f"<th>{escape(web)}</th>" for web in (webs if len(webs) > 1 else []))
    rows = []
    for row in comparison.standings:
        share = row.overall.of_oracle
        bar = f'<span class="bar" style="--share:{share:.3f};--colour:{colours[row.name]}"></span>'
        cells = "".join(_cell(row.webs[web].of_oracle, best[web]) for web in (webs if len(webs) > 1 else []))
        rows.append(
            f'<tr><th scope="row">{escape(row.name)}</th>{_cell(share, best_overall)}<td class="bars">{bar}</td>{cells}</tr>'
        )
    return (
        f'<div class="scroll"><table><thead><tr><th>strategy</th><th>{"all webs" if len(webs) > 1 else escape(webs[0])}</th>'
        f'<th class="bars"></th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        '<p class="note">Area under the recall curve as a share of the omniscient crawler’s; '
        f"{'mean over the topics of each web, and over the webs' if len(webs) > 1 else 'mean over the topics'}.</p>"
    )


def _cell(value: float, best: float) -> str:
    text = f"{value:.3f}"
    return f"<td><strong>{text}</strong></td>" if text == f"{best:.3f}" else f"<td>{text}</td>"


def _figure(picture: Picture) -> str:
    return f"<figure>{picture.svg}</figure>"


def _side_by_side(parts: Iterable[str]) -> str:
    """As many in a row as there is room for."""
    return f'<div class="figures">{"".join(parts)}</div>'


def _web_section(comparison: Comparison, web: WebFacts, pictures: Sequence[Picture]) -> Iterator[str]:
    yield f"<h2>{escape(web.name)}</h2>"
    yield f'<p class="note">{web.pages:,} pages, {web.links:,} links, {_count(len(web.topics), "topic")}.</p>'
    yield _side_by_side(map(_figure, pictures))
    yield _web_table(comparison, web)
    yield "<details><summary>Topic by topic</summary>" + _topics_table(comparison, web) + "</details>"


def _web_table(comparison: Comparison, web: WebFacts) -> str:
    rows = best_first(comparison.standings, web.name)
    columns: tuple[tuple[str, Callable[[Means], float | None], Callable[[float], str]], ...] = (
        ("of oracle", lambda means: means.of_oracle, lambda value: f"{value:.3f}"),
        ("recall", lambda means: means.recall, lambda value: f"{value:.1%}"),
        ("precision", lambda means: means.precision, lambda value: f"{value:.1%}"),
        ("value", lambda means: means.value, lambda value: f"{value:.2f}/s"),
        ("judge says", lambda means: means.judged_share, lambda value: f"{value:.1%}"),
    )
    head = "".join(f"<th>{name}</th>" for name, _, _ in columns)
    lines = []
    for row in [*rows, comparison.oracle]:
        figures = [(read(row.webs[web.name]), show) for _, read, show in columns]
        cells = "".join(f"<td>{'–' if value is None else show(value)}</td>" for value, show in figures)
        lines.append(f'<tr{_oracle_class(row.strategy)}><th scope="row">{escape(row.name)}</th>{cells}</tr>')
    return (
        f'<div class="scroll"><table><thead><tr><th>strategy</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        '<p class="note">“Judge says” is the share of the fetched pages that the strategy’s own judge takes for relevant: its '
        "opinion, not the truth.</p>"
    )


def _oracle_class(strategy: str) -> str:
    return ' class="oracle"' if strategy == ORACLE else ""


def _topics_table(comparison: Comparison, web: WebFacts) -> str:
    """Strategies and topics; a cell is the darker, the nearer the strategy came to the omniscient crawler."""
    figures = {(row.topic, row.name): row for row in comparison.topics if row.web == web.name}
    head = "".join(map(_topic_head, web.topics))
    lines = []
    for row in best_first(comparison.standings, web.name):
        cells = "".join(_heat(figures[topic.name, row.name]) for topic in web.topics)
        lines.append(f'<tr><th scope="row">{escape(row.name)}</th>{cells}</tr>')
    return (
        f'<div class="scroll"><table class="heat"><thead><tr><th>of oracle</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
        '<p class="note">Below each figure: relevant pages found of pages fetched.</p>'
    )


def _topic_head(topic: TopicFacts) -> str:
    title = f"<small>{escape(topic.title)}</small>" if topic.title != topic.name else ""
    return f"<th>{escape(topic.name)}{title}<small>{topic.relevant:,} relevant of {topic.reachable:,}</small></th>"


def _heat(row: TopicFigures) -> str:
    return (
        f'<td style="--heat:{min(row.of_oracle, 1.0):.2f}">{row.of_oracle:.3f}'
        f"<small>{row.found:,} of {row.fetched:,}</small></td>"
    )


def _judges_table(judges: Sequence[JudgeStanding]) -> str:
    """Topics and judges; a cell is the darker, the farther the judge is above luck."""
    head = "".join(f"<th>{escape(judge.judge)}</th>" for judge in judges)
    lines = []
    for name, is_mean, cells in rating_rows(judges):
        title = f"<em>{escape(name)}</em>" if is_mean else escape(name)
        lines.append(f'<tr><th scope="row">{title}</th>{"".join(map(_rating, cells))}</tr>')
    return (
        f'<div class="scroll"><table class="heat"><thead><tr><th>AUC<small>AP</small></th>{head}</tr></thead>'
        f'<tbody>{"".join(lines)}</tbody></table></div><p class="note">{EXPLAINED}</p>'
    )


def _rating(cell: Rating) -> str:
    above_luck = max(2 * (cell.auc or 0.0) - 1, 0.0)
    return f'<td style="--heat:{above_luck:.2f}">{shown(cell.auc)}<small>{shown(cell.average_precision)}</small></td>'


def _method(comparison: Comparison) -> str:
    return (
        "<h2>How this was measured</h2><ul>"
        f"<li>{_conditions(comparison.conditions)}</li>"
        "<li>Every crawl is a real one, by the code that crawls the live web; only the network is replaced by a recorded or "
        "generated web, and time by a clock that jumps.</li>"
        "<li>Relevant is what the labels of the web say, as far as it can be reached from the topic’s seeds by following "
        "links as robots.txt and nofollow allow. The crawlers never see the labels.</li>"
        "<li>The omniscient crawler knows all pages: it fetches a relevant page that is known if there is one, else the known "
        "page nearest to one, that with the most links to relevant pages first.</li>"
        "<li>Precision is relevant pages per page fetched, recall is relevant pages found of all there are, value is relevant "
        "pages per second of simulated time; all at the end of the crawl. A crawl that ends early keeps what it has.</li>"
        f"<li>Shoal {escape(shoal.__version__)}. All figures after every 100 pages are in the CSV files beside this page.</li>"
        "</ul>"
    )


def _conditions(conditions: Conditions) -> str:
    pages = f"Up to {_count(conditions.pages, 'page')} per crawl"
    if conditions.max_depth is not None:
        pages += f", at most {_count(conditions.max_depth, 'link')} from a seed"
    latency = f"servers answer after {conditions.latency:g} s"
    if conditions.delay is None:
        flying = _count(conditions.concurrency or 1, "request")
        return (
            f"{pages}, {flying} in flight, no host is ever waited for ({latency}): only the order of fetching counts."
        )
    flight = _count(conditions.concurrency, "request") if conditions.concurrency else "as many requests as usual"
    waits = f"{conditions.delay:g} s between two requests to one host"
    return f"{pages}, {flight} in flight, {waits}, as in a live crawl ({latency})."


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
