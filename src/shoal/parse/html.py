"""What stands where on a page? The parser's own tree answers; Python looks only at links, images, boxes and head tags.

    html ─► tree ─► marks around links, images and boxes ─► a tree of blocks and text ─► lines ─► marks read and taken out

What must be done for every tag and every piece of text happens inside the parser, several times faster than in a callback.
It never recurses and everything has a limit, so a hostile page costs about a second at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from turbohtml import Document, Element, Node, PlainText, Text, parse, unescape

from shoal.model import LinkKind
from shoal.parse.image_sources import Offer, background, best_of, best_source, offer, side
from shoal.parse.main_text import (
    BOX,
    BOX_END,
    HEADING,
    SPAN,
    SPAN_END,
    Box,
    RawImage,
    RawLink,
    Span,
    TextSection,
    is_noise,
    line,
    place,
    sections,
)
from shoal.parse.sanitise import sanitised

MAX_LINKS = 10_000
MAX_IMAGES = 2_000
_MAX_SOURCES = 10_000
"""Elements that offer an image in other sizes."""
_PAINTED = "[style*=background]"
_PATH_TAGS = 12
"""Tags of a link's path that are kept, the nearest to the link."""
_TAG_LETTERS = 40
"""Letters of each of them."""
_NAME_LETTERS = 400
"""Letters of class names and id that are looked at. Where style sheets are made of classes, hundreds are usual."""
_MAX_DATES = 10

# What tags mean to a reader. Those that are named nowhere are parts of a line.
_MUTE = "style, template, svg, textarea, noframes, noembed, script:not([type='application/ld+json'])"
_NOISE = "nav footer aside menu button dialog video audio canvas object noscript select datalist"
_NAMED = "div section ul ol table td form hgroup"
"""Containers whose class, id or role may say that they are noise."""
_LAID_OUT = (
    "ul ol dir menu pre blockquote center fieldset table caption td th option optgroup form hgroup button "
    "dialog video audio canvas object noscript select datalist"
)
"""Blocks that the renderer would lay out, at a cost without limit on a hostile page, or not take for blocks."""
_RENDERED = (
    "html body p br hr li dd dt dl address details summary div section header main article nav footer "
    "aside figure figcaption h1 h2 h3 h4 h5 h6"
)
"""Blocks that the renderer gives a line of their own."""
_IN_LINE = f":not({', '.join(_RENDERED.split())})"
_WITHOUT_BULLETS = PlainText(bullet="")
unescaped = unescape
"""Text with `&amp;` and its like undone."""

# Any element may carry it, so it is cheaper to look for the word than at every element.
_ITEM_DATE = re.compile(
    r"itemprop\s{0,9}=\s{0,9}[\"']?datePublished\b(?:[^>]{0,200}?\b(?:content|datetime)\s{0,9}=\s{0,9}[\"']?([^\"'>]{4,40})"
    r"|[^>]{0,200}>\s{0,99}([^<]{4,60}))"
)
_PLACE = SPAN + SPAN_END
_ANCHOR = LinkKind.ANCHOR  # looking a member up in its class is slow on Python 3.11


@dataclass(slots=True)
class Markup:
    """Everything that was noted on a page; the places of links and images point into `text`."""

    text: str = ""
    """All text of the page in one line."""
    sections: list[TextSection] = field(default_factory=list)
    title: str = ""
    base: str = ""
    language: str = ""
    metas: list[tuple[str, str]] = field(default_factory=list)
    """Name and content of each meta tag, the name in lower case."""
    dates: list[str] = field(default_factory=list)
    """What elements with `itemprop="datePublished"` say, then what `time` elements say."""
    data: list[str] = field(default_factory=list)
    """JSON-LD."""
    links: list[RawLink] = field(default_factory=list)
    images: list[RawImage] = field(default_factory=list)


def read(html: str) -> Markup:
    """Note what stands where on a page."""
    html = sanitised(html)
    tree = parse(html)
    tree.remove(_MUTE)
    notes = _Notes(tree)
    notes.take(tree, set(tree.select(_PAINTED)) if "background" in html else set())
    markup = notes.markup
    marked = _as_lines(tree, notes.laid_out)
    markup.sections = sections(marked, notes.boxes)
    markup.text = place(markup.sections, notes.spans)
    if "datePublished" in html:
        found = islice(_ITEM_DATE.finditer(html), _MAX_DATES)
        markup.dates[:0] = (quoted or shown for quoted, shown in (date.groups() for date in found))
    return markup


def plain_text(html: str) -> str:
    """The text of a piece of HTML, in one line."""
    return read(html).text if "<" in html else unescaped(html)


def link_elements(html: str) -> Iterator[tuple[list[str], str, str]]:
    """What the `link` elements of a page say: the words of `rel`, the type, and where they lead, as it is written."""
    for element in islice(parse(sanitised(html.replace("\x00", ""))).iter_elements(("link",)), MAX_LINKS):
        attr = element.attr
        yield (attr("rel") or "").lower().split(), (attr("type") or "").strip().lower(), attr("href") or ""


