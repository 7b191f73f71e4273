#include "collector/clocks/cupti_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xsp {
namespace {

// Only a clock that keeps stepping, or a hostile guest, causes more; then the oldest is dropped.
constexpr size_t kMaxSegments = 64;
constexpr double kCuptiStepNs = 1e6;
/// The largest error of a reading of a clock that counts nanoseconds: both clocks are read some tens of nanoseconds
/// apart.
constexpr uint64_t kReadingNoiseNs = 200;
/// How wrong a rate may be: NTP slews by up to 500 ppm, and the first readings give only a rough rate.
constexpr double kRateTolerance = 1e-3;
/// Records may be a little newer than the last reading.
constexpr uint64_t kSlackNs = 1'000'000'000;

uint64_t distance(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }

}  // namespace

bool CuptiClock::continues(const Segment& segment, uint64_t ticks, uint64_t ns) const {
  if (!segment.map.has_rate()) {
    const auto passed = static_cast<double>(ns - segment.last_ns);
    return ticks > segment.last_ticks && ClockMap::is_sane(passed / static_cast<double>(ticks - segment.last_ticks));
  }
  const double tolerance = kCuptiStepNs + kRateTolerance * static_cast<double>(ns - segment.last_ns);
  return static_cast<double>(distance(segment.map.to_ns(ticks), ns)) <= tolerance;
}

/// Whether a clock of an unknown kind counts nanoseconds, as far as its first two readings show.
bool CuptiClock::counts_nanoseconds(const Segment& segment, uint64_t ticks, uint64_t ns) {
  constexpr double kLongestReadingNs = 20'000;
  if (ticks <= segment.last_ticks || ns <= segment.last_ns) return false;
  const auto passed = static_cast<double>(ns - segment.last_ns);
  const double off = std::abs(static_cast<double>(ticks - segment.last_ticks) - passed);
  return off <= kRateTolerance * passed + kLongestReadingNs;
}

void CuptiClock::add_reading(uint64_t ticks, uint64_t ns, double nominal_ticks_per_ns, uint64_t error_ns) {
  if (!segments_.empty() && ns <= segments_.back().last_ns) return;
  if (segments_.empty()) first_reading_ns_ = ns;
  if (segments_.empty() || !continues(segments_.back(), ticks, ns)) {
    if (segments_.size() == kMaxSegments) {
      forgotten_error_ns_ = std::max(forgotten_error_ns_, segments_.front().map.error_ns());
      segments_.erase(segments_.begin());
    }
    const uint64_t noise = nominal_ticks_per_ns == 1 ? kReadingNoiseNs : 0;
    segments_.push_back({ClockMap(nominal_ticks_per_ns, noise), ns, ns, ticks});
  }
  Segment& segment = segments_.back();
  if (!segment.map.has_rate() && counts_nanoseconds(segment, ticks, ns)) {
    ClockMap map(1, kReadingNoiseNs);
    map.add_reading(segment.last_ticks, segment.last_ns);
    segment.map = std::move(map);
  }
  segment.map.add_reading(ticks, ns, error_ns);
  segment.last_ns = ns;
  segment.last_ticks = ticks;
}

const CuptiClock::Segment& CuptiClock::segment_of(uint64_t ticks) const {
  const Segment* best = &segments_.back();
  uint64_t best_distance = UINT64_MAX;
  for (size_t i = segments_.size(); i-- > 0;) {
    const Segment& segment = segments_[i];
    const uint64_t from = i == 0 ? std::min(earliest_ns_, segment.first_ns) : segments_[i - 1].last_ns;
    const uint64_t until = i + 1 == segments_.size() ? segment.last_ns + kSlackNs : segments_[i + 1].first_ns;
    const uint64_t ns = segment.map.to_ns(ticks);
    if (ns == 0) continue;  // before this clock began: the time belongs to another segment
    if (ns >= from && ns <= until) return segment;
    const uint64_t off = ns < from ? from - ns : ns - until;
    if (off < best_distance) {
      best = &segment;
      best_distance = off;
    }
  }
  return *best;
}

std::pair<uint64_t, uint64_t> CuptiClock::to_ns(uint64_t begin, uint64_t end) const {
  if (segments_.empty()) return {begin, end};
  const ClockMap& map = segment_of(begin).map;
  const uint64_t begin_ns = map.to_ns(begin);
  return {begin_ns, std::max(begin_ns, map.to_ns(end))};
}

uint64_t CuptiClock::error_ns() const {
  uint64_t error = forgotten_error_ns_;
  for (const Segment& segment : segments_) error = std::max(error, segment.map.error_ns());
  return error;
}

}  // namespace xsp
