// How often the default miner finds exactly the loops that sequences were made of. `mining_accuracy --table [SEEDS]`
// prints the table of doc/iterations.md; `--show KIND [SEEDS]` what was found elsewise; without either it is a test: no
// loop where there is none, for many seeds.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/mining/period_mining.h"
#include "test/analysis/mining/generated_sequence.h"

namespace {

using namespace xsp;

constexpr double kRates[] = {0, 0.001, 0.01, 0.05, 0.1, 0.2};

std::vector<size_t> counts(const test::GeneratedSequence& made, uint32_t level) {
  std::vector<size_t> all;
  for (const auto& loop : made.loops) {
    if (loop.level == level) all.push_back(loop.count);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<size_t> counts(const analysis::Loops& found, uint32_t level) {
  std::vector<size_t> all;
  for (const auto& loop : found.loops) {
    if (loop.level == level) all.push_back(loop.iterations.size());
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Whether the loops within are among those found.
bool has_inner(const test::GeneratedSequence& made, const analysis::Loops& found) {
  for (const test::ExpectedLoop& expected : made.loops) {
    const std::vector<size_t> all = counts(found, expected.level);
    if (std::find(all.begin(), all.end(), expected.count) == all.end()) return false;
  }
  return true;
}

bool is_nested(const test::GeneratedSequence& made) {
  return std::any_of(made.loops.begin(), made.loops.end(), [](const auto& loop) { return loop.level > 0; });
}

void show(const std::string& kind, double rate, uint64_t seed, const test::GeneratedSequence& made,
          const analysis::Loops& found) {
  std::printf("%s, %g, seed %d: %zu operations, expected", kind.c_str(), rate, static_cast<int>(seed),
              made.symbols.size());
  for (const auto& loop : made.loops) std::printf(" %u:%u", loop.level, loop.count);
  std::printf("; found");
  for (const auto& loop : found.loops) {
    std::printf(" %u:%zu (%zu operations, from %u, confidence %.2f, coverage %.2f)", loop.level, loop.iterations.size(),
                loop.pattern.size(), loop.iterations.front().begin, loop.confidence, loop.coverage);
  }
  std::printf("\n");
}

void print_row(const std::string& kind, uint32_t seeds, bool is_shown) {
  std::string row = "| " + kind + " |";
  for (const double rate : kRates) {
    uint32_t exact = 0, inner = 0;
    bool nested = false;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto made = test::generate(kind, seed, test::Deviations::mixed(rate));
      const auto found = analysis::mine_periods(made.input());
      const bool is_exact = counts(made, 0) == counts(found, 0);
      nested = nested || is_nested(made);
      exact += is_exact ? 1 : 0;
      inner += is_exact && has_inner(made, found) ? 1 : 0;
      if (is_shown && !(is_exact && has_inner(made, found))) show(kind, rate, seed, made, found);
    }
    char text[48];
    std::snprintf(text, sizeof text, nested ? " %.2f (%.2f) |" : " %.2f |", exact / static_cast<double>(seeds),
                  inner / static_cast<double>(seeds));
    row += text;
  }
  std::printf("%s\n", row.c_str());
  std::fflush(stdout);
}

// How many of the seeds were found to have a loop though they have none.
uint32_t invented(const std::string& kind, uint64_t first, uint32_t seeds, uint32_t operations) {
  uint32_t wrong = 0;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const auto made = test::generate(kind, seed, {}, operations);
    const auto found = analysis::mine_periods(made.input());
    if (found.loops.empty()) continue;
    ++wrong;
    show(kind, 0, seed, made, found);
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "--show") {
    const uint32_t seeds = arguments.size() > 2 ? static_cast<uint32_t>(std::atoi(arguments[2].c_str())) : 10;
    if (arguments.size() > 1) print_row(arguments[1], seeds, true);
    return 0;
  }
  if (!arguments.empty() && arguments[0] == "--table") {
    const uint32_t seeds = arguments.size() > 1 ? static_cast<uint32_t>(std::atoi(arguments[1].c_str())) : 20;
    std::printf("| sequence | 0 %% | 0.1 %% | 1 %% | 5 %% | 10 %% | 20 %% |\n|---|---|---|---|---|---|---|\n");
    for (const std::string& kind : test::looping_kinds()) print_row(kind, seeds, false);
    return 0;
  }
  uint32_t wrong = 0;
  for (const std::string& kind : test::loopless_kinds())
    wrong += invented(kind, 1, 150, 500) + invented(kind, 200, 20, 8000);
  std::printf("%u loops invented\n", wrong);
  return wrong == 0 ? 0 : 1;
}