def _as_lines(tree: Document, laid_out: list[Element]) -> str:
    """The text of a page, a line per block. The tree is spent afterwards."""
    for element in laid_out:
        element.tag = "div"
    # A block inside part of a line would run into the text behind it, so only blocks may be left.
    tree.strip_tags(_IN_LINE)
    return tree.to_text(_WITHOUT_BULLETS)


# While a page is noted, nothing is taken out of its tree: every element that is still to come stands where it stood, and every
# mark that was put in comes out. In formulas anything may hold anything, `<area>` and `<title>` too.


def _enclose(element: Element, start: str, end: str) -> None:
    element.insert(0, Text(start))
    element.append(Text(end))


def _silence(element: Element) -> None:
    """Its own text is not part of the page's."""
    for child in element.children:
        if type(child) is Text:
            child.data = ""


class _Notes:
    """What the tags say. It owns the markup while a page is read, and the lists of what was marked in the tree."""

    def __init__(self, tree: Document) -> None:
        self.markup = Markup()
        self.spans: list[Span] = []
        self.boxes: list[Box] = []
        self.laid_out: list[Element] = []
        self._root = tree.root
        self._paths: dict[Node | None, str] = {}
        self._captions: dict[Node | None, str] = {}
        self._offers: dict[Node | None, Offer] = {}
        self._sources = 0
        self._painted: Element | None = None
        self._images: list[tuple[Element, RawImage]] = []

    def take(self, tree: Document, painted: set[Element]) -> None:
        """Note all that is worth it, in document order."""
        if painted:
            self._take_all(tree, painted)
        else:
            for element in list(tree.iter_elements(_NOTED)):
                _NOTES[element.tag](self, element)
        if self._captions:  # a caption may stand before or after its images
            for element, image in self._images:
                image.caption = self._captions.get(element.closest("figure"), "")

    def _take_all(self, tree: Document, painted: set[Element]) -> None:
        """Any element may be painted."""
        for element in list(tree.iter_elements()):
            if element in painted:
                self.background(element)
            if note := _NOTES.get(element.tag):
                note(self, element)

    def html(self, element: Element) -> None:
        self.markup.language = self.markup.language or element.attr("lang") or element.attr("xml:lang") or ""

    # --- boxes ---

    def box(self, element: Element, box: Box) -> None:
        self.boxes.append(box)
        _enclose(element, BOX, BOX_END)

    def named(self, element: Element) -> None:
        attr = element.attr
        role, names = attr("role") or "", attr("class") or ""
        if other := attr("id"):
            names = f"{names} {other}"
        if role == "main":
            self.box(element, Box.MAIN)
        elif names or role:
            if len(names) + len(role) > _NAME_LETTERS:
                names, role = names[:_NAME_LETTERS], role[:_NAME_LETTERS]
            if is_noise(names, role):
                self.box(element, Box.NOISE)

    def heading(self, element: Element) -> None:
        element.append(Text(HEADING))

    # --- links and images ---

    def a(self, element: Element) -> None:
        """Most links hold one piece of text; to write marks into it is faster than to put them beside it."""
        link = self._link(element, element.attr("href"), _ANCHOR)
        children = element.children
        if len(children) == 1 and type(child := children[0]) is Text and not (text := child.data).isspace():
            child.data = f"{SPAN}{text}{SPAN_END}"
        else:
            link.label = element.attr("title") or element.attr("aria-label") or ""
            _enclose(element, SPAN, SPAN_END)
        if self._painted is element:  # its own style paints an image
            self._images[-1][1].link = link
        self.spans.append(link)

    def area(self, element: Element) -> None:
        label = element.attr("alt") or element.attr("title") or ""
        self.spans.append(self._link(element, element.attr("href"), LinkKind.AREA, label))
        element.insert(0, Text(_PLACE))

    def frame(self, element: Element) -> None:
        label = element.attr("title") or element.attr("name") or ""
        self.spans.append(self._link(element, element.attr("src"), LinkKind.FRAME, label))
        _silence(element)
        element.insert(0, Text(_PLACE))

    def link(self, element: Element) -> None:
        rel = (element.attr("rel") or "").lower().split()
        if "canonical" in rel:
            self._link(element, element.attr("href"), LinkKind.CANONICAL)
        elif "image_src" in rel and (href := element.attr("href")) and len(self.markup.metas) < MAX_LINKS:
            self.markup.metas.append(("image_src", href))

    def _link(self, element: Element, href: str | None, kind: LinkKind, label: str = "") -> RawLink:
        """A link that leads nowhere is not kept, but its text is the text of a link."""
        if not href or href[0] == "#" or len(self.markup.links) >= MAX_LINKS:
            return RawLink("", kind, "")
        link = RawLink(href, kind, self._path(element), 0, 0, element.attr("rel") or "", label)
        self.markup.links.append(link)
        return link

    def _path(self, element: Element) -> str:
        """Tag names from the body down to the element; most links share what is above the element that they are in."""
        parent = element.parent
        if type(parent) is not Element or type(above := parent.parent) is not Element or above is self._root:
            return element.tag
        if (path := self._paths.get(above)) is None:
            path = self._paths[above] = self._path_above(above)
        return f"{path}{parent.tag[:_TAG_LETTERS]}/{element.tag}"

    def _path_above(self, element: Element) -> str:
        """The rows of a table share what is above them."""
        path = self._paths.get(element.parent)
        if path is not None and path.count("/") < _PATH_TAGS - 2:
            return f"{path}{element.tag[:_TAG_LETTERS]}/"
        nodes = (element, *islice(element.ancestors, _PATH_TAGS))[-4::-1]  # not the body, its parent and the document
        return "".join([f"{node.tag[:_TAG_LETTERS]}/" for node in nodes if type(node) is Element])

    def img(self, element: Element) -> None:
        attributes = dict(element.attrs.items())  # without items() each value would be looked for from the first on
        alt, title = attributes.get("alt") or "", attributes.get("title") or ""
        image = RawImage("", str(alt), str(title))
        if len(self.markup.images) < MAX_IMAGES:
            image.src = best_source(attributes, self._offers.get(element.parent))
            if image.src:
                image.width, image.height = side(attributes, "width"), side(attributes, "height")
                self.markup.images.append(image)
                self._images.append((element, image))
        self.spans.append(image)
        element.insert(0, Text(_PLACE))

    def source(self, element: Element) -> None:
        """The sources of a `picture` stand in front of its image."""
        around = element.parent
        if type(around) is Element and around.tag == "picture" and self._sources < _MAX_SOURCES:
            self._sources += 1
            if best := best_of((self._offers.get(around), offer(dict(element.attrs.items())))):
                self._offers[around] = best

    def background(self, element: Element) -> None:
        """What a style paints behind a box stands in front of it. Behind a whole page it is wallpaper."""
        if element.tag in ("html", "body") or len(self.markup.images) >= MAX_IMAGES:
            return
        if source := background(element.attr("style") or ""):
            image = RawImage(source, "", element.attr("title") or element.attr("aria-label") or "")
            self.markup.images.append(image)
            self._images.append((element, image))
            self._painted = element
            self.spans.append(image)
            element.insert_before(Text(_PLACE))

    def figcaption(self, element: Element) -> None:
        """A caption in a caption is a part of it; looking at its text again and again would never end."""
        above = element.parent
        figure = element.closest("figure")
        if figure and len(self._captions) < MAX_IMAGES and not (above and above.closest("figcaption")):
            self._captions[figure] = line(element.to_text())

    # --- what the head says ---

    def meta(self, element: Element) -> None:
        attr = element.attr
        name = attr("name") or attr("property") or attr("http-equiv") or attr("itemprop")
        content = attr("content")
        if name and content and len(self.markup.metas) < MAX_LINKS:
            self.markup.metas.append((name.strip().lower(), content))

    def base(self, element: Element) -> None:
        self.markup.base = self.markup.base or element.attr("href") or ""

    def time(self, element: Element) -> None:
        if (value := element.attr("datetime")) and len(self.markup.dates) < _MAX_DATES:
            self.markup.dates.append(value)

    def title(self, element: Element) -> None:
        self.markup.title = self.markup.title or element.text
        _silence(element)

    def script(self, element: Element) -> None:
        self.markup.data.append(element.text)
        _silence(element)


