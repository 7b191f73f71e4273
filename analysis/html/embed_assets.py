#!/usr/bin/env python3
"""Writes the C++ source that holds the parts of a page.

embed_assets.py OUTPUT --chart FILE --licence FILE --style FILE... --script FILE...

Scripts of ours share one function's scope, in the order given. The page's security policy names elements by the hashes of
their texts, which are taken here.
"""

import argparse
import base64
import hashlib
import pathlib


def array(name, data):
    lines = [",".join(str(byte) for byte in data[at : at + 64]) for at in range(0, len(data), 64)]
    return (
        f"constexpr unsigned char {name}_bytes[] = {{\n" + ",\n".join(lines) + ",0};\n"
        f"const std::string_view {name}(reinterpret_cast<const char*>({name}_bytes), sizeof {name}_bytes - 1);\n"
    )


def joined(paths):
    return "\n".join(pathlib.Path(path).read_text(encoding="utf-8").strip() for path in paths) + "\n"


def element(name, what, text):
    """A text that is the whole of a script or style element, and its hash; a browser must read what was hashed."""
    for part in ("</script", "</style", "<!--", "\r", "\0"):
        if part in text.lower():
            raise SystemExit(f"{what} has {part!r}, and would not be the element that its hash is of")
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return array(name, text.encode()) + f'const std::string_view {name}Hash = "sha256-{digest}";\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--chart", required=True)
    parser.add_argument("--licence", required=True)
    parser.add_argument("--style", nargs="+", required=True)
    parser.add_argument("--script", nargs="+", required=True)
    options = parser.parse_args()
    script = '(function () {\n"use strict";\n' + joined(options.script) + "})();\n"
    chart = pathlib.Path(options.chart).read_text(encoding="utf-8")
    # A page is one file: what the library says about its source map is not there.
    chart = "\n".join(line for line in chart.split("\n") if not line.startswith("//# sourceMappingURL="))
    pathlib.Path(options.output).write_text(
        '#include "analysis/html/embedded_assets.h"\n\nnamespace xsp::analysis {\n'
        + element("kPageStyle", "our style", joined(options.style))
        + element("kPageScript", "our script", script)
        + element("kChartScript", "the chart library", chart)
        + array("kChartLicence", pathlib.Path(options.licence).read_bytes())
        + "}  // namespace xsp::analysis\n"
    )


if __name__ == "__main__":
    main()
