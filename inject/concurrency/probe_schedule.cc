#include "inject/concurrency/probe_schedule.h"

#include <algorithm>

namespace xsp::guest {

void ProbeSchedule::begin(const ProbeOptions& options, LayerCurve* curves, uint32_t capacity) {
  options_ = options;
  if (options_.cores == 0) options_.cores = 1;
  if (options_.validate) options_.interval = 1;
  if (options_.interval == 0) options_.interval = std::max(1U, (options_.cores + 8) / 16);
  curves_ = curves;
  capacity_ = capacity;
  curve_count_ = 1;
  is_done_ = options_.cores == 1;
  stage_ = is_done_ ? 0 : 1;
  turn_ = 0;
  calls_here_ = 0;
  elapsed_ = 0;
}

uint32_t ProbeSchedule::probe(uint32_t index) const {
  return static_cast<uint32_t>(std::min<uint64_t>(1 + uint64_t{index} * options_.interval, options_.cores));
}

uint32_t ProbeSchedule::turns() const {
  return options_.own == probe(stage_) || options_.own == probe(stage_ - 1) ? 2 : 3;
}

uint32_t ProbeSchedule::turn_of(uint32_t turn) const {
  if (turn == 2) return options_.own;
  return probe(turn == 0 ? stage_ - 1 : stage_);
}

void ProbeSchedule::take(double time, bool counts) {
  curves_[0].open_ticks = time;
  for (uint32_t i = 0; i < curve_count_; ++i) {
    LayerCurve& curve = curves_[i];
    const double spent = curve.open_ticks;
    curve.open_ticks = 0;
    if (counts && spent > 0 && turn_ != 2) (turn_ == 0 ? curve.before : curve.here).add(spent);
  }
}

void ProbeSchedule::finish_call(double time, bool counts) {
  if (is_done_) return;
  const bool is_here = turn_ == 1;
  // Of the first stage the smaller number is new, too. Its warm-up is the first call of the stage.
  const bool is_warm_up = calls_here_ == 0 && (is_here || stage_ == 1);
  take(time, counts && !is_warm_up);
  elapsed_ += time;
  if (!counts) return;
  if (is_here) ++calls_here_;
  turn_ = turn_ + 1 < turns() ? turn_ + 1 : 0;
  const uint32_t enough = elapsed_ < options_.stage_time ? kMostCallsOfAProbe : kCallsOfAProbe;
  if (turn_ == 0 && calls_here_ > enough) finish_stage();
}

void ProbeSchedule::finish_stage() {
  bool have_all_stopped = !options_.validate;
  const double least = curves_[0].here.mean * kLeastShare;
  for (uint32_t i = 0; i < curve_count_; ++i) {
    LayerCurve& curve = curves_[i];
    curve.has_stopped = curve.has_stopped || rises(curve.before, curve.here);
    if (!curve.has_stopped && curve.here.mean >= least) have_all_stopped = false;
    curve.before = {};
    curve.here = {};
  }
  is_done_ = have_all_stopped || probe(stage_) == options_.cores;
  if (is_done_) return;
  ++stage_;
  calls_here_ = 0;
  elapsed_ = 0;
}

}  // namespace xsp::guest
