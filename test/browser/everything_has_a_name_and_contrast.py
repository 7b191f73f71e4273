"""In both themes all text has a contrast of 4.5 to 1 where it stands, everything to work with has a name and shows that it
has the focus, and what labels refer to is there."""
from xsp_browser import *

AUDIT = """
const found = [];
const parse = (text) => {
  const parts = text.match(/rgba?\\(([^)]+)\\)/)?.[1].split(/[ ,/]+/).map(Number);
  return parts && [...parts.slice(0, 3), parts[3] ?? 1];
};
const over = (front, back) => back.map((value, i) => front[i] * front[3] + value * (1 - front[3]));
const luminance = (colour) => {
  const [r, g, b] = colour.map((value) => value / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  const layers = [];
  for (let node = element; node && layers.at(-1)?.[3] !== 1; node = node.parentElement) {
    const colour = parse(getComputedStyle(node).backgroundColor);
    if (colour && colour[3] > 0) layers.push(colour);
  }
  return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
};
const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("svg, script, style");
let texts = 0;
for (const element of document.querySelectorAll("body *")) {
  const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!isText || !shown(element)) continue;
  texts += 1;
  const paper = behind(element);
  const ink = over(parse(getComputedStyle(element).color), paper);
  const [light, dark] = [luminance(ink), luminance(paper)].sort((a, b) => b - a);
  const contrast = (light + 0.05) / (dark + 0.05);
  if (contrast < 4.5) found.push(`contrast of ${contrast.toFixed(2)}: ${element.outerHTML.slice(0, 150)}`);
}
for (const element of document.querySelectorAll("button, input, select, a[href], [tabindex='0'], canvas")) {
  if (!shown(element) || element.closest("[aria-hidden=true]")) continue;
  const label = element.getAttribute("aria-label") || element.getAttribute("aria-labelledby") || element.title;
  if (!(label || element.textContent.trim() || element.labels?.length)) found.push(`no name: ${element.outerHTML.slice(0, 150)}`);
}
for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
  for (const element of document.querySelectorAll(`[${name}]`)) {
    for (const id of element.getAttribute(name).split(" ")) if (!document.getElementById(id)) found.push(`${name} of nothing: ${id}`);
  }
}
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`twice the same id: ${id}`);
for (const element of document.querySelectorAll("[aria-hidden=true]")) {
  if (element.querySelector("button, a[href], input, [tabindex='0']")) found.push(`focus in what is hidden: ${element.outerHTML.slice(0, 150)}`);
}
return [texts, found];"""

path = made_page(made_trace(layers=24, evaluations=3))
for dark in (False, True):
    with Page(path, dark=dark) as page:
        for section in page.js("return [...document.querySelectorAll('main > section')].map((s) => s.id)"):
            page.go_to(section)
        page.table("A6").click_row(0)
        texts, found = page.js(AUDIT)
        check(texts > 300, f"the whole page is looked at ({texts} texts)")
        check_equal(found, [], "dark" if dark else "light")
with Page(path) as page:
    page.table("A2")
    page.go_to("timeline")
    seen, wanted = set(), {"A", "BUTTON", "INPUT", "CANVAS", "TR"}
    page.js("scrollTo(0, 0)")
    for _ in range(200):
        page.press(Keys.TAB)
        # Behind the last element the focus is the browser's own, and comes round.
        kind, visible, was_last = page.js("""
          const style = getComputedStyle(document.activeElement);
          const all = document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']");
          const before = window.before;
          window.before = document.activeElement;
          const follows = (element) => before !== undefined && element.checkVisibility() && !element.disabled &&
            before.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
          return [document.activeElement.tagName, (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2)
            || style.boxShadow !== "none", ![...all].some(follows)];""")  # fmt: skip
        if kind == "BODY":
            check(was_last, "the focus is lost within the page")
            continue
        seen.add(kind)
        check(visible, f"the focus is seen on {kind}")
        if wanted <= seen:
            break
    check(wanted <= seen, f"Tab comes to everything: {seen}")
