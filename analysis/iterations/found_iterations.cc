#include "analysis/iterations/found_iterations.h"

#include <algorithm>
#include <utility>

#include "analysis/iterations/idle_times.h"
#include "analysis/iterations/main_streams.h"
#include "analysis/mining/period_mining.h"

namespace xsp::analysis {
namespace {

/// Of a loop of names and grids, which need not be told by names alone; and of one that is.
constexpr double kSureConfidence = 0.75;

Loops mine_default(const Trace& trace, const Operations& operations, std::optional<uint32_t> count) {
  IdleTimes idle(trace, operations);
  const MiningInput input{.symbols = operations.symbols,
                          .roles = operations.roles,
                          .idle_before = [&](size_t operation) { return idle.before(operation); }};
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
      return "nothing of a device was recorded: operations are the layers of the busiest thread";
    case OperationSource::kLibrary:
      return "nothing of a device and no layers were recorded: operations are the outermost library calls of the "
             "busiest thread";
    case OperationSource::kNone:
      break;
  }
  return {};
}

/// That the count is another than the one that was given.
std::string count_note(const Loops& loops, const std::vector<uint32_t>& counts) {
  if (counts.size() != 1 || loops.loops.empty() || loops.loops[0].iterations.size() == counts[0]) return {};
  return std::to_string(counts[0]) + " iterations were given, and no loop of that many was found";
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
      found->loops.why_none = "the paper's method needs the count: --iterations N (the default method finds no loop)";
      return;
    }
    found->notes.emplace_back(
        "how many iterations there are is what the default method finds; --iterations N gives it");
  }
  found->operations = operations_of(trace, evaluations, found->operations.process, SymbolChoice::kName);
  found->loops = mine_main_streams(trace, found->operations, std::move(counts), options.most_unmatched, &found->notes);
}

/// Where inputs of several lengths come in any order, equal iterations have kernels of other grids: names may repeat
/// where names and grids hardly do.
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
  found->notes.emplace_back("by the names of kernels alone: their grids are others from iteration to iteration");
}

}  // namespace

FoundIterations find_iterations(const Trace& trace, const Evaluations& evaluations, uint32_t process,
                                const MiningOptions& options) {
  FoundIterations found{.operations = operations_of(trace, evaluations, process), .method = options.method};
  if (std::string note = source_note(found.operations); !note.empty()) found.notes.push_back(std::move(note));
  if (options.method == MiningMethod::kSuffixTree) {
    mine_as_in_paper(trace, evaluations, options, &found);
  } else {
    const std::optional<uint32_t> count = options.counts.size() == 1 ? std::optional(options.counts[0]) : std::nullopt;
    found.loops = mine_default(trace, found.operations, count);
    mine_names_alone(trace, evaluations, count, &found);
  }
  if (std::string note = count_note(found.loops, options.counts); !note.empty()) found.notes.push_back(std::move(note));
  for (const Loop& loop : found.loops.loops) {
    std::vector<IterationTime>& times = found.times.emplace_back();
    times.reserve(loop.iterations.size());
    for (const LoopIteration& iteration : loop.iterations) {
      times.push_back(time_of(trace, found.operations, iteration));
    }
  }
  return found;
}

}  // namespace xsp::analysis
