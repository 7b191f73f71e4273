#include "analysis/iterations/found_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/execution_order.h"
#include "analysis/iterations/marked_iterations.h"
#include "analysis/iterations/operations.h"
#include "analysis/iterations/repeated_blocks.h"
#include "analysis/iterations/step_marks.h"
#include "analysis/iterations/stream_classes.h"
#include "analysis/iterations/work_beside.h"
#include "analysis/mining/loops.h"
#include "analysis/mining/period_mining.h"
#include "analysis/mining/suffix_tree_mining.h"
#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {
namespace {

/// The operations of main streams. Without a device all are.
struct MainStreams {
  std::vector<uint32_t> operations;  // places in Operations
  std::vector<Symbol> symbols;
};

MainStreams main_streams(const Trace& trace, const Operations& operations, std::vector<std::string>* notes) {
  const bool is_device = operations.source == OperationSource::kDevice;
  std::vector<bool> is_main(trace.queues.size(), !is_device);
  std::string names;
  if (is_device) {
    for (const StreamContents& stream : stream_contents(trace, operations.process)) {
      if (stream.stream_class != StreamClass::kMain) continue;
      is_main[stream.queue] = true;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", trace.queues[stream.queue].stream);
    }
    notes->push_back(names.empty()
                         ? "no stream has kernels, so none is a main stream"
                         : fmt::format("operations of main streams ({}) are searched for repetition, by name", names));
  }
  MainStreams found;
  for (uint32_t i = 0; i < operations.size(); ++i) {
    if (is_device && !is_main[trace.executions.queue[operations.execution(i)]]) continue;
    found.operations.push_back(i);
    found.symbols.push_back(operations.symbols[i]);
  }
  return found;
}

/// The paper's method over operations: those of main streams only. `operations` have symbols by name alone. Ranges of
/// the result are of all operations. Notes say which streams and how each loop was found.
Loops mine_main_streams(const Trace& trace, const Operations& operations, std::vector<uint32_t> counts,
                        std::optional<uint32_t> most_unmatched, std::vector<std::string>* notes) {
  const MainStreams main = main_streams(trace, operations, notes);
  SuffixTreeMiningOptions options{.counts = std::move(counts)};
  options.most_unmatched = most_unmatched;
  std::vector<SuffixTreeMiningFacts> facts;
  Loops loops = mine_by_suffix_tree(main.symbols, options, &facts);
  for (size_t i = 0; i < loops.loops.size(); ++i) {
    Loop& loop = loops.loops[i];
    uint64_t covered = 0;
    for (LoopIteration& iteration : loop.iterations) {
      iteration.end = main.operations[iteration.end - 1] + 1;
      iteration.begin = main.operations[iteration.begin];
      covered += iteration.size();
    }
    if (operations.size() != 0) loop.coverage = static_cast<double>(covered) / static_cast<double>(operations.size());
    if (i < facts.size()) {
      notes->push_back(fmt::format("loop {}: the pattern repeats {} times exactly (epsilon {})", i, facts[i].repeats,
                                   facts[i].epsilon));
    }
  }
  return loops;
}

/// Below this a loop of names and grids gives way to one of names alone that reaches it.
constexpr double kSureConfidence = 0.75;

Loops mine_default(const Trace& trace, const Operations& operations, std::optional<uint32_t> count) {
  IdleTimes idle(trace, operations);
  const MiningInput input{.symbols = operations.symbols,
                          .roles = operations.roles,
                          .idle_before = [&](size_t operation) { return idle.before(operation); },
                          .begin_of = [&](size_t operation) { return trace.spans.begin[operations.row(operation)]; }};
  return mine_periods(input, count);
}

bool is_host_copy(const Operations& operations, size_t operation) {
  const SymbolRole role = operations.roles[operations.symbols[operation]];
  return role == SymbolRole::kToDevice || role == SymbolRole::kToHost;
}

IterationTime time_of(const Trace& trace, const Operations& operations, const LoopIteration& iteration) {
  const SpanTable& spans = trace.spans;
  const auto time = [&](auto&& counts) {
    IterationTime found{.begin = INT64_MAX, .end = INT64_MIN};
    for (size_t i = iteration.begin; i < iteration.end; ++i) {
      if (!counts(i)) continue;
      const Row row = operations.row(i);
      found.begin = std::min(found.begin, spans.begin[row]);
      found.end = std::max(found.end, spans.end[row]);
    }
    return found;
  };
  const IterationTime computing = time([&](size_t i) { return !is_host_copy(operations, i); });
  if (computing.end != INT64_MIN) return computing;
  const IterationTime copying = time([](size_t) { return true; });
  return copying.end == INT64_MIN ? IterationTime{} : copying;
}

std::string source_note(const Operations& operations) {
  switch (operations.source) {
    case OperationSource::kDevice:
      return "operations are the kernels, copies and memsets of all streams, in order of begin";
    case OperationSource::kLayer:
      return "no GPU activity was recorded: operations are the layers of the busiest thread";
    case OperationSource::kLibrary:
      return "neither GPU activity nor layers were recorded: operations are the outermost library calls of the busiest "
             "thread";
    case OperationSource::kNone:
      break;
  }
  return {};
}

/// Says that the count is not the one that was given.
std::string count_note(const Loops& loops, const std::vector<uint32_t>& counts) {
  if (counts.size() != 1 || loops.loops.empty() || loops.loops[0].iterations.size() == counts[0]) return {};
  return std::to_string(counts[0]) + " iterations were asked for, but no loop has that many";
}

std::vector<uint32_t> counts_of_outermost(const Loops& loops) {
  std::vector<uint32_t> counts;
  for (const Loop& loop : loops.loops) {
    if (loop.level == 0) counts.push_back(static_cast<uint32_t>(loop.iterations.size()));
  }
  return counts;
}

void mine_as_in_paper(const Trace& trace, const Evaluations& evaluations, const MiningOptions& options,
                      FoundIterations* found) {
  std::vector<uint32_t> counts = options.counts;
  if (counts.empty()) {
    counts = counts_of_outermost(mine_default(trace, found->operations, std::nullopt));
    if (counts.empty()) {
      found->loops.why_none =
          "the paper's method needs the number of iterations: --iterations N (the default method finds no loop)";
      return;
    }
    found->notes.emplace_back("the number of iterations comes from the default method; to set it: --iterations N");
  }
  found->operations = operations_of(trace, evaluations, found->operations.process, SymbolChoice::kName);
  found->loops = mine_main_streams(trace, found->operations, std::move(counts), options.most_unmatched, &found->notes);
}

/// If inputs of several lengths come in any order, equal iterations have kernels with other grids: names may repeat
/// where names with grids hardly do.
void mine_names_alone(const Trace& trace, const Evaluations& evaluations, std::optional<uint32_t> count,
                      FoundIterations* found) {
  const double confidence = found->loops.loops.empty() ? 0 : found->loops.loops[0].confidence;
  if (found->operations.source != OperationSource::kDevice || confidence >= kSureConfidence) return;
  Operations names = operations_of(trace, evaluations, found->operations.process, SymbolChoice::kName);
  if (names.alphabet.size() == found->operations.alphabet.size()) return;
  Loops loops = mine_default(trace, names, count);
  if (loops.loops.empty() || loops.loops[0].confidence < kSureConfidence || loops.loops[0].coverage < 0.5) return;
  found->operations = std::move(names);
  found->loops = std::move(loops);
  found->notes.emplace_back("matched by kernel names alone: grids differ between iterations");
}

/// By loop: the part of the time in which any operation runs that those of its iterations run in.
std::vector<double> time_coverage(const Trace& trace, const Operations& operations, const Loops& loops) {
  const auto busy_time = [&](UnionLength* busy, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Row row = operations.row(i);
      busy->add(trace.spans.begin[row], trace.spans.end[row]);
    }
  };
  UnionLength all;
  busy_time(&all, 0, operations.size());
  std::vector<double> shares;
  for (const Loop& loop : loops.loops) {
    UnionLength of_loop;
    for (const LoopIteration& iteration : loop.iterations) busy_time(&of_loop, iteration.begin, iteration.end);
    shares.push_back(all.length() > 0 ? static_cast<double>(of_loop.length()) / static_cast<double>(all.length())
                                      : loop.coverage);
  }
  return shares;
}

