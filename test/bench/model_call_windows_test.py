"""The interval of a median is that of the sign test, and the cost and its control are what the blocks differ by."""
import math
import random
import unittest

from model_call_windows import costs_of, median_with_interval


class MedianWithInterval(unittest.TestCase):
    def test_order_statistics_are_those_of_the_tables(self):
        # The 14th and the 27th of 40, the 40th and the 61st of 100: tables of the sign test for 95 %.
        self.assertEqual(median_with_interval(range(1, 41)), (20.5, 14, 27))
        self.assertEqual(median_with_interval(range(1, 101)), (50.5, 40, 61))
        self.assertEqual(median_with_interval([3, 1, 2, 6, 5, 4]), (3.5, 1, 6))

    def test_the_true_median_is_inside_as_often_as_it_says(self):
        generator = random.Random(1)
        inside = 0
        for _ in range(1000):
            _, low, high = median_with_interval([generator.gauss(0, 1) ** 3 for _ in range(30)])
            inside += low <= 0 <= high
        self.assertTrue(940 <= inside <= 990, inside)


class Costs(unittest.TestCase):
    def test_a_cost_is_found_and_its_control_is_none(self):
        rounds = [[1.02 * base, 1.02 * base, base, base] for base in (100, 90, 120, 100, 101, 99, 130)]
        cost, control = costs_of(rounds)
        self.assertTrue(all(math.isclose(value, 2) for value in cost), cost)
        self.assertTrue(all(abs(value) < 1e-9 for value in control), control)

    def test_what_befalls_the_first_blocks_of_both_kinds_is_in_the_control_alone(self):
        cost, control = costs_of([[105, 100, 105, 100]] * 6)
        self.assertTrue(all(abs(value) < 1e-9 for value in cost), cost)
        self.assertTrue(all(math.isclose(value, 5) for value in control), control)


unittest.main()
