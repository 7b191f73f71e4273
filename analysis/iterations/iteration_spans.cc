#include "analysis/iterations/iteration_spans.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace xsp::analysis {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// An iteration of level 0. Its number is its place among all, by process and begin.
struct Iteration {
  const FoundIterations* found;
  uint32_t loop;
  const LoopIteration* range;
  IterationTime time;
  // When the host worked for it: from its first launch to the end of its last.
  int64_t host_begin = INT64_MAX;
  int64_t host_end = INT64_MIN;

  uint32_t process() const { return found->operations.process; }
};

bool is_chosen(const FoundIterations& found, uint32_t loop, LoopChoice choice) {
  return found.loops.loops[loop].level == 0 && (choice == LoopChoice::kAll || found.has_steps(loop));
}

std::vector<Iteration> number_iterations(const std::vector<FoundIterations>& found, LoopChoice choice) {
  std::vector<Iteration> all;
  for (const FoundIterations& of_process : found) {
    const std::vector<Loop>& loops = of_process.loops.loops;
    for (uint32_t loop = 0; loop < loops.size(); ++loop) {
      if (!is_chosen(of_process, loop, choice)) continue;
      for (size_t i = 0; i < loops[loop].iterations.size(); ++i) {
        all.push_back({&of_process, loop, &loops[loop].iterations[i], of_process.times[loop][i]});
      }
    }
  }
  const auto place = [](const Iteration& iteration) { return std::pair(iteration.process(), iteration.range->begin); };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return all;
}

class Addition {
 public:
  Addition(const std::vector<FoundIterations>& found, LoopChoice choice, Parents* parents, Trace* trace)
      : choice_(choice),
        parents_(*parents),
        trace_(*trace),
        spans_(trace->spans),
        iterations_(number_iterations(found, choice)),
        first_row_(static_cast<Row>(trace->spans.size())),
        has_iterations_(trace->processes.size()),
        first_(first_row_, kNone),
        last_(first_row_, kNone) {}

  IterationSpans run() {
    IterationSpans added;
    added.of_execution.assign(trace_.executions.size(), kNoRow);
    for (uint32_t number = 0; number < iterations_.size(); ++number) {
      added.rows.push_back(first_row_ + number);
      visit(number, &added.of_execution);
    }
    leave_models();
    order_host_times();
    attach_hosts();
    append_spans();
    return added;
  }

 private:
  void visit(uint32_t number, std::vector<Row>* of_execution) {
    Iteration& iteration = iterations_[number];
    const Operations& operations = iteration.found->operations;
    const bool is_device = operations.source == OperationSource::kDevice;
    has_iterations_[iteration.process()] = true;
    for (size_t i = iteration.range->begin; i < iteration.range->end; ++i) {
      const Row row = operations.row(i);
      if (is_device) (*of_execution)[operations.execution(i)] = first_row_ + number;
      const Row host = is_device ? parents_.of[row] : row;
      if (host == kNoRow) continue;
      iteration.host_begin = std::min(iteration.host_begin, spans_.begin[host]);
      iteration.host_end = std::max(iteration.host_end, spans_.end[host]);
      mark(host, number);
    }
  }

  /// Times by which iterations are searched; where none is known that of the iteration before.
  void order_host_times() {
    for (size_t i = 0; i < iterations_.size(); ++i) {
      Iteration& iteration = iterations_[i];
      const bool is_first = i == 0 || iterations_[i - 1].process() != iteration.process();
      const int64_t before = is_first ? INT64_MIN : iterations_[i - 1].host_begin;
      const bool is_known = iteration.host_begin <= iteration.host_end;
      iteration.host_begin = is_known ? std::max(iteration.host_begin, before) : before;
    }
  }

  /// Marks a span of the host and those around it as having launched work of the iteration. Iterations come in order,
  /// so that each span is marked once an iteration.
  void mark(Row row, uint32_t number) {
    for (int depth = 0; row != kNoRow && last_[row] != number && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (first_[row] == kNone) first_[row] = number;
      last_[row] = number;
    }
  }

  /// Whether a span with launches belongs to one iteration as a whole. A layer or call with operations of two
  /// neighbours belongs to the first, as a cut may go through it; one with more, such as a program's main function, is
  /// around them.
  bool is_whole(Row row) const {
    if (first_[row] == kNone) return false;
    const bool may_be_cut = spans_.level[row] >= Level::kLayer;
    return last_[row] - first_[row] <= (may_be_cut ? 1 : 0);
  }

