#include "analysis/concurrency/applied_gain.h"

#include <vector>

#include "test/analysis/support/law_curves.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

/// Blocks of five calls that take turns, of which those with advice take `factor` of the others' time; the machine
/// becomes slower by `drift` of the first time in each block.
std::vector<SettingBlock> turns(double factor, double drift, size_t pairs, Noise* noise) {
  std::vector<SettingBlock> blocks;
  for (size_t i = 0; i < 2 * pairs; ++i) {
    const bool is_advised = i % 2 == 1;
    const double ns = 1e6 * (1 + drift * static_cast<double>(i)) * (is_advised ? factor : 1);
    blocks.push_back({is_advised, test::noisy(ns, 0.02, 5, noise)});
  }
  return blocks;
}

TEST_CASE("what following advice gained is told with its interval") {
  Noise noise(2);
  const auto gain = applied_gain(turns(1 / 1.1, 0, 12, &noise), {});
  REQUIRE(gain);
  CHECK(gain->pairs == 12);
  CHECK(gain->pct == Approx(10).margin(1.5));
  CHECK(gain->interval.low > 7);
  CHECK(gain->interval.high < 13);
  CHECK(gain->own_ns == Approx(1e6).epsilon(0.02));
  CHECK(gain->advised_ns == Approx(1e6 / 1.1).epsilon(0.02));
}

TEST_CASE("a gain of nothing is seldom taken for one, and its interval holds the truth") {
  constexpr int kRounds = 400;
  Noise noise(8);
  int found = 0;
  int held = 0;
  for (int round = 0; round < kRounds; ++round) {
    found += applied_gain(turns(1, 0, 8, &noise), {})->interval.low > 0;
    const Interval interval = applied_gain(turns(0.8, 0, 8, &noise), {})->interval;
    held += interval.low <= 25 && 25 <= interval.high;
  }
  CHECK(found < 0.05 * kRounds);
  CHECK(held > 0.92 * kRounds);
}

TEST_CASE("a machine that becomes slower all the time does not hide a gain") {
  Noise noise(4);
  const auto gain = applied_gain(turns(0.8, 0.002, 40, &noise), {});
  REQUIRE(gain);
  CHECK(gain->interval.low > 22);
  CHECK(gain->interval.high < 28);
}

TEST_CASE("each block is of one pair, and blocks without a neighbour are left out") {
  const auto block = [](bool is_advised, double ns) { return SettingBlock{is_advised, {ns, ns, ns}}; };
  CHECK_FALSE(applied_gain({}, {}));
  CHECK_FALSE(applied_gain({block(false, 10)}, {}));
  CHECK_FALSE(applied_gain({block(false, 10), block(false, 10)}, {}));
  const auto gain =
      applied_gain({block(false, 99), block(false, 10), block(true, 5), block(true, 99), block(false, 198)}, {});
  REQUIRE(gain);
  CHECK(gain->pairs == 2);
  CHECK(gain->pct == Approx(100));
  CHECK_FALSE(is_known(gain->interval));
  CHECK_FALSE(applied_gain({block(false, 10), {true, {}}}, {}));
  CHECK_FALSE(applied_gain({block(false, 0), block(true, 5)}, {}));
}

}  // namespace
}  // namespace xsp::analysis
