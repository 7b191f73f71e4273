"""For the tests of pages: makes a report and works with it in headless Chromium.

A test is a script that runs checks and ends with exit status 0; 77 means skipped, with the reason on stdout. meson gives
it XSP_SOURCE_DIR and XSP_BUILD_DIR. Every page that a test opens must leave the console empty and ask the network for
nothing, or the test fails. With XSP_SCREENSHOTS=FOLDER pages leave pictures there.
"""
import atexit
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from made_profile import write_profile

try:
    from selenium import webdriver
    from selenium.common.exceptions import JavascriptException, TimeoutException
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("skipped: no selenium (python3-selenium)")
    sys.exit(77)

SOURCE = Path(os.environ.get("XSP_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("XSP_BUILD_DIR", SOURCE / "build"))
XSP_IMPORT = BUILD / "import/xsp-import"
XSP_REPORT = BUILD / "analysis/xsp-report"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
SKIPPED = 77
TIMEOUT_S = 60


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def check(condition, what):
    """Fails the test with the behaviour that is broken."""
    if not condition:
        print(f"FAILED: {what}")
        sys.exit(1)


def check_equal(got, expected, what):
    check(got == expected, f"{what}\n  expected: {str(expected)[:2000]}\n  got:      {str(got)[:2000]}")


if CHROMIUM is None or CHROMEDRIVER is None:
    skip("no Chromium with its driver (chromium, chromium-driver)")

FOLDER = Path(tempfile.mkdtemp(prefix="xsp-browser-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    check(done.returncode == 0, f"{command[0]}: exit status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def made_trace(**profile):
    """The trace of a profile made by write_profile()."""
    path = FOLDER / f"profile{len(list(FOLDER.iterdir()))}.json"
    write_profile(path, **profile)
    trace = path.with_suffix(".pb")
    run(XSP_IMPORT, "-q", "-o", trace, path)
    return trace


def made_page(trace, *options):
    page = trace.with_suffix(".html")
    run(XSP_REPORT, "-q", "--html", *options, "-o", page, trace)
    return page


def tables_of(trace):
    return json.loads(run(XSP_REPORT, "-q", "--format", "json", trace))


class Browser:
    """Headless Chromium. Pages that need no profile of their own follow one another in one browser, for it starts slowly."""

    shared = None

    def __init__(self, profile=None):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        profile = profile or tempfile.mkdtemp(dir=FOLDER)
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--hide-scrollbars", "--disable-component-update", "--disable-background-networking",
                         f"--user-data-dir={profile}"):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
        atexit.register(self.quit)

    @classmethod
    def free(cls):
        if cls.shared is None:
            cls.shared = cls()
        return cls.shared

    def quit(self):
        if self.driver is not None:
            self.driver.quit()
            self.driver = None


class Page:
    """A page in a browser. By CSS selectors: one(), all(), text(); js() runs a function's body in the page."""

    def __init__(self, path, width=1280, height=900, dark=False, scripts=True, profile=None, fragment=""):
        self.path = path
        self.scripts = scripts
        self.downloads = Path(tempfile.mkdtemp(dir=FOLDER))
        self.browser = Browser(profile) if profile else Browser.free()
        self.driver = self.browser.driver
        self.own = profile is not None
        if not self.own:
            self.forget()
        self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.cdp("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.device(width, height)
        self.prefer(dark)
        self.driver.get(f"{path.as_uri()}{fragment}")
        if scripts:
            self.wait(lambda: self.js("return document.documentElement.dataset.ready") == "yes", "the page becomes ready")

    def forget(self):
        """What an earlier page left in the browser."""
        self.cdp("Emulation.setScriptExecutionDisabled", value=False)
        self.cdp("Emulation.setEmulatedMedia", media="", features=[])
        ActionBuilder(self.driver).clear_actions()  # keys and buttons that are down
        self.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)
        self.driver.get("about:blank")
        self.cdp("Storage.clearDataForOrigin", origin="file://", storageTypes="local_storage")
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.check_quiet()
        self.quit()

    def quit(self):
        if self.own:
            self.browser.quit()

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def device(self, width, height):
        """The size of what is shown: windows have a least one, phones have not."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, dark, **features):
        features = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce", **features}
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": k, "value": v} for k, v in features.items()])

    def js(self, body, *arguments):
        return self.driver.execute_script(body, *arguments)

    def wait(self, condition, what, seconds=TIMEOUT_S):
        try:
            return WebDriverWait(self.driver, seconds, poll_frequency=0.02).until(lambda _: condition())
        except TimeoutException:
            check(False, f"{what}: not within {seconds} s\n  console: {self.console()}")

    def one(self, selector):
        found = self.all(selector)
        check(len(found) > 0, f"the page has no {selector}")
        return found[0]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.one(selector).text

    def press(self, *keys):
        """Keys to what has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def go_to(self, section):
        """Scrolls to a section and waits until it is worked with."""
        self.js("document.getElementById(arguments[0]).scrollIntoView()", section)
        self.settle()

    def table(self, name):
        """Waits for the table view of a table; a TableOnPage."""
        self.go_to(name.split(".")[0])
        selector = f'[id="{name}"] > .table-view'
        self.wait(lambda: self.all(selector), f"{name} becomes a table to work with")
        return TableOnPage(self, selector)

    def settle(self):
        """Until what was begun has been drawn."""
        if not self.scripts:  # also those of tests never come back then
            time.sleep(0.3)
            return
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => done()), 80))")

    def console(self):
        return [entry for entry in self.driver.get_log("browser")]

    def requests(self):
        """What was asked for, besides the page and what it holds itself."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            if not url.startswith((self.path.as_uri(), "data:", "blob:", "about:", "chrome:", "devtools:")):
                asked.append(url)
        return asked

    def check_quiet(self):
        check_equal(self.console(), [], "the console stays empty")
        check_equal(self.requests(), [], "the page asks the network for nothing")

    def overflow(self):
        """How many pixels the page is wider than its window, and what is."""
        return self.js("""
          const wide = document.documentElement.scrollWidth - innerWidth;
          if (wide <= 0) return [0, ""];
          const out = [...document.querySelectorAll("body *")].find((e) => e.getBoundingClientRect().right > innerWidth + 1
            && !e.closest(".rows, #contents"));
          return [wide, out ? out.outerHTML.slice(0, 200) : "?"];""")

    def print(self, **options):
        """The bytes of a PDF."""
        options = {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69, **options}
        return base64.b64decode(self.cdp("Page.printToPDF", **options)["data"])

    def picture(self, name):
        folder = os.environ.get("XSP_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.settle()
            self.driver.save_screenshot(str(Path(folder) / f"{name}.png"))


class TableOnPage:
    def __init__(self, page, selector):
        self.page = page
        self.selector = selector

    def one(self, selector):
        return self.page.one(f"{self.selector} {selector}")

    def column(self, name):
        """The cells of a column, of the rows that are elements, from the top."""
        return self.page.js("""
          const root = document.querySelector(arguments[0]);
          const heads = [...root.querySelectorAll("thead th")].map((th) => th.dataset.column);
          const at = heads.indexOf(arguments[1]);
          return [...root.querySelectorAll("tbody tr[data-row]")].map((row) => row.cells[at].textContent);""",
          self.selector, name)  # fmt: skip

    def head(self, column):
        return self.one(f'th[data-column="{column}"]')

    def sort(self, column):
        self.page.js("arguments[0].querySelector('button').click()", self.head(column))

    def order(self, column):
        return self.head(column).get_attribute("aria-sort")

    def filter(self, text):
        field = self.one('input[type="search"]')
        field.clear()
        field.send_keys(text or " ")
        self.page.settle()

    def count(self):
        return self.one(".count").text

    def rows(self):
        """Numbers of the rows that are elements."""
        return self.numbers_of("tr[data-row]")

    def selected(self):
        return self.numbers_of("tr.selected")

    def numbers_of(self, rows):
        return self.page.js(
            "return [...document.querySelectorAll(arguments[0])].map((row) => Number(row.dataset.row))",
            f"{self.selector} {rows}")  # fmt: skip

    def click_row(self, number):
        self.page.js("arguments[0].scrollIntoView({block: 'center'})", self.one(f'tr[data-row="{number}"]'))
        self.one(f'tr[data-row="{number}"] td').click()
        self.page.settle()


def numbers(cells):
    """Of cells: numbers, None for what is missing."""
    return [None if cell == "–" else float(cell) for cell in cells]


__all__ = [name for name in dir() if not name.startswith("_")]
