#include "analysis/mining/period_mining.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/mining/alignment.h"
#include "test/analysis/mining/generated_sequence.h"
#include "test/catch.h"

namespace {

using namespace xsp;
using analysis::Loop;
using analysis::Loops;
using analysis::Symbol;
using analysis::SymbolRole;

Loops mine(const std::vector<Symbol>& symbols) {
  Symbol most = 0;
  for (const Symbol symbol : symbols) most = std::max(most, symbol);
  const std::vector<SymbolRole> roles(most + 1, SymbolRole::kWork);
  return analysis::mine_periods({symbols, roles, nullptr});
}

std::vector<Symbol> ascending(uint32_t size, Symbol first = 0) {
  std::vector<Symbol> made(size);
  for (uint32_t i = 0; i < size; ++i) made[i] = first + i;
  return made;
}

std::vector<Symbol> repeated(const std::vector<Symbol>& once, uint32_t count) {
  std::vector<Symbol> made;
  for (uint32_t i = 0; i < count; ++i) made.insert(made.end(), once.begin(), once.end());
  return made;
}

// What holds of every answer.
void check_sound(const test::GeneratedSequence& made, const Loops& found) {
  CHECK(found.loops.empty() == !found.why_none.empty());
  for (const Loop& loop : found.loops) {
    CHECK(loop.iterations.size() >= 2);
    CHECK(loop.confidence >= 0);
    CHECK(loop.confidence <= 1);
    CHECK(loop.coverage <= 1.0001);
    uint32_t end = 0;
    for (const analysis::LoopIteration& iteration : loop.iterations) {
      CHECK(iteration.begin >= end);
      CHECK(iteration.end > iteration.begin);
      end = iteration.end;
    }
    CHECK(end <= made.symbols.size());
    if (loop.parent != analysis::kNoLoop) CHECK(found.loops.at(loop.parent).level + 1 == loop.level);
  }
}

uint32_t share_exact(const std::string& kind, double rate, uint32_t seeds) {
  uint32_t exact = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto made = test::generate(kind, seed, test::Deviations::mixed(rate));
    const Loops found = analysis::mine_periods(made.input());
    check_sound(made, found);
    std::vector<size_t> expected, counts;
    for (const auto& loop : made.loops) {
      if (loop.level == 0) expected.push_back(loop.count);
    }
    for (const Loop& loop : found.loops) {
      if (loop.level == 0) counts.push_back(loop.iterations.size());
    }
    std::sort(expected.begin(), expected.end());
    std::sort(counts.begin(), counts.end());
    if (counts == expected) ++exact;
  }
  return exact * 100 / seeds;
}

TEST_CASE("Nothing, one, two and equal operations are no loop") {
  for (const auto& symbols : {std::vector<Symbol>{}, std::vector<Symbol>{0}, std::vector<Symbol>{0, 1},
                              std::vector<Symbol>(1000, 0), ascending(1000)}) {
    const Loops found = mine(symbols);
    CHECK(found.loops.empty());
    CHECK_FALSE(found.why_none.empty());
  }
}

TEST_CASE("Exact repeats are counted, whatever the period") {
  for (const uint32_t period : {2u, 3u, 5u, 17u, 100u, 1000u, 20000u}) {
    const Loops found = mine(repeated(ascending(period), 12));
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].pattern.size() == period);
    CHECK(found.loops[0].iterations.size() == 12);
    CHECK(found.loops[0].confidence > 0.99);
    CHECK(found.loops[0].coverage == 1.0);
  }
}

TEST_CASE("Two repeats are a loop of low confidence") {
  const Loops found = mine(repeated(ascending(60), 2));
  REQUIRE(found.loops.size() == 1);
  CHECK(found.loops[0].iterations.size() == 2);
  CHECK(found.loops[0].confidence <= 0.5);
}

TEST_CASE("An iteration that the recording cuts is not counted") {
  std::vector<Symbol> symbols = repeated(ascending(50), 10);
  symbols.resize(symbols.size() - 7);
  const Loops found = mine(symbols);
  REQUIRE(found.loops.size() == 1);
  CHECK(found.loops[0].iterations.size() == 9);
  CHECK(found.loops[0].is_cut_at_end);
  CHECK_FALSE(found.loops[0].is_cut_at_begin);
}

// `periods` periods of 50 operations, from the operation at `begin` of the first, `extra` more behind them. A pause of
// `pause` before the operation at `paused` of each; operations themselves take 100.
Loops mine_cut(uint32_t begin, uint32_t periods, uint32_t extra, uint32_t paused, int64_t pause) {
  constexpr uint32_t kSize = 50;
  std::vector<Symbol> symbols;
  std::vector<int64_t> idle, begins;
  int64_t at = 0;
  for (uint32_t i = begin; i < begin + periods * kSize + extra; ++i) {
    symbols.push_back(i % kSize);
    idle.push_back(i % kSize == paused ? pause : 10);
    at += idle.back();
    begins.push_back(at);
    at += 100;
  }
  const std::vector<SymbolRole> roles(kSize, SymbolRole::kWork);
  return analysis::mine_periods(
      {symbols, roles, [&](size_t i) { return idle[i]; }, [&](size_t i) { return begins[i]; }});
}

