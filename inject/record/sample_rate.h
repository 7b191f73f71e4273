#pragma once

#include <cstdint>

namespace xsp::guest {

/// Chooses how many model calls there are to one that is recorded in full, so that recording costs no more than a share
/// of the time (XSP_SAMPLE=auto). It judges whole cycles: as many calls as there are to a sampled one, and such a one
/// among them, for at least a second and at most a minute.
class SampleRate {
 public:
  static constexpr uint32_t kLargest = 65536;
  static constexpr uint32_t kFirst = 8;
  static constexpr uint32_t kLeast = 2;  // sampled calls are compared to others, so there must be others

  /// `budget`: the share, above 0.
  explicit SampleRate(double budget) : budget_(budget) {}

  /// What recording cost during an interval; all times in seconds. `unsampled`: the cost outside of sampled calls,
  /// which no rate reduces.
  struct Interval {
    double length = 0;
    double sampled = 0;
    double unsampled = 0;
    uint64_t calls = 0;
    uint64_t recorded = 0;       // of these, sampled
    uint64_t busiest_calls = 0;  // of the thread that made the most
    double ratio = 0;            // by how much a sampled call is longer than others (CallCosts); 0: not known
  };
  void add(const Interval& interval);

  uint32_t every() const { return every_; }
  /// Of calls that are not sampled, one in this many may have a span.
  uint32_t shallow_every() const { return shallow_every_; }
  /// For a program without model calls: whether recording has cost more than its budget so far.
  bool is_overdrawn() const { return debt_ > 0; }

 private:
  double budget_;
  uint32_t every_ = kFirst;
  uint32_t shallow_every_ = 1;
  double debt_ = 0;  // seconds until the cost is within the budget again
  Interval cycle_;
};

}  // namespace xsp::guest
