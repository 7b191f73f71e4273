#pragma once

#include <cstdint>

namespace xsp::guest {

/// How many model calls come to one that is recorded in full, so that recording costs no more than a share of the time
/// (XSP_SAMPLE=auto). Judges by whole cycles: as many calls as come to a sampled one, at least a second of them, but no
/// longer than a minute.
class SampleRate {
 public:
  static constexpr uint32_t kLargest = 65536;
  static constexpr uint32_t kFirst = 8;
  static constexpr uint32_t kLeast = 2;  // calls that are not sampled are what sampled ones are compared to

  /// `budget`: the share, above 0.
  explicit SampleRate(double budget) : budget_(budget) {}

  /// What a time has cost, in seconds. `unsampled`: outside of what is sampled, which no rate makes less.
  struct Interval {
    double length = 0;
    double sampled = 0;
    double unsampled = 0;
    uint64_t calls = 0;
    uint64_t busiest_calls = 0;  // of the thread that made most of them
    double ratio = 0;            // by which a sampled call is longer than others (CallCosts), 0: not known
  };
  void add(const Interval& interval);

  uint32_t every() const { return every_; }
  /// Of calls that are not sampled, one in so many may have a span.
  uint32_t shallow_every() const { return shallow_every_; }
  /// Of a program without model calls: whether it has cost more than it may so far.
  bool is_overdrawn() const { return debt_ > 0; }

 private:
  double budget_;
  uint32_t every_ = kFirst;
  uint32_t shallow_every_ = 1;
  double debt_ = 0;  // seconds until the cost is within the budget again
  Interval cycle_;
};

}  // namespace xsp::guest