  bool is_around(Row row) const { return first_[row] != kNone && !is_whole(row); }

  void leave_models() {
    for (Row row = 0; row < first_row_; ++row) {
      if (spans_.level[row] == Level::kModel && has_iterations_[trace_.process_of(row)]) {
        spans_.level[row] = Level::kApplication;
      }
    }
  }

  void attach_hosts() {
    for (Row row = 0; row < first_row_; ++row) {
      if (spans_.level[row] == Level::kDevice || !has_iterations_[trace_.process_of(row)]) continue;
      const Row parent = parents_.of[row];
      if (parent != kNoRow && (parent >= first_row_ || !is_around(parent))) continue;
      const uint32_t number = is_whole(row) ? first_[row] : first_[row] == kNone ? by_time(row) : kNone;
      if (number != kNone) outermost_.emplace_back(row, number);
    }
    // Only now, because the code above uses parents to tell what is outermost.
    for (const auto& [row, number] : outermost_) parents_.of[row] = first_row_ + number;
  }

  /// The iteration during whose launches a span without launches begins.
  uint32_t by_time(Row row) const {
    const std::pair key(trace_.process_of(row), spans_.begin[row]);
    const auto after =
        std::upper_bound(iterations_.begin(), iterations_.end(), key,
                         [](const auto& at, const auto& it) { return at < std::pair(it.process(), it.host_begin); });
    if (after == iterations_.begin()) return kNone;
    const Iteration& before = *(after - 1);
    const bool is_within = before.process() == key.first && key.second <= before.host_end;
    return is_within ? static_cast<uint32_t>(after - 1 - iterations_.begin()) : kNone;
  }

  uint32_t track_of(uint32_t process) {
    uint32_t ring = 0;
    for (const Track& track : trace_.tracks) {
      if (track.process == process) ring = std::max(ring, track.ring + 1);
    }
    trace_.tracks.push_back({.process = process, .thread = 0, .ring = ring});
    return static_cast<uint32_t>(trace_.tracks.size() - 1);
  }

  void append_spans() {
    const size_t rows = first_row_ + iterations_.size();
    spans_.resize(rows);
    parents_.of.resize(rows, kNoRow);
    uint32_t track = 0;
    for (uint32_t number = 0; number < iterations_.size(); ++number) {
      const Iteration& iteration = iterations_[number];
      const Row row = first_row_ + number;
      if (number == 0 || iteration.process() != iterations_[number - 1].process())
        track = track_of(iteration.process());
      spans_.begin[row] = iteration.time.begin;
      spans_.end[row] = iteration.time.end;
      spans_.bytes[row] = SpanTable::kUnknownBytes;
      spans_.name[row] = trace_.strings.intern(name_of(iteration));
      spans_.track[row] = track;
      spans_.level[row] = Level::kModel;
      spans_.kind[row] = kIterationKind;
    }
  }

  std::string name_of(const Iteration& iteration) const {
    const std::vector<Loop>& loops = iteration.found->loops.loops;
    uint32_t chosen = 0;
    for (uint32_t loop = 0; loop < loops.size(); ++loop) chosen += is_chosen(*iteration.found, loop, choice_) ? 1 : 0;
    const std::string of_loop = chosen < 2 ? "" : " of loop " + std::to_string(iteration.loop);
    const bool knows_blocks = iteration.loop < iteration.found->blocks.size();
    const std::string block = knows_blocks ? iteration.found->blocks[iteration.loop] : std::string();
    return (block.empty() ? std::string(iteration.found->noun()) : std::string(kBlockOf) + block) + of_loop + " (" +
           std::to_string(loops[iteration.loop].pattern.size()) + " operations)";
  }

  LoopChoice choice_;
  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  std::vector<Iteration> iterations_;
  Row first_row_;
  std::vector<bool> has_iterations_;  // by process
  std::vector<uint32_t> first_;       // by row: the first iteration that was launched in it; kNone: none was
  std::vector<uint32_t> last_;
  std::vector<std::pair<Row, uint32_t>> outermost_;  // with their iterations
};

}  // namespace

IterationSpans add_iteration_spans(const std::vector<FoundIterations>& found, LoopChoice choice, Parents* parents,
                                   Trace* trace) {
  return Addition(found, choice, parents, trace).run();
}

}  // namespace xsp::analysis
