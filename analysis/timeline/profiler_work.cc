#include "analysis/timeline/profiler_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace xsp::analysis {
namespace {

constexpr std::array<std::string_view, 3> kWaits = {"cudaDeviceSynchronize", "hipDeviceSynchronize",
                                                    "cuCtxSynchronize"};

class ProfilerWork {
 public:
  ProfilerWork(const std::vector<ModelSource>& sources, Parents* parents, Trace* trace)
      : parents_(*parents), trace_(*trace), spans_(trace->spans), steps_(sources.size()) {
    for (uint32_t process = 0; process < sources.size(); ++process) {
      const Segment& segment = trace_.segments[trace_.processes[process].segment];
      is_wanted_.push_back(sources[process] == ModelSource::kSteps && segment.source == "kineto");
    }
  }

  void run(std::vector<std::string>* remarks) {
    if (std::find(is_wanted_.begin(), is_wanted_.end(), true) == is_wanted_.end()) return;
    find_steps();
    find_last();
    for (uint32_t process = 0; process < steps_.size(); ++process) {
      std::vector<Step>& steps = steps_[process];
      if (steps.empty() || !ends_with_wait(steps.back())) continue;
      if (std::any_of(steps.begin(), std::prev(steps.end()), [&](const Step& step) { return ends_with_wait(step); })) {
        continue;
      }
      const int64_t ns = leave(steps.back());
      constexpr double kNsPerMs = 1e6;
      (*remarks)[process] += fmt::format(", the last without the profiler's own waiting at its end ({:.4g} ms)",
                                         static_cast<double>(ns) / kNsPerMs);
    }
  }

 private:
  struct Step {
    Row row = kNoRow;
    Row wait = kNoRow;           // the last call that waits in it, and directly in it
    int64_t last = INT64_MIN;    // begin of the last other span in it, of any thread
    int64_t latest = INT64_MIN;  // end of these
  };

  bool is_open_span(Row row) const { return is_wanted_[trace_.process_of(row)] && spans_.level[row] != Level::kDevice; }

  void find_steps() {
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] == Level::kModel && is_open_span(row))
        steps_[trace_.process_of(row)].push_back({.row = row});
    }
    for (auto& steps : steps_) {
      std::sort(steps.begin(), steps.end(),
                [&](const Step& a, const Step& b) { return spans_.begin[a.row] < spans_.begin[b.row]; });
    }
  }

  Step* step_at(Row row) {
    auto& steps = steps_[trace_.process_of(row)];
    const auto later =
        std::upper_bound(steps.begin(), steps.end(), spans_.begin[row],
                         [&](int64_t begin, const Step& step) { return begin < spans_.begin[step.row]; });
    if (later == steps.begin()) return nullptr;
    Step& step = *std::prev(later);
    return step.row != row && spans_.begin[row] < spans_.end[step.row] ? &step : nullptr;
  }

  /// A function of the profiler, which waits for the device when it stops.
  bool is_of_profiler(Row row) const {
    if (spans_.kind[row] != Kind::kPythonFunction) return false;
    const std::string_view name = trace_.text(spans_.name[row]);
    return name.find("torch/profiler/") != std::string_view::npos ||
           name.find("torch/autograd/profiler.py") != std::string_view::npos ||
           name.find("_disable_profiler") != std::string_view::npos;
  }

  bool waits(Row row) const {
    return spans_.level[row] == Level::kRuntime &&
           std::find(kWaits.begin(), kWaits.end(), trace_.text(spans_.name[row])) != kWaits.end();
  }

  /// Whether nothing of the program is around a span but the step and what is around that.
  bool lies_directly(Row row, Row step) const {
    Row above = parents_.of[row];
    for (int depth = 0; above != kNoRow && above != step && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
      if (!is_of_profiler(above)) return false;
    }
    return above == step;
  }

  void find_last() {
    for (Row row = 0; row < spans_.size(); ++row) {
      if (!is_open_span(row) || spans_.level[row] == Level::kModel) continue;
      Step* step = step_at(row);
      if (step == nullptr || is_of_profiler(row)) continue;
      if (waits(row) && lies_directly(row, step->row)) {
        if (step->wait == kNoRow || spans_.begin[step->wait] < spans_.begin[row]) step->wait = row;
        continue;
      }
      step->last = std::max(step->last, spans_.begin[row]);
      step->latest = std::max(step->latest, spans_.end[row]);
    }
  }

  bool ends_with_wait(const Step& step) const {
    return step.wait != kNoRow && step.last < spans_.begin[step.wait] && step.latest <= spans_.begin[step.wait];
  }

  /// Returns by how much the step was shortened.
  int64_t leave(const Step& step) {
    const int64_t end = spans_.begin[step.wait];
    const int64_t shorter = spans_.end[step.row] - end;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (parents_.of[row] == step.row && spans_.begin[row] >= end) parents_.of[row] = parents_.of[step.row];
    }
    spans_.end[step.row] = end;
    return shorter;
  }

  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  std::vector<bool> is_wanted_;           // by process
  std::vector<std::vector<Step>> steps_;  // likewise, in order
};

}  // namespace

void leave_profiler_work(const std::vector<ModelSource>& sources, Parents* parents, Trace* trace,
                         std::vector<std::string>* remarks) {
  ProfilerWork(sources, parents, trace).run(remarks);
}

}  // namespace xsp::analysis
