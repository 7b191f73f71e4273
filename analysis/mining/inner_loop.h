#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// Repeats within a pattern.
struct InnerLoop {
  std::vector<Symbol> outer;     // the pattern, turned so that it begins with the longest stretch of repeats
  std::vector<Symbol> pattern;   // of the inner loop
  std::vector<Symbol> addition;  // operations of the outer pattern that are in no repeat
  uint32_t count = 0;            // of repeats in the outer pattern
  uint32_t longest_run = 0;      // of operations of the addition in one piece
};

/// The loop in a pattern that covers the most of it; nothing where there is none of at least two repeats.
std::optional<InnerLoop> find_inner_loop(const std::vector<Symbol>& pattern);

/// How a loop around another is to be read.
enum class Nesting : uint8_t {
  kSame,         // the outer pattern is the inner one several times, the addition a log line or a statistic
  kOuter,        // the outer one is the iteration, the inner one its part
  kAlternating,  // what is added is a loop too: phases
};

/// Whether repeats begin after pauses, as steps do and layers do not.
enum class Pauses : uint8_t { kUnknown, kNo, kYes };

/// Of the repeats of `pattern` in the range, by a sample of them.
Pauses pauses_before(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, OperationRange range,
                     const std::function<int64_t(size_t)>& idle_before);

/// What makes the difference is in the addition: an update of weights, input for the device, copies to the host.
/// `pauses`: before the inner repeats.
Nesting judge_nesting(const InnerLoop& inner, std::span<const SymbolRole> roles, Pauses pauses);

}  // namespace xsp::analysis
