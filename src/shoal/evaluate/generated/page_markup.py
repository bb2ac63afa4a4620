"""What does a generated page look like to a browser? From a sheet of text and links to HTML and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from shoal.evaluate.generated.ground_truth import ShownImage
from shoal.evaluate.generated.image_markup import image_html, ornaments_html, shared_html, thumbnail_html
from shoal.evaluate.generated.prose import Dice
from shoal.evaluate.generated.sites import Layout, Site
from shoal.evaluate.generated.vocabulary import Language

LEADS = {"en": ("See also", "More on this:", "Related:", "Compare"), "zh": ("参见", "相关:", "另见", "延伸阅读:")}
POPULAR = {"en": "Popular today", "zh": "今日热门"}
TAGS = {"en": "Tags", "zh": "标签"}
TO_TRADITIONAL = str.maketrans(
    "与业丛东两严个临为举么乐习乡书争于云仪们价众优会传伤体余偿储关养内农冲决准减凑几击划则剂剧务动励区医"
    "协单占却厂厅历压厢厨县参发变台号后听启员响唤喷团园图圆场坛坝声壶备复头奖学宁宝实审对导寿尝尽层岭峡师"
    "帘带干并广庄库应庙开张强录征径怀态总惫愿战户扩扬抚护报拟拥拦挂挡挤挥损换据摄敛数断无旧时术机权条来极"
    "枪柜栅标栈树样桥桩检楼榄欢气汤没沥泽浅浇浊测浑涂温湾湿满滩灯炉炖点热牵状环现电疗监盖盘码确离种积税稳"
    "筑签简篱类紧约纪纲线练组经结绕给络绝统继续维绿缀缆缓编缘缩网罚职联胁脉艺节苹范药获营虚虽补装见观规视"
    "触计订认讨让训议记讲许论设证评诉诊词译试详语误说请读课谁调谈谣谱负败账货质购贴费赁赋赛赞赶车轨转轮软"
    "轻载较辅输辩达过运还这远连迟选遗邻酱采释钠钢钱铁销锁锂锅错锦键镇镍镕长门问间闹阀阅队阳阴阵随隐难静页"
    "顶顺顾预频题风饭饮饱饺馆馈马驱驳驶驾验骑鱼鲜鸟黄",
    "與業叢東兩嚴個臨為舉麼樂習鄉書爭於雲儀們價眾優會傳傷體餘償儲關養內農沖決準減湊幾擊劃則劑劇務動勵區醫"
    "協單佔卻廠廳歷壓廂廚縣參發變臺號後聽啟員響喚噴團園圖圓場壇壩聲壺備復頭獎學寧寶實審對導壽嘗盡層嶺峽師"
    "簾帶乾並廣莊庫應廟開張強錄徵徑懷態總憊願戰戶擴揚撫護報擬擁攔掛擋擠揮損換據攝斂數斷無舊時術機權條來極"
    "槍櫃柵標棧樹樣橋樁檢樓欖歡氣湯沒瀝澤淺澆濁測渾塗溫灣濕滿灘燈爐燉點熱牽狀環現電療監蓋盤碼確離種積稅穩"
    "築簽簡籬類緊約紀綱線練組經結繞給絡絕統繼續維綠綴纜緩編緣縮網罰職聯脅脈藝節蘋範藥獲營虛雖補裝見觀規視"
    "觸計訂認討讓訓議記講許論設證評訴診詞譯試詳語誤說請讀課誰調談謠譜負敗賬貨質購貼費賃賦賽贊趕車軌轉輪軟"
    "輕載較輔輸辯達過運還這遠連遲選遺鄰醬採釋鈉鋼錢鐵銷鎖鋰鍋錯錦鍵鎮鎳鎔長門問間鬧閥閱隊陽陰陣隨隱難靜頁"
    "頂順顧預頻題風飯飲飽餃館饋馬驅駁駛駕驗騎魚鮮鳥黃",
)
"""The traditional form of the simplified characters above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A link as it will stand on a page."""

    url: str
    text: str
    image: bool = False
    """An image is shown instead of the text, which becomes its alt."""
    nofollow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """One line of a list of articles."""

    anchor: Anchor
    blurb: str
    thumbnail: ShownImage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What stands on a page, before it is HTML."""

    title: str
    language: Language
    paragraphs: Sequence[str] = ()
    links: Sequence[Anchor] = ()
    """Inside the text."""
    entries: Sequence[ListEntry] = ()
    menu: Sequence[Anchor] = ()
    sidebar: Sequence[Anchor] = ()
    footer: Sequence[Anchor] = ()
    tags: Sequence[str] = ()
    """Words without links beside the text: they name topics that the page is not about."""
    head: str = ""
    """More elements for the head."""
    published: str = ""
    images: Sequence[ShownImage] = ()
    """In the order of the text."""

    @property
    def anchors(self) -> list[Anchor]:
        """Every link of the page."""
        listed = [entry.anchor for entry in self.entries]
        return [*self.menu, *self.links, *listed, *self.sidebar, *self.footer]

    @property
    def all_images(self) -> list[ShownImage]:
        """Those in the text and in the list."""
        return [*self.images, *(entry.thumbnail for entry in self.entries if entry.thumbnail)]


