"""The page is light or dark as the system is, or as the reader chooses; the choice is there when it is opened again."""
from xsp_browser import *

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(21, 24, 29)"


def paper(page):
    return page.js("return getComputedStyle(document.body).backgroundColor")


def choose(page, name):
    page.js("[...document.querySelectorAll('#theme button')].find((b) => b.textContent === arguments[0]).click()", name)


def pressed(page):
    return [b.text for b in page.all("#theme button") if b.get_attribute("aria-pressed") == "true"]


path = made_page(made_trace(layers=8))
profile = tempfile.mkdtemp(dir=FOLDER)
with Page(path, profile=profile) as page:
    check_equal((paper(page), pressed(page)), (LIGHT, ["System"]), "as the system is: light")
    page.prefer(dark=True)
    page.wait(lambda: paper(page) == DARK, "the page follows the system")
    choose(page, "Light")
    check_equal((paper(page), pressed(page)), (LIGHT, ["Light"]), "light, whatever the system is")
    page.prefer(dark=False)
    choose(page, "Dark")
    check_equal((paper(page), pressed(page)), (DARK, ["Dark"]), "dark, whatever the system is")
    page.driver.refresh()
    page.wait(lambda: page.js("return document.documentElement.dataset.ready") == "yes", "the page becomes ready")
    check_equal((paper(page), pressed(page)), (DARK, ["Dark"]), "the choice is remembered")
    choose(page, "System")
    check_equal((paper(page), pressed(page)), (LIGHT, ["System"]), "the choice is taken back")
    page.driver.refresh()
    page.wait(lambda: page.js("return document.documentElement.dataset.ready") == "yes", "the page becomes ready")
    check_equal(pressed(page), ["System"], "that, too")
