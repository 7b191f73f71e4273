#include "analysis/timeline/step_phases.h"

#include <algorithm>
#include <utility>

namespace xsp::analysis {
namespace {

struct Interval {
  int64_t begin;
  int64_t end;
};

/// Merged intervals in order.
class Union {
 public:
  void add(int64_t begin, int64_t end) { intervals_.push_back({begin, end}); }

  void merge() {
    std::sort(intervals_.begin(), intervals_.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    size_t last = 0;
    for (size_t i = 1; i < intervals_.size(); ++i) {
      if (intervals_[i].begin <= intervals_[last].end) {
        intervals_[last].end = std::max(intervals_[last].end, intervals_[i].end);
      } else {
        intervals_[++last] = intervals_[i];
      }
    }
    if (!intervals_.empty()) intervals_.resize(last + 1);
  }

  /// Those that end behind a time, from the first one on.
  std::vector<Interval>::const_iterator from(int64_t begin) const {
    return std::upper_bound(intervals_.begin(), intervals_.end(), begin,
                            [](int64_t time, const Interval& interval) { return time < interval.end; });
  }
  std::vector<Interval>::const_iterator end() const { return intervals_.end(); }

  int64_t length(int64_t begin, int64_t end) const {
    int64_t sum = 0;
    for (auto at = from(begin); at != intervals_.end() && at->begin < end; ++at) {
      sum += std::min(at->end, end) - std::max(at->begin, begin);
    }
    return sum;
  }

 private:
  std::vector<Interval> intervals_;
};

/// What the host threads of a process did.
struct Work {
  Union backward;
  Union optimizer;              // steps and gradients set to zero
  Union elsewhere;              // these, and waiting for data
  std::vector<int64_t> steps;   // begins of steps of an optimizer
  std::vector<int64_t> linked;  // begins of operators that backward work leads to
};

/// What may be of a forward pass on one thread.
struct Forward {
  std::vector<Interval> operators;  // in order of begin
  std::vector<Interval> modules;
};

void sort_by_begin(std::vector<Interval>* intervals) {
  std::sort(intervals->begin(), intervals->end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
}

class StepPhases {
 public:
  StepPhases(const std::vector<ModelSource>& sources, const Trace& trace, const Parents& parents, PhaseNames* names)
      : trace_(trace), spans_(trace.spans), parents_(parents), names_(*names), wanted_(sources.size()) {
    for (uint32_t process = 0; process < sources.size(); ++process) {
      wanted_[process] = (sources[process] == ModelSource::kSteps || sources[process] == ModelSource::kMatched) &&
                         !trace_.segments[trace_.processes[process].segment].source.empty();
    }
    leave_other_frameworks();
  }

  void run(PhasesByModel* phases) {
    if (std::find(wanted_.begin(), wanted_.end(), true) == wanted_.end()) return;
    collect();
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] == Level::kModel && wanted_[trace_.process_of(row)]) note(row, &(*phases)[row]);
    }
  }

 private:
  /// The rules are those of PyTorch.
  void leave_other_frameworks() {
    std::vector<bool> has_operators(wanted_.size());
    for (Row row = 0; row < spans_.size(); ++row) {
      const uint32_t process = trace_.process_of(row);
      if (spans_.kind[row] != Kind::kOperator || !wanted_[process] || has_operators[process]) continue;
      has_operators[process] = trace_.text(spans_.name[row]).starts_with("aten::");
    }
    for (size_t process = 0; process < wanted_.size(); ++process) {
      wanted_[process] = wanted_[process] && has_operators[process];
    }
  }

  /// Without the engine's wrapper and without a link autograd's nodes are known by their names alone.
  bool is_backward_node(Row row) const {
    if (spans_.kind[row] != Kind::kOperator) return false;
    const std::string_view name = trace_.text(spans_.name[row]);
    const size_t last = name.find_last_not_of("0123456789");
    return name.substr(0, last == std::string_view::npos ? 0 : last + 1).ends_with("Backward");
  }

  bool is_backward(Row row) { return names_.is_backward(parents_, row) || is_backward_node(row); }

  enum class What { kNothing, kBackward, kStep, kZeroGrad, kWaiting };

  What what_is(Row row) {
    if (is_backward(row)) return What::kBackward;
    const PhaseName* phase = names_.of(row);
    if (phase == nullptr) return What::kNothing;
    if (phase->phase == WorkPhase::kOptimizer) return What::kStep;
    if (phase->phase != WorkPhase::kOther) return What::kNothing;
    return phase->type == "Optimizer" ? What::kZeroGrad : What::kWaiting;
  }

  /// An operator or module with nothing but functions, annotations and models around it.
  bool is_outermost(Row row, bool module) {
    Row above = parents_.of[row];
    for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
      if (spans_.level[above] == Level::kModel) return true;
      if (what_is(above) != What::kNothing) return false;
      if (is_module(spans_, above) || (!module && spans_.kind[above] == Kind::kOperator)) return false;
    }
    return true;
  }

