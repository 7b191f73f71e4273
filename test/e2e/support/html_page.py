"""Reads a page of xsp-report --html: its elements, strictly, and what is packed in it."""
import base64
import gzip
import hashlib
import json
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "col", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """`problems`: what no page may have; `elements`: (tag, attributes, text directly in it)."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text = text
        self.problems = []
        self.elements = []
        self.open = []
        self.ids = set()
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append(f"never closed: {[self.elements[i][0] for i in self.open]}")

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.problems.append(f"<{tag}> has an attribute twice: {names}")
        for name, value in attributes:
            if name.startswith("on") or name == "style":
                self.problems.append(f"<{tag} {name}>: the policy forbids it")
            if name == "id":
                if value in self.ids:
                    self.problems.append(f"id {value} twice")
                self.ids.add(value)
        self.elements.append((tag, dict(attributes), ""))
        if tag not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.elements[self.open[-1]][0] != tag:
            self.problems.append(f"</{tag}> closes {self.elements[self.open[-1]][0] if self.open else 'nothing'}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            tag, attributes, text = self.elements[self.open[-1]]
            self.elements[self.open[-1]] = (tag, attributes, text + data)

    def of(self, tag):
        return [(attributes, text) for name, attributes, text in self.elements if name == tag]

    def packed(self, element_id):
        for attributes, text in self.of("script"):
            if attributes.get("id") == element_id:
                return json.loads(gzip.decompress(base64.b64decode(text, validate=True)))
        raise KeyError(element_id)

    def policy_problems(self):
        """Where the policy allows a script or style that the page lacks, or more than these."""
        policy = next(a["content"] for a, _ in self.of("meta") if a.get("http-equiv") == "Content-Security-Policy")
        directives = {words.split()[0]: words.split()[1:] for words in policy.split(";")}
        expected = {
            "default-src": ["'none'"],
            "style-src": [hash_source(css) for _, css in self.of("style")],
            "script-src": [hash_source(code) for attributes, code in self.of("script") if "type" not in attributes],
        }
        return [f"{name} is {directives.get(name)}, not {sources}" for name, sources in expected.items()
                if directives.get(name) != sources]  # fmt: skip


def hash_source(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
