#include "analysis/timeline/training_evaluations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/timeline/model_spans.h"
#include "analysis/timeline/outer_calls.h"

namespace xsp::analysis {
namespace {

/// Backward work or a step of an optimizer, the outermost span of it.
struct Mark {
  int64_t begin = 0;
  int64_t end = 0;
  bool is_step = false;
};

/// An outermost module call, and what belongs to its evaluation.
struct Call {
  Row row = kNoRow;
  int64_t begin = 0;
  int64_t end = 0;             // of the call
  int64_t next = INT64_MAX;    // begin of the next outermost call of its thread
  int64_t work_end = 0;        // of its last mark
  bool has_gradients = false;  // backward work is linked to it
  std::vector<Mark> marks;
  std::vector<int64_t> others;  // begins of what else the program did behind the call

  int64_t evaluation_end() const { return std::max(end, std::min(work_end, next)); }
};

using ThreadKey = std::pair<uint32_t, uint32_t>;  // process and thread

class TrainingEvaluations {
 public:
  TrainingEvaluations(const std::vector<bool>& processes, const OwnLayers& own_layers, PhaseNames* names,
                      Parents* parents, Trace* trace)
      : processes_(processes),
        own_layers_(own_layers),
        names_(*names),
        parents_(*parents),
        trace_(*trace),
        spans_(trace->spans) {}

  PhasesByModel run() {
    find_calls();
    find_marks();
    attach_work();
    leave_losses();
    for (auto& [thread, calls] : calls_) {
      for (Call& call : calls) note_phases(&call);
    }
    return std::move(phases_);
  }

 private:
  bool is_wanted(Row row) const { return processes_[trace_.process_of(row)]; }
  ThreadKey thread_of(Row row) const {
    const Track& track = trace_.tracks[spans_.track[row]];
    return {track.process, track.thread};
  }

  Row outermost_model(Row row) const {
    Row outermost = kNoRow;
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (spans_.level[row] == Level::kModel) outermost = row;
    }
    return outermost;
  }

  bool is_loss(Row model) const {
    const auto own = own_layers_.find(model);
    return own != own_layers_.end() && trace_.text(spans_.type[model]).ends_with("Loss");
  }