def press(sheet: Sheet, site: Site, layout: Layout, dice: Dice) -> bytes:
    """The page as the server sends it, in the site's charset."""
    match layout:
        case "modern":
            html = _modern(sheet, site)
        case "divs":
            html = _divs(sheet, site)
        case "tables":
            html = _tables(sheet, site)
        case "broken":
            html = damaged(_divs(sheet, site), dice)
        case "bare":
            html = f"<html><head>{_head(sheet, site)}</head><body>{_text(sheet, site)}</body></html>"
    if site.traditional:
        html = html.translate(TO_TRADITIONAL)
    return html.encode(site.charset, "xmlcharrefreplace")


def content_type(site: Site) -> str:
    """The header, which says the charset only where the site is set up that way."""
    return f"text/html; charset={site.charset}" if site.declared == "header" else "text/html"


def href(url: str, host: str) -> str:
    """As people write it: without the host on the same host."""
    return url.removeprefix(f"http://{host}") or "/"


# --- layouts ---------------------------------------------------------------------------------------------------------


def _modern(sheet: Sheet, site: Site) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="{sheet.language}">\n<head>{_head(sheet, site)}</head>\n<body>\n'
        f'<header><a class="logo" href="/">{escape(site.title)}</a><nav>{_list(sheet.menu, site)}</nav></header>\n'
        f"<main><article>{_text(sheet, site)}</article></main>\n"
        f"<aside>{_aside(sheet, site)}</aside>\n"
        f"<footer>{_row(sheet.footer, site)} &copy; {escape(site.title)}{ornaments_html(site)}</footer>\n</body>\n</html>\n"
    )


def _divs(sheet: Sheet, site: Site) -> str:
    return (
        f"<!DOCTYPE html>\n<html><head>{_head(sheet, site)}</head><body>\n"
        f'<div id="top"><div class="logo">{escape(site.title)}</div><div class="nav">{_list(sheet.menu, site)}</div></div>\n'
        f'<div class="wrap"><div class="sidebar">{_aside(sheet, site)}</div>\n'
        f'<div class="content">{_text(sheet, site)}</div></div>\n'
        f'<div class="footer">{_row(sheet.footer, site)}{ornaments_html(site)}</div></body></html>\n'
    )


def _tables(sheet: Sheet, site: Site) -> str:
    return (
        f"<HTML><HEAD>{_head(sheet, site)}</HEAD><BODY bgcolor=#ffffff>\n"
        f"<TABLE width=960 align=center><TR><TD colspan=2><FONT size=5>{escape(site.title)}</FONT></TD></TR>\n"
        f"<TR><TD colspan=2 bgcolor=#ddeeff>{_row(sheet.menu, site)}</TD></TR>\n"
        f"<TR><TD valign=top width=180>{_aside(sheet, site)}</TD><TD valign=top>{_text(sheet, site)}</TD></TR>\n"
        f"<TR><TD colspan=2 align=center>{_row(sheet.footer, site)}{ornaments_html(site)}</TD></TR></TABLE></BODY></HTML>\n"
    )


