"""The other tests find what reaches the console, and what a page asks the network for."""
from xsp_browser import *

with Page(made_page(made_trace(layers=4))) as page:
    check_equal((page.console(), page.requests()), ([], []), "a page leaves nothing")
    page.js("console.warn('a warning')")
    check(any("a warning" in entry["message"] for entry in page.console()), "a warning is seen")
    page.js("setTimeout(() => nothing.is.there, 0)")
    page.wait(lambda: any("nothing is not defined" in entry["message"] for entry in page.console()), "an error is seen")
    page.js("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/picture.png'}))")
    page.wait(lambda: any("Content Security Policy" in entry["message"] for entry in page.console()),
              "the page's policy lets no request leave")  # fmt: skip
    page.requests()
other = FOLDER / "asking.html"
other.write_text("<script>document.documentElement.dataset.ready='yes'</script><img src='http://127.0.0.1:9/picture.png'>")
page = Page(other)
page.wait(lambda: any("picture.png" in url for url in page.requests()), "a request is seen")
page.quit()
