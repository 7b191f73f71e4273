#include "analysis/iterations/main_streams.h"

#include <fmt/format.h>

#include "analysis/iterations/stream_classes.h"
#include "analysis/mining/suffix_tree_mining.h"

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
    notes->push_back(names.empty() ? "no stream has kernels, so that none is a main stream"
                                   : fmt::format("mined are the operations of main streams ({}), by name", names));
  }
  MainStreams found;
  for (uint32_t i = 0; i < operations.size(); ++i) {
    if (is_device && !is_main[trace.executions.queue[operations.execution(i)]]) continue;
    found.operations.push_back(i);
    found.symbols.push_back(operations.symbols[i]);
  }
  return found;
}

}  // namespace

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

}  // namespace xsp::analysis