/// "the loop has 12 % of the operations and 9 % of the device's time; at least half of both is needed".
std::string why_small(const FoundIterations& found, uint32_t loop) {
  constexpr double kHalf = 0.5;
  constexpr double kPct = 100;
  const double operations = found.loops.loops[loop].coverage;
  const double time = found.time_coverage[loop];
  if (operations >= kHalf && time >= kHalf) return {};
  return fmt::format("the loop has only {:.1f} % of the operations and {:.1f} % of their time (half of both is needed)",
                     kPct * operations, kPct * time);
}

}  // namespace

FoundIterations find_iterations(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                uint32_t process, const MiningOptions& options) {
  FoundIterations found{.operations = operations_of(trace, evaluations, process), .method = options.method};
  if (std::string note = source_note(found.operations); !note.empty()) found.notes.push_back(std::move(note));
  if (options.method == MiningMethod::kSuffixTree) {
    mine_as_in_paper(trace, evaluations, options, &found);
  } else {
    const std::optional<uint32_t> count = options.counts.size() == 1 ? std::optional(options.counts[0]) : std::nullopt;
    found.loops = mine_default(trace, found.operations, count);
    mine_names_alone(trace, evaluations, count, &found);
  }
  // After mining, since the marks need the operations that were mined, which mine_names_alone() may have replaced.
  const StepMarks marks = step_marks(trace, parents, evaluations, found.operations);
  // The paper's method, and a given count, ask for what the operations alone say.
  if (options.method == MiningMethod::kPeriods && options.counts.empty()) take_marks(trace, marks, &found);
  if (std::string note = count_note(found.loops, options.counts); !note.empty()) found.notes.push_back(std::move(note));
  for (const Loop& loop : found.loops.loops) {
    std::vector<IterationTime>& times = found.times.emplace_back();
    times.reserve(loop.iterations.size());
    for (const LoopIteration& iteration : loop.iterations) {
      times.push_back(time_of(trace, found.operations, iteration));
    }
    found.inputs.push_back(inputs_of_iterations(evaluations, marks, loop));
    const bool is_marked = found.are_steps || loop.level != 0;
    found.blocks.push_back(is_marked ? std::string() : repeated_block(trace, parents, found.operations, loop));
  }
  // The loops are final now; whether one is what the process does depends on its share of the time.
  found.time_coverage = time_coverage(trace, found.operations, found.loops);
  for (uint32_t i = 0; i < found.loops.loops.size(); ++i) {
    std::string why;
    if (found.loops.loops[i].level == 0) {
      why = why_blocks(trace, marks, found.loops.loops[i]);
      if (why.empty()) why = why_small(found, i);
    }
    found.why_not_steps.push_back(std::move(why));
  }
  if (!found.loops.loops.empty()) found.beside = work_beside(trace, parents, evaluations, found.operations);
  return found;
}

}  // namespace xsp::analysis