  void collect() {
    work_.resize(wanted_.size());
    forward_.resize(trace_.tracks.size());
    for (Row row = 0; row < spans_.size(); ++row) {
      const uint32_t process = trace_.process_of(row);
      if (!wanted_[process] || spans_.level[row] == Level::kDevice || spans_.level[row] == Level::kModel) continue;
      Work& work = work_[process];
      const int64_t begin = spans_.begin[row];
      const int64_t end = spans_.end[row];
      const What what = what_is(row);
      if (what == What::kBackward) {
        work.backward.add(begin, end);
        const Row forward = parents_.forward_of(row);
        if (forward < kUnknownForward) work.linked.push_back(spans_.begin[forward]);
      } else if (what != What::kNothing) {
        if (what != What::kWaiting) work.optimizer.add(begin, end);
        work.elsewhere.add(begin, end);
        if (what == What::kStep) work.steps.push_back(begin);
      } else if (is_module(spans_, row)) {
        if (is_outermost(row, true)) forward_[spans_.track[row]].modules.push_back({begin, end});
      } else if (spans_.kind[row] == Kind::kOperator && is_outermost(row, false)) {
        forward_[spans_.track[row]].operators.push_back({begin, end});
      }
    }
    for (Work& work : work_) {
      work.backward.merge();
      work.optimizer.merge();
      work.elsewhere.merge();
      std::sort(work.steps.begin(), work.steps.end());
      std::sort(work.linked.begin(), work.linked.end());
    }
    for (Forward& forward : forward_) {
      sort_by_begin(&forward.operators);
      sort_by_begin(&forward.modules);
    }
  }

  static bool any_in(const std::vector<int64_t>& times, int64_t begin, int64_t end) {
    const auto at = std::lower_bound(times.begin(), times.end(), begin);
    return at != times.end() && *at < end;
  }

  /// Begin of the first and end of the last that begin in [begin, end); nothing: begin is end.
  static Interval reach(const std::vector<Interval>& of, int64_t begin, int64_t end) {
    const auto is_before = [](const Interval& a, int64_t time) { return a.begin < time; };
    const auto first = std::lower_bound(of.begin(), of.end(), begin, is_before);
    const auto last = std::lower_bound(first, of.end(), end, is_before);
    if (first == last) return {begin, begin};
    return {first->begin, std::min(end, std::prev(last)->end)};
  }

  void note(Row model, EvaluationPhases* phases) {
    const int64_t begin = spans_.begin[model];
    const int64_t end = spans_.end[model];
    const Work& work = work_[trace_.process_of(model)];
    const Forward& forward = forward_[spans_.track[model]];
    phases->backward_ns = work.backward.length(begin, end);
    phases->optimizer_ns = work.optimizer.length(begin, end);
    phases->kinds.has_backward = phases->backward_ns > 0;
    phases->kinds.has_optimizer = any_in(work.steps, begin, end);
    const Interval operators = reach(forward.operators, begin, end);
    const Interval modules = reach(forward.modules, begin, end);
    const bool trains = phases->kinds.has_backward || phases->kinds.has_optimizer || any_in(work.linked, begin, end);
    if (!trains && operators.begin == operators.end && modules.begin == modules.end) return;
    phases->kinds.mode = trains ? Mode::kTraining : Mode::kInference;
    if (!phases->kinds.has_optimizer && !phases->kinds.has_backward) phases->optimizer_ns = 0;

    const std::vector<Interval>& calls = modules.begin < modules.end ? forward.modules : forward.operators;
    int64_t at = begin;
    for (auto backward = work.backward.from(begin); backward != work.backward.end() && backward->begin < end;
         ++backward) {
      const int64_t until = std::max(at, backward->begin);
      if (const Interval found = reach(calls, at, until); found.begin < found.end) {
        phases->forward_ns += until - found.begin - work.elsewhere.length(found.begin, until);
      }
      at = std::min(backward->end, end);
    }
    if (phases->kinds.has_backward) return;
    const auto step = std::lower_bound(work.steps.begin(), work.steps.end(), begin);
    const int64_t until = step == work.steps.end() ? end : std::min(*step, end);
    const Interval calls_there = reach(calls, begin, until);
    const int64_t last = std::max(calls_there.end, reach(forward.operators, begin, until).end);
    if (calls_there.begin < calls_there.end) {
      phases->forward_ns = last - calls_there.begin - work.elsewhere.length(calls_there.begin, last);
    }
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  PhaseNames& names_;
  std::vector<bool> wanted_;      // by process
  std::vector<Work> work_;        // likewise
  std::vector<Forward> forward_;  // by track
};

}  // namespace

void find_step_phases(const std::vector<ModelSource>& sources, const Trace& trace, const Parents& parents,
                      PhaseNames* names, PhasesByModel* phases) {
  StepPhases(sources, trace, parents, names).run(phases);
}

}  // namespace xsp::analysis
