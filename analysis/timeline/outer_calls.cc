#include "analysis/timeline/outer_calls.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/timeline/model_spans.h"

namespace xsp::analysis {
namespace {

/// Classes of PyTorch that call replicas of a module on threads of their own, and wait for them.
constexpr std::array<std::string_view, 1> kParallelClasses = {"DataParallel"};

class OuterCalls {
 public:
  OuterCalls(const std::vector<bool>& processes, PhaseNames* names, Parents* parents, Trace* trace)
      : processes_(processes), names_(*names), parents_(*parents), trace_(*trace), spans_(trace->spans) {}

  OwnLayers run() {
    leave_recomputed();
    find_own_layers();
    if (!own_layers_.empty()) move_into_own_layers();
    attach_replicas();
    return std::move(own_layers_);
  }

 private:
  bool is_wanted(Row row) const { return processes_[trace_.process_of(row)]; }

  bool lies_in_backward_work(Row row) {
    Row above = parents_.of[row];
    for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
      if (names_.is_backward(parents_, above)) return true;
    }
    return false;
  }

  void leave_recomputed() {
    if (parents_.forward.empty()) return;
    for (Row row = 0; row < spans_.size(); ++row) {
      const Level level = spans_.level[row];
      if ((level != Level::kModel && level != Level::kLayer) || !is_module(spans_, row) || !is_wanted(row)) continue;
      if (lies_in_backward_work(row)) recomputed_.push_back(row);
    }
    // A module at the level of applications would be a candidate again.
    for (const Row row : recomputed_) {
      spans_.level[row] = Level::kApplication;
      spans_.kind[row] = Kind::kAnnotation;
    }
  }

  void find_own_layers() {
    for (Row row = 0; row < spans_.size(); ++row) {
      const Row model = parents_.of[row];
      if (spans_.level[row] != Level::kLayer || model == kNoRow || spans_.level[model] != Level::kModel) continue;
      if (!is_module(spans_, row) || !is_module(spans_, model) || !is_wanted(row)) continue;
      if (spans_.begin[row] == spans_.begin[model] && spans_.end[row] == spans_.end[model] &&
          spans_.name[row] == spans_.name[model]) {
        own_layers_.emplace(model, row);
      }
    }
  }

  void move_into_own_layers() {
    for (Row row = 0; row < spans_.size(); ++row) {
      const Row model = parents_.of[row];
      if (model == kNoRow || spans_.level[model] != Level::kModel || spans_.level[row] == Level::kDevice) continue;
      const auto found = own_layers_.find(model);
      if (found != own_layers_.end() && found->second != row) parents_.of[row] = found->second;
    }
  }

  bool is_parallel(Row row) {
    if (!is_module(spans_, row)) return false;
    const std::string_view type = trace_.text(spans_.type[row]);
    return std::find(kParallelClasses.begin(), kParallelClasses.end(), type) != kParallelClasses.end();
  }

  void attach_replicas() {
    std::map<uint32_t, std::vector<Row>> parallel;  // by process
    for (Row row = 0; row < spans_.size(); ++row) {
      const bool is_call = spans_.level[row] == Level::kModel || spans_.kind[row] == Kind::kTorchContainer;
      if (is_call && is_wanted(row) && is_parallel(row)) parallel[trace_.process_of(row)].push_back(row);
    }
    if (parallel.empty()) return;
    for (auto& [process, calls] : parallel) {
      std::sort(calls.begin(), calls.end(), [&](Row a, Row b) { return spans_.begin[a] < spans_.begin[b]; });
      std::vector<int64_t>& latest = latest_end_[process];
      for (const Row call : calls) latest.push_back(std::max(latest.empty() ? 0 : latest.back(), spans_.end[call]));
    }
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] != Level::kModel || parents_.of[row] != kNoRow || !is_module(spans_, row)) continue;
      const auto calls = parallel.find(trace_.process_of(row));
      if (calls == parallel.end()) continue;
      const Row call = only_call_around(calls->second, row);
      if (call != kNoRow) parents_.of[row] = call;
    }
  }

  Row only_call_around(const std::vector<Row>& calls, Row row) const {
    Row found = kNoRow;
    const uint32_t thread = trace_.tracks[spans_.track[row]].thread;
    const std::vector<int64_t>& latest = latest_end_.at(trace_.process_of(row));
    const auto later = std::upper_bound(calls.begin(), calls.end(), spans_.begin[row],
                                        [&](int64_t begin, Row call) { return begin < spans_.begin[call]; });
    for (auto i = static_cast<size_t>(later - calls.begin()); i-- > 0 && latest[i] >= spans_.end[row];) {
      const Row call = calls[i];
      if (spans_.end[call] < spans_.end[row] || trace_.tracks[spans_.track[call]].thread == thread) continue;
      if (found != kNoRow) return kNoRow;
      found = call;
    }
    return found;
  }

  const std::vector<bool>& processes_;
  PhaseNames& names_;
  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  std::vector<Row> recomputed_;
  std::map<uint32_t, std::vector<int64_t>> latest_end_;  // by process: of a call of kParallelClasses and those before
  OwnLayers own_layers_;
};

}  // namespace

OwnLayers settle_outer_calls(const std::vector<bool>& processes, PhaseNames* names, Parents* parents, Trace* trace) {
  return OuterCalls(processes, names, parents, trace).run();
}

std::vector<bool> processes_with_operators(const Trace& trace) {
  std::vector<bool> found(trace.processes.size());
  for (Row row = 0; row < trace.spans.size(); ++row) {
    if (trace.spans.kind[row] != Kind::kOperator || trace.spans.level[row] != Level::kApplication) continue;
    const uint32_t process = trace.process_of(row);
    found[process] = trace.segments[trace.processes[process].segment].source.empty();
  }
  return found;
}

}  // namespace xsp::analysis