TEST_CASE("An iteration begins behind the longest pause that costs no iteration") {
  const Loops found = mine_cut(30, 9, 20, 40, 3000);
  REQUIRE(found.loops.size() == 1);
  REQUIRE(found.loops[0].iterations.size() == 9);
  CHECK(found.loops[0].iterations.front().begin == 10);
  CHECK(found.loops[0].is_cut_at_begin);
  CHECK(found.loops[0].is_cut_at_end);
}

TEST_CASE("A recording has as many iterations as whole periods, wherever it was cut") {
  for (const uint32_t periods : {2u, 3u, 5u, 12u}) {
    for (uint32_t begin = 0; begin < 50; begin += 7) {
      for (const uint32_t extra : {0u, 1u, 13u, 30u, 49u}) {
        for (const int64_t pause : {10, 1000, 5000}) {
          INFO(periods << " periods from " << begin << ", " << extra << " more, pause " << pause);
          const Loops found = mine_cut(begin, periods, extra, 20, pause);
          REQUIRE(found.loops.size() == 1);
          CHECK(found.loops[0].pattern.size() == 50);
          CHECK(found.loops[0].iterations.size() == periods);
        }
      }
    }
  }
}

TEST_CASE("A pause that takes most of every period is between iterations, whatever that costs") {
  // Bursts: the first and the last are cut, and what is left of them is more than one together.
  const Loops found = mine_cut(10, 9, 5, 0, 40'000);
  REQUIRE(found.loops.size() == 1);
  CHECK(found.loops[0].iterations.size() == 8);
  CHECK(found.loops[0].iterations.front().begin == 40);
  // Where nothing more than whole periods was recorded it is within.
  const Loops whole = mine_cut(10, 9, 0, 0, 40'000);
  REQUIRE(whole.loops.size() == 1);
  CHECK(whole.loops[0].iterations.size() == 9);
}

TEST_CASE("Input that is copied before an iteration is its own, whichever side of the pause it is on") {
  std::vector<Symbol> symbols;
  for (uint32_t i = 0; i < 10; ++i) {
    for (Symbol symbol = 0; symbol < 30; ++symbol) symbols.push_back(symbol);
  }
  std::vector<SymbolRole> roles(30, SymbolRole::kWork);
  roles[0] = roles[1] = SymbolRole::kToDevice;
  const Loops found = analysis::mine_periods({symbols, roles, [](size_t i) { return i % 30 == 2 ? 9000 : 10; }});
  REQUIRE(found.loops.size() == 1);
  REQUIRE(found.loops[0].iterations.size() == 10);
  CHECK(found.loops[0].iterations.front().begin == 0);
  CHECK(found.loops[0].pattern.front() == 0);
}

TEST_CASE("A line of a log is a deviation of its iteration") {
  std::vector<Symbol> symbols;
  const std::vector<Symbol> line{100, 101, 102, 103};
  for (uint32_t i = 0; i < 40; ++i) {
    const std::vector<Symbol> once = ascending(80);
    symbols.insert(symbols.end(), once.begin(), once.begin() + 50);
    if (i % 10 == 3) symbols.insert(symbols.end(), line.begin(), line.end());
    symbols.insert(symbols.end(), once.begin() + 50, once.end());
  }
  std::vector<SymbolRole> roles(104, SymbolRole::kWork);
  roles[101] = SymbolRole::kToHost;
  const Loops found = analysis::mine_periods({symbols, roles, nullptr});
  REQUIRE(found.loops.size() == 1);
  REQUIRE(found.loops[0].iterations.size() == 40);
  for (uint32_t i = 0; i < 40; ++i) {
    CHECK(found.loops[0].iterations[i].inserted == (i % 10 == 3 ? 4 : 0));
    CHECK(found.loops[0].iterations[i].missing == 0);
  }
}

TEST_CASE("What updates weights makes micro-batches parts of a step") {
  std::vector<Symbol> symbols;
  for (uint32_t step = 0; step < 6; ++step) {
    for (uint32_t batch = 0; batch < 8; ++batch) {
      const std::vector<Symbol> once = ascending(200);
      symbols.insert(symbols.end(), once.begin(), once.end());
    }
    symbols.push_back(200);
  }
  std::vector<SymbolRole> roles(201, SymbolRole::kWork);
  roles[200] = SymbolRole::kOptimizer;
  const Loops found = analysis::mine_periods({symbols, roles, nullptr});
  REQUIRE(found.loops.size() == 2);
  CHECK(found.loops[0].level == 0);
  CHECK(found.loops[0].iterations.size() == 6);
  CHECK(found.loops[1].level == 1);
  CHECK(found.loops[1].parent == 0);
  CHECK(found.loops[1].iterations.size() == 48);
}

TEST_CASE("A known count chooses between the step and its micro-batches") {
  std::vector<Symbol> symbols;
  for (uint32_t step = 0; step < 16; ++step) {
    for (uint32_t batch = 0; batch < 4; ++batch) {
      const std::vector<Symbol> once = ascending(25);
      symbols.insert(symbols.end(), once.begin(), once.end());
    }
    for (Symbol update = 25; update < 30; ++update) symbols.push_back(update);
  }
  const std::vector<SymbolRole> roles(30, SymbolRole::kWork);
  const auto outermost = [&](std::optional<uint32_t> count) {
    const Loops found = analysis::mine_periods({symbols, roles, nullptr}, count);
    return found.loops.empty() ? 0 : found.loops[0].iterations.size();
  };
  CHECK(outermost({}) == 16);
  CHECK(outermost(16) == 16);
  CHECK(outermost(64) == 64);
  CHECK(outermost(11) == 16);  // what is not there is not found
}

TEST_CASE("A step is found whichever part of it repeats most") {
  for (const uint32_t steps : {8u, 16u, 40u}) {
    std::vector<Symbol> symbols;
    for (uint32_t step = 0; step < steps; ++step) {
      for (uint32_t layer = 0; layer < 3; ++layer) {
        for (Symbol symbol = 0; symbol < 4; ++symbol) symbols.push_back(symbol);
      }
      symbols.push_back(4);
    }
    INFO(steps);
    const Loops found = mine(symbols);
    REQUIRE_FALSE(found.loops.empty());
    CHECK(found.loops[0].iterations.size() == steps);
    CHECK(found.loops[0].pattern.size() == 13);
  }
}

TEST_CASE("Why there is no loop is said") {
  CHECK(mine(std::vector<Symbol>(1000, 0)).why_none == "all operations are the same");
  CHECK(mine(ascending(1000)).why_none == "no sequence of operations repeats");
  std::vector<Symbol> symbols = ascending(2000, 40);
  const std::vector<Symbol> few = repeated(ascending(40), 4);
  symbols.insert(symbols.begin() + 500, few.begin(), few.end());
  CHECK(mine(symbols).why_none == "what repeats most, 40 operations, covers only 7.4 % of all");
}

TEST_CASE("Deviations are those of the longest common subsequence where they are few") {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const auto made = test::generate("exact", seed, test::Deviations::mixed(0.01));
    const Loops found = analysis::mine_periods(made.input_without_idle());
    REQUIRE(found.loops.size() >= 1);
    const Loop& loop = found.loops[0];
    uint64_t counted = 0, exact = 0;
    for (const auto& iteration : loop.iterations) {
      const auto distance =
          analysis::edit_distance(std::span(made.symbols).subspan(iteration.begin, iteration.size()), loop.pattern, 64);
      if (!distance) continue;
      counted += iteration.deviations();
      exact += *distance;
      CHECK(iteration.deviations() == *distance);
    }
    CHECK(counted == exact);
  }
}

TEST_CASE("Generated loops are found with their exact counts") {
  for (const char* kind : {"exact", "long", "line-10", "line-7-within", "layers", "by-turns", "growing", "runs"}) {
    INFO(kind);
    CHECK(share_exact(kind, 0.01, 8) >= 87);
  }
}

TEST_CASE("Training and evaluation by turns are two loops") {
  CHECK(share_exact("train-eval-prefix", 0, 6) >= 80);
  CHECK(share_exact("train-eval-other", 0, 6) >= 80);
}

TEST_CASE("Evaluations that begin as the training step behind them keep all their iterations") {
  struct Epochs {
    uint32_t step, evaluation, epochs, steps, evaluations;
  };
  for (const Epochs& epochs : {Epochs{88, 47, 4, 20, 7}, Epochs{100, 60, 5, 11, 4}, Epochs{48, 29, 3, 19, 5}}) {
    INFO(epochs.step);
    std::vector<Symbol> epoch = repeated(ascending(epochs.step), epochs.steps);
    const std::vector<Symbol> evaluations = repeated(ascending(epochs.evaluation), epochs.evaluations);
    epoch.insert(epoch.end(), evaluations.begin(), evaluations.end());
    const Loops found = mine(repeated(epoch, epochs.epochs));
    REQUIRE(found.loops.size() == 2);
    CHECK(found.loops[0].iterations.size() == epochs.epochs * epochs.steps);
    CHECK(found.loops[1].iterations.size() == epochs.epochs * epochs.evaluations);
  }
}

TEST_CASE("Where nothing repeats no loop is invented") {
  for (const std::string& kind : test::loopless_kinds()) {
    for (uint64_t seed = 1000; seed < 1040; ++seed) {
      INFO(kind << " " << seed);
      CHECK(analysis::mine_periods(test::generate(kind, seed, {}, 3000).input()).loops.empty());
    }
  }
}

}  // namespace
