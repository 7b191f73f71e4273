#!/usr/bin/env python3
"""Figures are shown with their goals and commands, as text, as a page and as JSON."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from sections.figures import Figures, merge_pages  # noqa: E402


def example():
    figures = Figures()
    figures.section = "spans"
    figures.command = "span_bench | sort"
    figures.at_most("a span / two clock reads", 1.2, 1.15)
    figures.at_least("spans a second", 12_345_678, 2e6)
    figures.add("bytes a span", 17.25, "bytes", "on disk")
    figures.table(("tracer", "median"), [("XSP", "20.1"), ("LTTng", "190.0")])
    figures.leave_out("Tracy", "no client")
    return figures


class Shown(unittest.TestCase):
    def test_a_missed_goal_is_told(self):
        text = example().text()
        self.assertRegex(text, r"a span / two clock reads +1.2 +≤ 1.15 +MISSED")
        self.assertEqual([figure.what for figure in example().missed], ["a span / two clock reads"])

    def test_a_goal_that_holds_and_a_figure_without_one(self):
        text = example().text()
        self.assertRegex(text, r"spans a second +12,345,678 +≥ 2e\+06 +ok")
        self.assertRegex(text, r"bytes a span +17.25 bytes \(on disk\)\n")

    def test_an_interval_around_the_goal_decides_nothing(self):
        figures = Figures()
        for low, high in ((-0.5, 0.9), (-5, 9), (1.1, 3)):
            figures.within("slowdown", 0.5, low, high, 1, "%")
        self.assertEqual([figure.verdict for figure in figures.figures], ["ok", "undecided", "MISSED"])

    def test_what_is_left_out_says_why(self):
        self.assertIn("left out: Tracy: no client", example().text())
        self.assertIn("Left out: Tracy: no client.", example().markdown())

    def test_the_page_names_the_command_of_every_row(self):
        lines = [line for line in example().markdown().splitlines() if line.startswith("| a span")]
        self.assertEqual(lines, ["| a span / two clock reads | 1.2 | ≤ 1.15 | MISSED | `span_bench \\| sort` |"])
        self.assertIn("| XSP | 20.1 |", example().markdown())

    def test_a_part_measured_again_leaves_the_others(self):
        older = "### Start-up\n\nold\n\n### Spans\n\nold\n"
        merged = merge_pages(older, {"### Spans": "### Spans\n\nnew\n"})
        self.assertEqual(merged, "### Start-up\n\nold\n\n### Spans\n\nnew\n")

    def test_json_holds_numbers(self):
        read = json.loads(example().json())
        self.assertEqual(read["figures"][0]["value"], 1.2)
        self.assertIs(read["figures"][0]["holds"], False)
        self.assertEqual(read["tables"][0]["rows"][1], {"tracer": "LTTng", "median": "190.0"})


unittest.main()