def _head(sheet: Sheet, site: Site) -> str:
    summary = escape(sheet.paragraphs[0][:120]) if sheet.paragraphs else ""
    return (
        f"{_declaration(site)}<title>{escape(sheet.title)} - {escape(site.title)}</title>"
        f'<meta name="description" content="{summary}">{shared_html(sheet.images)}{sheet.head}'
    )


def _declaration(site: Site) -> str:
    if site.declared != "meta":
        return ""
    return f'<meta http-equiv="Content-Type" content="text/html; charset={site.label or site.charset}">'


def _text(sheet: Sheet, site: Site) -> str:
    """The main text: the links are spread over the paragraphs."""
    parts = [f"<h1>{escape(sheet.title)}</h1>"]
    if sheet.published:
        parts.append(f'<p class="date"><time datetime="{sheet.published}">{sheet.published}</time></p>')
    count = len(sheet.paragraphs)
    for index, paragraph in enumerate(sheet.paragraphs):
        parts += (image_html(shown, site) for shown in sheet.images if shown.before == index)
        here = sheet.links[index * len(sheet.links) // count : (index + 1) * len(sheet.links) // count]
        parts.append(f"<p>{escape(paragraph)}{''.join(_aside_link(link, sheet, site) for link in here)}</p>\n")
    if sheet.entries:
        lines = (
            f"<li>{_thumbnail(entry, site)}{_link(entry.anchor, site)} {escape(entry.blurb)}</li>\n"
            for entry in sheet.entries
        )
        parts.append(f'<ul class="list">{"".join(lines)}</ul>')
    return "\n".join(parts)


def _thumbnail(entry: ListEntry, site: Site) -> str:
    return thumbnail_html(entry.thumbnail, site) if entry.thumbnail else ""


def _aside_link(link: Anchor, sheet: Sheet, site: Site) -> str:
    leads = LEADS[sheet.language]
    return f" {leads[len(link.url) % len(leads)]} {_link(link, site)}{'.' if sheet.language == 'en' else '。'}"


def _aside(sheet: Sheet, site: Site) -> str:
    tags = escape(" · ".join(sheet.tags))
    return f"<h3>{POPULAR[sheet.language]}</h3>{_list(sheet.sidebar, site)}<div class=tags>{TAGS[sheet.language]}: {tags}</div>"


def _list(anchors: Sequence[Anchor], site: Site) -> str:
    return f"<ul>{''.join(f'<li>{_link(anchor, site)}</li>' for anchor in anchors)}</ul>"


def _row(anchors: Sequence[Anchor], site: Site) -> str:
    return " | ".join(_link(anchor, site) for anchor in anchors)


def _link(anchor: Anchor, site: Site) -> str:
    rel = ' rel="nofollow"' if anchor.nofollow else ""
    inside = escape(anchor.text)
    if anchor.image:
        inside = f'<img src="/img/picture.gif" alt="{inside}">'
    return f'<a href="{escape(href(anchor.url, site.host))}"{rel}>{inside}</a>'


# --- damage ----------------------------------------------------------------------------------------------------------

_DAMAGE = (
    ("</p>", ""),
    ("</li>", ""),
    ("<!DOCTYPE html>\n<html><head>", ""),
    ("</body></html>", "</span></b></div>"),
    ('<div class="content">', "<div class=\"content\" class='twice' =oops data-x= checked onclick='go(\"a>b\")'>"),
    ("<h1>", "<h1><b><i>"),
    ("</h1>", "</b></i>"),
    ("<p>", '<p align=left align="center><font color=red">'),
    (", ", ", \x00"),
    ("，", "，\x00"),
    ("</a>", "</a></a>"),
    ("<ul>", "<ul><table><tr>"),
)


def damaged(html: str, dice: Dice) -> str:
    """The same page from a careless hand: every link can still be found by a browser."""
    for sound, hurt in dice.some(_DAMAGE, 6):
        html = html.replace(sound, hurt)
    return html