  void find_calls() {
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] != Level::kModel || !is_wanted(row)) continue;
      if (!is_module(spans_, row) && spans_.kind[row] != Kind::kOperator) continue;
      if (outermost_model(row) != row) continue;
      calls_[thread_of(row)].push_back({.row = row, .begin = spans_.begin[row], .end = spans_.end[row]});
    }
    for (auto& [thread, calls] : calls_) {
      std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.begin < b.begin; });
      bool follows_model = false;
      std::erase_if(calls, [&](const Call& call) {
        const bool belongs = is_loss(call.row) && follows_model;
        if (belongs) losses_.push_back(call.row);
        follows_model = true;
        return belongs;
      });
      for (size_t i = 0; i + 1 < calls.size(); ++i) calls[i].next = calls[i + 1].begin;
    }
  }

  /// The last call of a thread that begins at or before a time; null when there is none.
  Call* call_before(const ThreadKey& thread, int64_t time) {
    const auto calls = calls_.find(thread);
    if (calls == calls_.end()) return nullptr;
    const auto later = std::upper_bound(calls->second.begin(), calls->second.end(), time,
                                        [](int64_t begin, const Call& call) { return begin < call.begin; });
    return later == calls->second.begin() ? nullptr : &*std::prev(later);
  }

  Call* call_of_model(Row model) {
    Call* call = model == kNoRow ? nullptr : call_before(thread_of(model), spans_.begin[model]);
    return call != nullptr && call->row == model ? call : nullptr;
  }

  /// The only call of the process whose time up to the next one of its thread holds a span of another thread.
  Call* only_call_at(Row row) {
    Call* found = nullptr;
    const uint32_t process = trace_.process_of(row);
    for (auto thread = calls_.lower_bound({process, 0}); thread != calls_.end() && thread->first.first == process;
         ++thread) {
      Call* call = call_before(thread->first, spans_.begin[row]);
      if (call == nullptr) continue;
      if (found != nullptr) return nullptr;
      found = call;
    }
    return found;
  }

  /// Of a span of backward work the outermost around it; kNoRow when it lies in a model's call.
  Row outermost_work(Row row) {
    Row outermost = row;
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (spans_.level[row] == Level::kModel) return kNoRow;
      if (names_.is_backward(parents_, row)) outermost = row;
    }
    return outermost;
  }

  void find_marks() {
    std::vector<std::pair<Row, Row>> linked;  // outermost spans and the models that they lead to
    std::vector<Row> outside;                 // operators in no model, and losses, that gradients are computed of
    for (Row row = 0; row < parents_.forward.size(); ++row) {
      const Row forward = parents_.forward[row];
      if (forward >= kUnknownForward || !is_wanted(row)) continue;
      const Row outermost = outermost_work(row);
      if (outermost == kNoRow) continue;
      const Row model = outermost_model(forward);
      if (model == kNoRow) {
        outside.push_back(outermost_operator(forward));
      } else if (is_loss(model) && call_of_model(model) == nullptr) {
        outside.push_back(model);
      } else {
        linked.emplace_back(outermost, model);
      }
    }
    std::sort(linked.begin(), linked.end());
    for (Row row = 0; row < spans_.size(); ++row) {
      const PhaseName* phase = names_.of(row);
      const bool is_step = phase != nullptr && phase->phase == WorkPhase::kOptimizer;
      if (!is_step && !names_.is_backward(parents_, row)) continue;
      if (!is_wanted(row) || outermost_work(row) != row) continue;
      const auto link = std::lower_bound(linked.begin(), linked.end(), std::pair(row, Row{0}));
      const Row model = link == linked.end() || link->first != row ? kNoRow : link->second;
      add_mark(row, model, is_step);
    }
    for (const Row row : outside) add_loss(row);
  }

  Row outermost_operator(Row row) const {
    Row outermost = row;
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (spans_.kind[row] == Kind::kOperator) outermost = row;
    }
    return outermost;
  }

  /// If a later call of the same step comes before the backward work, an evaluation ends with its losses. After an
  /// optimizer step an operator belongs to what comes next.
  void add_loss(Row row) {
    Call* call = call_before(thread_of(row), spans_.begin[row]);
    if (call == nullptr || !call->marks.empty() || spans_.begin[row] < call->end || spans_.end[row] > call->next)
      return;
    call->has_gradients = true;
    call->work_end = std::max(call->work_end, spans_.end[row]);
  }

  void add_mark(Row row, Row model, bool is_step) {
    Call* linked = call_of_model(model);
    if (linked != nullptr) linked->has_gradients = true;
    const ThreadKey thread = thread_of(row);
    Call* owner = nullptr;
    if (calls_.contains(thread)) {
      owner = call_before(thread, spans_.begin[row]);
    } else if (!is_step) {
      owner = linked != nullptr && spans_.begin[row] < linked->next ? linked : only_call_at(row);
    }
    // A step that calls the model itself (a closure) is around calls and not after one.
    if (owner == nullptr || spans_.begin[row] < owner->end || spans_.begin[row] >= owner->next) return;
    if (calls_.contains(thread) && spans_.end[row] > owner->next) return;
    owner->work_end = std::max(owner->work_end, spans_.end[row]);
    owner->marks.push_back({spans_.begin[row], spans_.end[row], is_step});
  }

  /// Spans behind a call, up to the end of its evaluation, get its model as parent, and the model that end.
  void attach_work() {
    bool any = false;
    for (const auto& [thread, calls] : calls_) {
      any |= std::any_of(calls.begin(), calls.end(), [](const Call& call) { return call.work_end > call.end; });
    }
    if (!any) return;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] == Level::kDevice || !is_wanted(row)) continue;
      const Row parent = parents_.of[row];
      // What lies in a call, or follows one in a span that was attached, has a parent that begins with it or later.
      if (parent != kNoRow && spans_.level[parent] != Level::kApplication) continue;
      Call* call = call_behind(row, parent);
      if (call == nullptr || is_behind(*call, parent)) continue;
      parents_.of[row] = call->row;
      if (names_.of(row) == nullptr && !names_.is_backward(parents_, row)) call->others.push_back(spans_.begin[row]);
    }
  }

  static bool holds(const Call& call, int64_t begin, int64_t end) {
    return begin >= call.end && end <= call.evaluation_end();
  }
  bool is_behind(const Call& call, Row row) const {
    return row != kNoRow && holds(call, spans_.begin[row], spans_.end[row]);
  }

  /// The evaluation in whose time behind the call a span lies.
  Call* call_behind(Row row, Row parent) {
    const ThreadKey thread = thread_of(row);
    Call* call = nullptr;
    if (last_.call != nullptr && last_.thread == thread && last_.call->begin <= spans_.begin[row] &&
        spans_.begin[row] < last_.call->next) {
      call = last_.call;
    } else if (calls_.contains(thread)) {
      call = call_before(thread, spans_.begin[row]);
    } else if (parent == kNoRow && parents_.forward_of(row) == kNoRow) {
      call = only_call_at(row);
      if (call != nullptr && !names_.is_backward(parents_, row)) call = nullptr;
      return call != nullptr && holds(*call, spans_.begin[row], spans_.end[row]) ? call : nullptr;
    }
    last_ = {thread, call};
    return call != nullptr && holds(*call, spans_.begin[row], spans_.end[row]) ? call : nullptr;
  }

  void leave_losses() {
    for (const Row loss : losses_) {
      const Row layer = own_layers_.at(loss);
      spans_.level[loss] = Level::kApplication;
      spans_.kind[loss] = Kind::kTorchContainer;
      if (parents_.of[loss] != kNoRow && spans_.level[parents_.of[loss]] == Level::kModel) continue;
      spans_.kind[loss] = spans_.kind[layer] = Kind::kAnnotation;
      spans_.level[layer] = Level::kApplication;
    }
  }

  void note_phases(Call* call) {
    const bool trains = call->has_gradients || !call->marks.empty();
    // Nothing tells what an unsampled call was.
    if (!trains && spans_.is_shallow(call->row)) return;
    EvaluationPhases& phases = phases_[call->row];
    phases.kinds.mode = trains ? Mode::kTraining : Mode::kInference;
    const int64_t end = call->evaluation_end();
    phases.forward_ns = call->end - call->begin;
    if (!trains) return;
    std::sort(call->marks.begin(), call->marks.end(), [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
    std::sort(call->others.begin(), call->others.end());
    int64_t at = call->end;
    bool is_first = true;
    for (const Mark& mark : call->marks) {
      const int64_t until = std::min(mark.end, end);
      int64_t& own = mark.is_step ? phases.optimizer_ns : phases.backward_ns;
      (mark.is_step ? phases.kinds.has_optimizer : phases.kinds.has_backward) = true;
      if (mark.begin > at) {
        const auto other = std::lower_bound(call->others.begin(), call->others.end(), at);
        const bool goes_forward = !mark.is_step && (is_first || (other != call->others.end() && *other < mark.begin));
        (goes_forward ? phases.forward_ns : own) += mark.begin - at;
        at = mark.begin;
      }
      if (until > at) own += until - at;
      at = std::max(at, until);
      is_first = false;
    }
    if (call->marks.empty()) phases.forward_ns += end - at;
    extend(call->row, end);
  }

  void extend(Row model, int64_t end) {
    spans_.end[model] = end;
    // An annotation around the call alone is not around the evaluation.
    Row& parent = parents_.of[model];
    for (int depth = 0; parent != kNoRow && spans_.end[parent] < end && depth < kMaxDepth; ++depth) {
      parent = parents_.of[parent];
    }
  }

  struct Last {
    ThreadKey thread;
    Call* call = nullptr;
  };

  const std::vector<bool>& processes_;
  const OwnLayers& own_layers_;
  PhaseNames& names_;
  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  std::map<ThreadKey, std::vector<Call>> calls_;
  std::vector<Row> losses_;
  Last last_;
  PhasesByModel phases_;
};

}  // namespace

PhasesByModel find_training_evaluations(const std::vector<bool>& processes, const OwnLayers& own_layers,
                                        PhaseNames* names, Parents* parents, Trace* trace) {
  return TrainingEvaluations(processes, own_layers, names, parents, trace).run();
}

}  // namespace xsp::analysis
