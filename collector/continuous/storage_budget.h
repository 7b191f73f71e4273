#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace xsp {

/// Decides which spans are stored and which are only counted, so that a trace keeps to --max-rate and, if it is one
/// file, to --max-size. It decides for whole windows of time, for all processes alike, by when a span began: what
/// happened inside a call is stored with it. Times in nanoseconds of CLOCK_MONOTONIC.
///
/// The rate limit is a token bucket, one token per byte, that holds kBurstSeconds of the rate. Once it is empty,
/// nothing is stored until it is half full, so that there are few gaps.
class StorageBudget {
 public:
  struct Limits {
    uint64_t bytes_per_second = 0;  ///< 0: no limit
    uint64_t bytes = 0;             ///< of one file; 0: no limit
  };
  static constexpr uint64_t kWindowNs = 250'000'000;
  static constexpr double kBurstSeconds = 4;

  StorageBudget() = default;
  StorageBudget(const Limits& limits, uint64_t now_ns);

  /// Decides for the windows up to that of `now_ns`. `written`: bytes passed to the file so far; `coming`: upper bound
  /// on the bytes still to come for spans that are stored. Returns whether the decision changed, to storing or to not
  /// storing.
  bool advance(uint64_t now_ns, uint64_t written, uint64_t coming = 0);

  bool stores(uint64_t begin_ns) const {
    if (!was_off_) return true;
    if (has_stopped_) return false;
    const uint64_t window = begin_ns / kWindowNs;
    if (window > last_window_) return is_on_;
    return window + kHistory <= last_window_ || on_[window % kHistory];
  }

  bool has_limits() const { return limits_.bytes_per_second != 0 || limits_.bytes != 0; }
  /// Since when nothing is stored; empty while spans are stored.
  std::optional<uint64_t> off_since_ns() const { return is_on_ ? std::nullopt : std::optional(off_since_ns_); }
  /// When storing last resumed, if it has just done so.
  uint64_t on_since_ns() const { return last_window_begin_; }
  /// The file has reached its size: nothing is stored any more.
  bool is_full() const { return is_full_; }
  const Limits& limits() const { return limits_; }

  /// How much of a file of at most `bytes` is kept free of spans: for names, counts, and what closes the trace.
  static uint64_t room_for_counts(uint64_t bytes);

 private:
  static constexpr uint64_t kHistory = uint64_t{1} << 20;  // windows: three days; older ones count as stored

  bool may_store(uint64_t bytes);

  Limits limits_;
  double tokens_ = 0;
  uint64_t refilled_ns_ = 0;
  uint64_t charged_ = 0;
  uint64_t last_window_ = 0;
  uint64_t last_window_begin_ = 0;
  uint64_t off_since_ns_ = 0;
  std::vector<bool> on_;
  bool is_on_ = true;
  bool was_off_ = false;
  bool is_full_ = false;
  bool has_stopped_ = false;
};

}  // namespace xsp