_Note = Callable[[_Notes, Element], None]


def _box(box: Box) -> _Note:
    return lambda notes, element: notes.box(element, box)


def _lay_out(note: _Note | None) -> _Note:
    def noted(notes: _Notes, element: Element) -> None:
        notes.laid_out.append(element)
        if note:
            note(notes, element)

    return noted


_NOTES: dict[str, _Note] = {
    "html": _Notes.html,
    "a": _Notes.a,
    "area": _Notes.area,
    "frame": _Notes.frame,
    "iframe": _Notes.frame,
    "img": _Notes.img,
    "source": _Notes.source,
    "figcaption": _Notes.figcaption,
    "meta": _Notes.meta,
    "link": _Notes.link,
    "base": _Notes.base,
    "time": _Notes.time,
    "title": _Notes.title,
    "script": _Notes.script,
    "header": _box(Box.HEADER),
    "main": _box(Box.MAIN),
    "article": _box(Box.MAIN),
    **dict.fromkeys(_NOISE.split(), _box(Box.NOISE)),
    **dict.fromkeys(_NAMED.split(), _Notes.named),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Notes.heading),
}
_NOTES |= {tag: _lay_out(_NOTES.get(tag)) for tag in _LAID_OUT.split()}
_NOTED = tuple(_NOTES)
