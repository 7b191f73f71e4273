"""Text has a contrast of 4.5 to 1 against what it stands on, marks have 3 to 1 against the paper, in both themes."""
from xsp_browser import *


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


TEXT = [(ink, on) for ink in ("ink", "quiet", "accent", "good", "warn") for on in ("paper", "raised", "hover")]
TEXT += [("ink", "select"), ("quiet", "select"), ("on-accent", "accent")]
MARKS = [(f"c{i}", "paper") for i in range(1, 9)] + [("select-edge", "paper"), ("accent", "paper")]
path = made_page(made_trace(layers=4))
for dark in (False, True):
    with Page(path, dark=dark) as page:
        def colour(name):
            return page.js("return getComputedStyle(document.documentElement).getPropertyValue('--xsp-' + arguments[0]).trim()", name)

        for pairs, least in ((TEXT, 4.5), (MARKS, 3)):
            for ink, on in pairs:
                got = contrast(colour(ink), colour(on))
                check(got >= least, f"{ink} on {on}, {'dark' if dark else 'light'}: {got:.2f} to 1")
        check_equal(colour("paper"), "#15181d" if dark else "#ffffff", "the theme is the system's")
