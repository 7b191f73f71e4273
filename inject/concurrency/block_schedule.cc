#include "inject/concurrency/block_schedule.h"

namespace xsp::guest {

void BlockSchedule::finish_call(double nanoseconds, bool counts) {
  if (is_harmful_) return;
  ++calls_;
  elapsed_ns_ += nanoseconds;
  if (counts && calls_ > 1) here_.add(nanoseconds);
  if (calls_ >= kLeastCalls && elapsed_ns_ >= kLeastNs) finish_block();
}

void BlockSchedule::finish_block() {
  if (!is_advised()) {
    own_mean_ = here_.mean;
  } else if (here_.count > 0 && own_mean_ > 0) {
    differences_.add(here_.mean - own_mean_);
    is_harmful_ = differences_.count >= kLeastPairs && lies_above_zero(differences_);
  }
  ++finished_;
  calls_ = 0;
  elapsed_ns_ = 0;
  here_ = {};
}

}  // namespace xsp::guest
