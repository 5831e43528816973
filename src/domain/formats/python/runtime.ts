import { ACTED_ON_ROLES, NAMED_ROLES } from "../../catalogue/locate.ts";
import { type Helper, helpersFor } from "../script/helpers.ts";
import { dropping } from "./dropping.ts";

const roles = (names: readonly string[]): string =>
  `[\n${names.map((name) => `    "${name}",\n`).join("")}]`;

/** In the order in which they are written; a helper uses only those before it. */
const helpers: readonly Helper[] = [
  { name: "TIMEOUT", code: `TIMEOUT = float(os.environ.get("TIMEOUT", "10"))  # seconds` },
  { name: "ACTED_ON", code: `ACTED_ON = ${roles(ACTED_ON_ROLES)}` },
  { name: "NAMED", code: `NAMED = ${roles(NAMED_ROLES)}` },
  {
    name: "EDITABLE",
    code: `EDITABLE = (
    "input:not([type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio]), "
    "textarea, select, [contenteditable=''], [contenteditable=true], "
    "[role=textbox], [role=searchbox], [role=combobox], [role=spinbutton]"
)`,
  },
  {
    name: "whole",
    code: String.raw`MARKS = r"[\s.,;:!?*\u2026()\[\]\"'\u201c\u201d\u2018\u2019-]*"


def spaced(text):
    return r"\s+".join(re.escape(word) for word in text.split())


def whole(text):
    """The whole of a name; capitals, white space, the marks around it and a counter behind it aside."""
    return re.compile(rf"^{MARKS}{spaced(text)}(?:\s*[(\[]\s*\d+\+?\s*[)\]])?{MARKS}$", re.I)`,
  },
  {
    name: "words",
    code: String.raw`WORD = r"\w\u00c0-\u024f\u0370-\u1fff\u2c00-\ud7ff"


def words(text):
    """Whole words and whole numbers of a text. Numbers are compared as they are written."""
    behind = rf"(?![{WORD}]|-[{WORD}]|[.,]\d)"
    return re.compile(rf"(?<![{WORD}-])(?<!\d[.,]){spaced(text)}{behind}", re.I)`,
  },
  {
    name: "exactly",
    code: String.raw`def exactly(text):
    """A whole text in its case."""
    return re.compile(rf"^\s*{spaced(text)}\s*$")`,
  },
  {
    name: "seen_texts",
    code: `def seen_texts(page, name):
    """Texts of the page: a claim of what is seen is about nothing else."""
    return [page.get_by_text(whole(name)), page.get_by_text(words(name))]`,
  },
  {
    name: "any_role",
    code: `def any_role(page, roles, name):
    ways = [page.get_by_role(role, name=name) for role in roles]
    return functools.reduce(lambda one, other: one.or_(other), ways)`,
  },
  {
    name: "named",
    code: `def named(page, name):
    """Elements by visible name, best match first: whole names, then words of names."""
    ways = []
    for text in (whole(name), words(name)):
        ways += [
            page.get_by_label(text),
            page.get_by_placeholder(text),
            any_role(page, ACTED_ON, text),
            any_role(page, NAMED, text),
            page.get_by_alt_text(text),
            page.get_by_title(text),
            page.get_by_text(text),
        ]
    return ways`,
  },
  {
    name: "only",
    code: `def only(page, css, name):
    return [way.and_(page.locator(css)) for way in named(page, name)]`,
  },
  {
    name: "clickable",
    code: `def clickable(page, name):
    """Prefers a button to the field beside it."""
    return only(page, f":not(:is({EDITABLE}))", name) + named(page, name)`,
  },
  {
    name: "field",
    code: `def field(page, name):
    return only(page, EDITABLE, name)`,
  },
  {
    name: "dropdown",
    code: `def dropdown(page, name):
    return only(page, "select, [role=combobox], [role=listbox]", name)`,
  },
  {
    name: "tickbox",
    code: `def tickbox(page, name):
    css = "[type=checkbox], [type=radio], [role=checkbox], [role=radio], [role=switch]"
    return only(page, css, name)`,
  },
  {
    name: "near",
    code: `def near(root, anchors, ways):
    """Each way in the closest container that it shares with an anchor."""
    return [
        root.locator("*").filter(has=anchor).filter(has=way).last.locator(way)
        for way in ways
        for anchor in anchors
    ]`,
  },
  {
    name: "inside",
    code: `def inside(root, places, title, ways):
    """Each way inside of a place, or in the closest container that it shares with the place's title."""
    found = [place.locator(way) for place in places for way in ways]
    if title is not None:
        found += [
            root.locator("*").filter(has=title).filter(has=way).last.locator(way)
            for way in ways
        ]
    return found`,
  },
  {
    name: "look",
    code: `def look(ways):
    """The visible matches of the first way that has any."""
    for way in ways:
        visible = way.locator("visible=true")
        count = visible.count()
        if count:
            return visible, count
    return None, 0`,
  },
  {
    name: "find",
    code: `def find(*ways, nth=None, hidden=False):
    """The one visible element, waited for; several are an error unless nth says which (-1 is the last)."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        visible, count = look(ways)
        late = time.monotonic() > deadline
        if nth is not None and count > nth:
            return visible.nth(nth)
        if nth is None and count == 1:
            return visible
        if late and count > 1:
            raise AssertionError(f"{count} elements could be meant by {visible}")
        if hidden and not count:
            # A real checkbox may be hidden behind a drawn one.
            for way in ways:
                if way.count() == 1:
                    return way
        if late:
            raise AssertionError(f"No visible element {ways[0]}")
        ways[0].page.wait_for_timeout(100)`,
  },
  {
    name: "expect_seen",
    code: `def expect_seen(wanted, ways, problem, within=None):
    deadline = time.monotonic() + (within or TIMEOUT)
    while not wanted(look(ways)[1]):
        if time.monotonic() > deadline:
            raise AssertionError(f"{problem}: {look(ways)[1]} seen of {ways[0]}")
        ways[0].page.wait_for_timeout(100)`,
  },
  {
    name: "expect_visible",
    code: `def expect_visible(*ways, nth=0, within=None):
    least = 1 if nth == -1 else nth + 1
    expect_seen(lambda count: count >= least, ways, "Expected to be visible", within)`,
  },
  {
    name: "expect_hidden",
    code: `def expect_hidden(*ways, nth=0, within=None):
    most = 0 if nth == -1 else nth
    expect_seen(lambda count: count <= most, ways, "Expected not to be visible", within)`,
  },
  {
    name: "expect_count",
    code: `def expect_count(wanted, *ways, nth=None):
    """So many; of a certain one of them, one or none."""
    least = 1 if nth == -1 else (nth or 0) + 1

    def so_many(count):
        return count if nth is None else int(count >= least)

    expect_seen(lambda count: so_many(count) == wanted, ways, f"Expected {wanted}")`,
  },
  {
    name: "pattern",
    code: `def pattern(text, address=False):
    """Exact text, * wildcards, or /regex/flags; an address that starts with / is on any host."""
    regex = re.fullmatch(r"/(.+)/([imsu]*)", text, re.S)
    if regex:
        flags = [getattr(re, flag.upper()) for flag in regex[2] if flag != "u"]
        return re.compile(regex[1], functools.reduce(lambda a, b: a | b, flags, 0))
    if "*" not in text:
        return text
    host = r"https?://[^/]+" if address and text.startswith("/") else ""
    return re.compile(f"^{host}{'.*'.join(re.escape(part) for part in text.split('*'))}$", re.S)`,
  },
  {
    name: "milliseconds",
    code: `def milliseconds(text):
    amount, unit = re.fullmatch(r"\\s*([\\d.]+)\\s*([a-z]+)\\s*", text, re.I).groups()
    unit = unit.lower()
    factor = 1 if unit.startswith(("ms", "milli")) else 1000 if unit.startswith("s") else 60000
    return float(amount) * factor`,
  },
  {
    name: "file_path",
    code: `def file_path(name):
    return Path(os.environ.get("FILES", "files")) / name`,
  },
  {
    name: "scroll_by",
    code: `def scroll_by(locator, way):
    """To the top, to the bottom, or by pixels, of an element or the page."""
    locator.evaluate(
        """(element, way) => {
            const place = element === document.documentElement
                ? document.scrollingElement ?? element : element;
            if (way === "top") place.scrollTo({ top: 0, behavior: "instant" });
            else if (way === "bottom") place.scrollTo({ top: place.scrollHeight, behavior: "instant" });
            else place.scrollBy({ top: parseInt(way, 10), behavior: "instant" });
        }""",
        way,
    )`,
  },
  {
    name: "set_viewport",
    code: `def set_viewport(page, size):
    width, height = size.lower().split("x")
    page.set_viewport_size({"width": int(width), "height": int(height)})`,
  },
  {
    name: "text_of",
    code: `def text_of(locator):
    """A field's value, or the text of anything else."""
    field = locator.evaluate("e => 'value' in e && /^(input|textarea|select)$/i.test(e.tagName)")
    return locator.input_value() if field else locator.inner_text().strip()`,
  },
  {
    name: "answer_dialog",
    code: `def answer_dialog(page, accept, text=None, waiting={}):
    """Answers the next dialog that opens."""
    answers = waiting.setdefault(page, [])
    answers.append((accept, text))
    if len(answers) > 1:
        return

    def answer(dialog):
        accepted, answer_text = answers.pop(0)
        if answers:
            page.once("dialog", answer)
        if accepted:
            dialog.accept(answer_text) if answer_text is not None else dialog.accept()
        else:
            dialog.dismiss()

    page.once("dialog", answer)`,
  },
  {
    name: "switch_tab",
    code: `def switch_tab(page, wanted):
    """Another tab by its title or number; the last; without a name the one before."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        tabs = page.context.pages
        if wanted == "":
            found = tabs[max(0, tabs.index(page) - 1)]
        elif wanted == "last":
            found = tabs[-1] if tabs[-1] is not page else None
        elif wanted.isdigit():
            found = tabs[int(wanted) - 1] if int(wanted) <= len(tabs) else None
        else:
            found = next((tab for tab in tabs if wanted.lower() in tab.title().lower()), None)
        if found:
            found.bring_to_front()
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"No tab {wanted!r} among {[tab.title() for tab in tabs]}")
        page.wait_for_timeout(100)`,
  },
  {
    name: "screenshot_path",
    code: `def screenshot_path(name):
    folder = Path(os.environ.get("SCREENSHOTS", "screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / (re.sub(r"[^\\w.-]+", "-", name).strip("-.") + ".png")`,
  },
  {
    name: "next_screenshot",
    code: `def next_screenshot(count=itertools.count(1)):
    return screenshot_path(f"screenshot-{next(count)}")`,
  },
];

/** The helpers that a script in Python needs. */
export const runtimeFor = (body: string): string[] => helpersFor([...helpers, ...dropping], body);
