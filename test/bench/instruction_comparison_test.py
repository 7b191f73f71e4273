#!/usr/bin/env python3
"""The gate can fail: a count more than 5 % above its reference, one that is missing, one that has no reference."""

import unittest

from instruction_comparison import compare, differing_environment

REFERENCE = {"span": 200.0, "load": 1000.0}


class Comparison(unittest.TestCase):
    def test_same_counts_pass_in_silence(self):
        self.assertEqual(compare(REFERENCE, dict(REFERENCE)), ([], []))

    def test_up_to_5_percent_passes(self):
        self.assertEqual(compare(REFERENCE, {"span": 209.9, "load": 950.1}), ([], []))

    def test_a_regression_fails_with_row_now_and_reference(self):
        failures, remarks = compare(REFERENCE, {"span": 210.2, "load": 1000.0})
        self.assertEqual(remarks, [])
        self.assertEqual(failures, ["span: 210.2 instructions, reference 200.0 (+5.1 %): more than 5 % above"])

    def test_an_improvement_asks_for_an_update(self):
        failures, remarks = compare(REFERENCE, {"span": 150.0, "load": 1000.0})
        self.assertEqual(failures, [])
        self.assertEqual(remarks, ["span: 150.0 instructions, reference 200.0 (-25.0 %): better, update the reference with --update"])

    def test_a_row_that_is_not_counted_fails(self):
        failures, _ = compare(REFERENCE, {"span": 200.0})
        self.assertEqual(failures, ["load: has a reference and was not counted"])

    def test_a_row_without_reference_fails(self):
        failures, _ = compare(REFERENCE, {**REFERENCE, "import": 9.0})
        self.assertEqual(failures, ["import: 9.0 instructions, and no reference: --update writes one"])

    def test_another_compiler_is_told(self):
        self.assertIsNone(differing_environment({"compiler": "gcc 12.2.0"}, {"compiler": "gcc 12.2.0", "valgrind": "3.19"}))
        self.assertEqual(
            differing_environment({"compiler": "gcc 12.2.0"}, {"compiler": "gcc 13.2.0"}), "compiler 'gcc 13.2.0', the reference's 'gcc 12.2.0'"
        )


unittest.main()
