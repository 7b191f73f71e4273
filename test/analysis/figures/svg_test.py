#!/usr/bin/env python3
"""Static drawings are well-formed, small, and show names as text whatever they are.

svg_test.py FIGURE_FILES
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</svg><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]><!--",
    "\u202eright to left\u202c",
    "\x00\x1b[2Jcontrol",
    "void f<std::vector<int>, (g)0>(int, float const*)",
    "x" * 100_000,
    "",
    "\U0001f600" * 200,
]


def table(columns, rows, **more):
    return {"title": "", "columns": [{"name": n, "unit": u} for n, u in columns], "rows": rows, "notes": [], **more}


def layers(rows):
    columns = [("index", None), ("name", None), ("latency_ms", "ms"), ("stage", None)]
    thirds = ("beginning", "middle", "end")
    return table(columns, [[i, name, ms, thirds[3 * i // len(rows)]] for i, (name, ms) in enumerate(rows)])


def report(rows):
    """All kinds of figures of layers with these names and times."""
    names = [name for name, _ in rows]
    sweep = [[2**i, 1.0 + i, 100.0 * (i + 1), name, None, 0.5, 9.0] for i, name in enumerate(names[:8])]
    nested = [["M" + rows[0][0][:50], "model", name, 0.0, ms, True, None] for name, ms in rows[:2000]]
    level_columns = [(c, None) for c in ("level_set", "event_level", "layer_index")] + [("overhead_ms", "ms")]
    nested_columns = [(c, None) for c in ("level_set", "event_level", "name")]
    nested_columns += [("begin_ms", "ms"), ("latency_ms", "ms"), ("accurate", None), ("layer_index", None)]
    iterations = [[i, 10.0 * i, 10.0 * i + 8 + ms, i % 3, 0, name] for i, (name, ms) in enumerate(rows)]
    strip_columns = [("iteration", None), ("start_ms", "ms"), ("end_ms", "ms"), ("deviations", None), ("level", None)]
    states = [[name, state, ms, 33.3, 2] for name, ms in rows[:9] for state in ("CPU", "copy", "GPU")]
    states_columns = [("loop", None), ("state", None), ("mean_ms", "ms"), ("share_pct", "%"), ("operations", None)]
    course_columns = [("iteration", None), ("interval", "ms"), ("iteration_ms", "ms")]
    return {
        "A1": table([("batch_size", None), ("latency_ms", "ms"), ("throughput_per_s", "1/s"), ("model", None),
                     ("input", None), ("ci_low_ms", "ms"), ("ci_high_ms", "ms")],
                    sweep + [[2 * row[0]] + row[1:] for row in sweep],
                    optimal_batch={"rule": 2, "max": 4}),
        "A3": layers(rows),
        "A6": table([("type", None), ("count", None), ("latency_ms", "ms")], [[n, 1, ms] for n, ms in rows]),
        "A10": table([("kernel_name", None), ("latency_ms", "ms")], rows),
        "A13": table([("layer_index", None), ("gpu_ms", "ms"), ("non_gpu_ms", "ms"), ("layer_name", None)],
                     [[i, ms, 1.0, n] for i, (n, ms) in enumerate(rows)]),
        "D1": table(strip_columns + [("loop", None)], iterations),
        "D2": table([("loop", None)], [[1]], states=table(states_columns, states),
                    iterations=table(course_columns, [[i, 0.5, ms] for i, (_, ms) in enumerate(rows)])),
        "L1": table(level_columns, [["M" + n[:50], "model", None, ms] for n, ms in rows[:2000]],
                    nested=table(nested_columns, nested)),
    }  # fmt: skip


def drawn(figure_files, tables):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.json")
        path.write_text(json.dumps(tables))
        subprocess.run([figure_files, path, folder], check=True, stdout=subprocess.DEVNULL, timeout=60)
        svgs = {p.stem: p.read_text(encoding="utf-8") for p in pathlib.Path(folder).glob("*.svg")}
        jsons = {p.stem: p.read_text(encoding="utf-8") for p in pathlib.Path(folder).glob("A*.json")}
        return svgs, jsons


def check_svg(name, svg):
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", svg), f"{name}: control characters"
    root = ElementTree.fromstring(svg)  # well-formed, or an error
    assert root.tag == SVG + "svg" and root.get("role") == "img", name
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    allowed = {"svg", "title", "desc", "rect", "path", "polyline", "circle", "text"}
    assert tags <= allowed, f"{name}: {tags - allowed}"
    ids = {element.get("id") for element in root.iter() if element.get("id")}
    assert set(root.get("aria-labelledby").split()) == ids, f"{name}: is not named by its title and description"
    assert root.find(SVG + "title").text and root.find(SVG + "desc").text, f"{name}: has no text"
    for element in root.iter():
        for key, value in element.attrib.items():
            assert not key.startswith("on") and key != "style", f"{name}: {key}"
            assert not re.search(r"\b(nan|inf)\b", value), f"{name}: {key}={value}"
    return root


def check_hostile_names(figure_files):
    svgs, jsons = drawn(figure_files, report([[n, 1.0 + i] for i, n in enumerate(HOSTILE)]))
    assert {"A1.sweep", "A3.latency", "A6.latency", "A10.latency", "A13.gpu", "L1.nested", "L1.overhead", "D1.strip", "D2.states",
            "D2.course"} <= set(svgs)
    for name, svg in svgs.items():
        check_svg(name, svg)
        assert len(svg) < 100_000, f"{name}: a long name is not shortened"
        assert "\u202e" not in svg, f"{name}: a name turns the direction of text"
    for name, text in jsons.items():
        json.loads(text, parse_constant=lambda constant: sys.exit(f"{name}: {constant} in JSON"))
        assert len(text) < 20_000, f"{name}: a long name is not shortened in JSON"
    texts = [e.text for e in ElementTree.fromstring(svgs["A6.latency"]).iter(SVG + "text")]
    assert "</svg><script>alert(1)</script>" in texts, "a name is shown as it is"


def check_many_layers(figure_files):
    svgs, jsons = drawn(figure_files, report([[f"layer{i}", float(i % 7)] for i in range(20_000)]))
    for name, svg in svgs.items():
        root = check_svg(name, svg)
        marks = sum(1 for element in root.iter() if element.tag in (SVG + "rect", SVG + "circle"))
        assert marks <= 1000, f"{name}: {marks} marks"
    text = " ".join(e.text or "" for e in ElementTree.fromstring(svgs["A3.latency"]).iter(SVG + "text"))
    assert "67 neighbours a column: the largest of them" in text, text
    assert "the 400 longest of 2000" in svgs["L1.nested"]
    assert len(json.loads(jsons["A3.latency"])["series"][0]["y"]) == 20_000


def check_zero_and_one(figure_files):
    for rows in ([["only", 0.0]], [["only", 5.0]], [["a", 0.0], ["b", 0.0]], [["a", -1.0], ["b", 1e-9]]):
        svgs, _ = drawn(figure_files, report(rows))
        assert "A3.latency" in svgs and "A6.latency" in svgs, rows
        for name, svg in svgs.items():
            check_svg(name, svg)


def main():
    figure_files = sys.argv[1]
    check_hostile_names(figure_files)
    check_many_layers(figure_files)
    check_zero_and_one(figure_files)


if __name__ == "__main__":
    main()
