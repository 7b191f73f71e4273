#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace xsp::analysis {

/// What is repeated: operations with the same symbol are the same operation. Dense, from 0.
using Symbol = uint32_t;

/// What is known of a symbol beside that it equals itself. It decides only what structure cannot: whether what stands
/// between repeats makes them one larger iteration (an optimizer step after micro-batches) or not (a log line).
enum class SymbolRole : uint8_t {
  kWork,       // a kernel, a layer, a call
  kToDevice,   // copy, host to device
  kToHost,     // copy, device to host
  kMovement,   // other copies, memsets
  kOptimizer,  // an update of weights, by its name
};

/// A recorded sequence of operations as miners read it.
struct MiningInput {
  std::span<const Symbol> symbols;    // in order of begin; at most 2^32 - 2
  std::span<const SymbolRole> roles;  // by symbol: its size is the size of the alphabet
  /// Time in ns in which nothing ran before operation i; null: not known. An iteration begins at the phase with the
  /// largest mean.
  std::function<int64_t(size_t)> idle_before;
  /// When operation i begins, ns; null: not known. Tells what part of a period a pause is.
  std::function<int64_t(size_t)> begin_of = nullptr;
};

/// Operations [begin, end) of the sequence, which are one repeat.
struct LoopIteration {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t inserted = 0;  // operations that the pattern has not
  uint32_t missing = 0;   // operations of the pattern that are not there

  uint32_t size() const { return end - begin; }
  uint32_t deviations() const { return inserted + missing; }
};

inline constexpr uint32_t kNoLoop = UINT32_MAX;

struct Loop {
  std::vector<Symbol> pattern;
  std::vector<LoopIteration> iterations;  // in order, without overlap; not all adjacent
  uint32_t level = 0;                     // 0: the outermost
  uint32_t parent = kNoLoop;              // index in Loops::loops of the loop whose iterations these lie in
  double confidence = 0;                  // 0 to 1, see doc/iterations.md
  double coverage = 0;                    // of level 0: share of all operations in its iterations; else of the parent's
  bool is_cut_at_begin = false;           // the sequence begins within an iteration that is not among `iterations`
  bool is_cut_at_end = false;             // likewise
};

/// What was found. Loops of level 0 may be several: training and evaluation, or one loop after another. Ordered by
/// level, then by their operations, the most first.
struct Loops {
  std::vector<Loop> loops;
  std::string why_none;  // where `loops` is empty: a clause for people, "no sequence of operations repeats"
};

}  // namespace xsp::analysis
