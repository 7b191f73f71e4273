#include "analysis/timeline/mxnet_steps.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/timeline/phased_work.h"

namespace xsp::analysis {
namespace {

struct Step {
  std::vector<Row> calls;  // in order of their begins, the backward ones last
  Row model = kNoRow;
  int64_t begin = 0;
  int64_t end = 0;
  Row next = kNoRow;  // the next call of the process
  int64_t backward_begin = INT64_MAX;
  std::vector<PhasedWork> work;
  size_t updates = 0;
};

class MxnetSteps {
 public:
  MxnetSteps(Parents* parents, Trace* trace, PhasesByModel* phases)
      : parents_(*parents), trace_(*trace), spans_(trace->spans), phases_(*phases) {}

  void run() {
    find_calls();
    for (auto& [process, calls] : calls_) find_steps(process, calls);
    if (steps_.empty()) return;
    find_work();
    find_updates();
    for (auto& [process, steps] : steps_) {
      if (is_cut_off(steps)) {
        leave(steps.back());
        steps.pop_back();
      }
      int64_t before = INT64_MIN;
      for (Step& step : steps) {
        // What was pushed while the step before still ran has waited for it.
        step.begin = std::min(std::max(step.begin, before), step.end);
        before = step.end;
        join(&step);
      }
    }
    note_inference();
  }

 private:
  void find_calls() {
    const uint32_t mxnet = trace_.strings.intern("MXNet");
    training_ = trace_.strings.intern("MXNet training");
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.kind[row] != Kind::kRun || (spans_.type[row] != mxnet && spans_.type[row] != training_)) continue;
      calls_[trace_.process_of(row)].push_back(row);
      times_[{trace_.process_of(row), spans_.name[row]}] += spans_.duration(row);
    }
    for (auto& [process, calls] : calls_) {
      std::stable_sort(calls.begin(), calls.end(), [&](Row a, Row b) { return spans_.begin[a] < spans_.begin[b]; });
    }
  }

  bool trains(Row call) const { return spans_.type[call] == training_; }
  bool is_backward(Row call) const {
    const std::string_view name = trace_.text(spans_.name[call]);
    return name == "backward" || name.ends_with(" (backward)");
  }

  void find_steps(uint32_t process, const std::vector<Row>& calls) {
    Step step;
    for (size_t i = 0; i < calls.size(); ++i) {
      if (!trains(calls[i])) {
        step = {};
        continue;
      }
      step.calls.push_back(calls[i]);
      const bool goes_on = i + 1 < calls.size() && is_backward(calls[i + 1]);
      if (!is_backward(calls[i]) || goes_on) continue;
      step.next = i + 1 < calls.size() ? calls[i + 1] : kNoRow;
      if (choose_model(process, &step)) steps_[process].push_back(step);
      step = {};
    }
  }

  /// False for a backward call of nothing that was recorded.
  bool choose_model(uint32_t process, Step* step) const {
    int64_t most = -1;
    for (const Row call : step->calls) {
      step->end = std::max(step->end, spans_.end[call]);
      const int64_t time = times_.at({process, spans_.name[call]});
      if (is_backward(call) || time <= most) continue;
      most = time;
      step->model = call;
    }
    step->begin = spans_.begin[step->calls.front()];
    return step->model != kNoRow;
  }

  bool is_update(Row row) const {
    const std::string_view type = trace_.text(spans_.type[row]);
    return type.ends_with("_update") || type.find("_update_") != std::string_view::npos;
  }

  /// Operators of the steps' calls.
  void find_work() {
    if (steps_.empty()) return;
    std::unordered_map<Row, Step*> of_call;
    for (auto& [process, steps] : steps_) {
      for (Step& step : steps) {
        for (const Row call : step.calls) of_call[call] = &step;
      }
    }
    for (Row row = 0; row < spans_.size(); ++row) {
      const Row parent = parents_.of[row];
      if (spans_.kind[row] != Kind::kOperator || parent == kNoRow) continue;
      const auto called = of_call.find(parent);
      if (called == of_call.end()) continue;
      Step& step = *called->second;
      step.work.push_back({row, is_backward(parent) ? StepPhase::kBackward : StepPhase::kForward});
      // The gradients that it begins with depend on nothing, and may be made at any time.
      if (is_backward(parent) && trace_.text(spans_.type[row]).starts_with("_backward_")) {
        step.backward_begin = std::min(step.backward_begin, spans_.begin[row]);
      }
    }
  }

  /// The engine may run updates when the program has begun the next call already: they belong to the step whose
  /// backward work began last before.
  void find_updates() {
    if (steps_.empty()) return;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.kind[row] != Kind::kOperator || parents_.of[row] != kNoRow || !is_update(row)) continue;
      const auto steps = steps_.find(trace_.process_of(row));
      if (steps == steps_.end()) continue;
      const auto later = std::upper_bound(steps->second.begin(), steps->second.end(), spans_.begin[row],
                                          [](int64_t time, const Step& step) { return time < step.backward_begin; });
      if (later == steps->second.begin()) continue;
      Step& step = *std::prev(later);
      step.work.push_back({row, StepPhase::kOptimizer});
      ++step.updates;
      step.end = std::max(step.end, spans_.end[row]);
    }
  }

  /// A program that ends without waiting never runs the last of what it has pushed: its last step is none.
  bool is_cut_off(const std::vector<Step>& steps) const {
    if (steps.size() < 2) return false;
    const Step& last = steps.back();
    const Step& before = steps[steps.size() - 2];
    return last.next == kNoRow && last.updates < before.updates;
  }

  void leave(const Step& step) {
    for (const Row call : step.calls) demote(call);
    for (const PhasedWork& work : step.work) spans_.level[work.row] = Level::kApplication;
  }

  void demote(Row call) {
    spans_.kind[call] = Kind::kAnnotation;
    spans_.level[call] = Level::kApplication;
  }

  void join(Step* step) {
    for (const Row call : step->calls) {
      if (call != step->model) demote(call);
    }
    spans_.begin[step->model] = step->begin;
    spans_.end[step->model] = step->end;
    for (const PhasedWork& work : step->work) {
      parents_.of[work.row] = step->model;
      spans_.level[work.row] = Level::kLayer;
    }
    phases_[step->model] = phases_of_work(spans_, step->begin, step->end, &step->work);
  }

  /// Calls outside of steps: training is told from inference where both are there.
  void note_inference() {
    for (const auto& [process, calls] : calls_) {
      for (const Row call : calls) {
        if (spans_.level[call] != Level::kModel || phases_.contains(call) || trains(call)) continue;
        phases_[call].kinds.mode = Mode::kInference;
        phases_[call].forward_ns = spans_.duration(call);
      }
    }
  }

  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  PhasesByModel& phases_;
  uint32_t training_ = 0;
  std::map<uint32_t, std::vector<Row>> calls_;              // by process
  std::map<std::pair<uint32_t, uint32_t>, int64_t> times_;  // by process and name
  std::map<uint32_t, std::vector<Step>> steps_;             // by process, in order
};

}  // namespace

void join_mxnet_steps(Parents* parents, Trace* trace, PhasesByModel* phases) {
  MxnetSteps(parents, trace, phases).run();
}

}  // namespace xsp::analysis
