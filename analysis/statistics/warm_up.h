#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace xsp::analysis {

/// How many leading values are warm-up: 0 of one or two values; else at least the first, and as many behind it as are
/// slower than what the second half of the values says, without a gap, at most half of all. doc/experiments.md has the
/// rule and why.
size_t warm_up_length(std::span<const double> latencies);

/// Of one run: how many leading evaluations were left out, of how many.
struct LeftOut {
  size_t count = 0;
  size_t of = 0;
};

/// "the first 3 of 50", "the first of run 1, the first 4 of run 2".
std::string left_out_text(std::span<const LeftOut> runs);

/// For the notes of tables: "warm-up left out: the first of run 1, the first 4 of run 2". `found`: warm_up_length told
/// the counts, not the user. Empty when nothing was left out.
std::string warm_up_note(std::span<const LeftOut> runs, bool found = true);

}  // namespace xsp::analysis
