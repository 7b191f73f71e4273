#include "collector/clocks/clock_map.h"

#include <algorithm>
#include <cmath>

namespace xsp {
namespace {

// An error is corrected within a second; one of more than kStepNs is a clock step, not drift.
constexpr double kCorrectionNs = 1e9;
constexpr int64_t kStepNs = 1'000'000;
constexpr uint64_t kMinBaselineNs = 100'000'000;
constexpr uint64_t kAnchorAgeNs = 2'000'000'000;
constexpr double kMinRate = 0.05;  // ns per tick: clocks of 50 MHz to 20 GHz
constexpr double kMaxRate = 20;
constexpr size_t kMaxKnots = 32768;
constexpr double kMaxNs = 9.2e18;

uint64_t advance(uint64_t ns, double by) {
  const double floor = std::floor(by);
  if (floor >= kMaxNs) return static_cast<uint64_t>(kMaxNs);
  if (floor <= -kMaxNs) return 0;
  const auto whole = static_cast<int64_t>(floor);
  if (whole < 0) return static_cast<uint64_t>(-whole) > ns ? 0 : ns - static_cast<uint64_t>(-whole);
  return std::min(ns + static_cast<uint64_t>(whole), static_cast<uint64_t>(kMaxNs));
}

}  // namespace

bool ClockMap::is_sane(double ns_per_tick) { return ns_per_tick >= kMinRate && ns_per_tick <= kMaxRate; }

ClockMap::ClockMap(double nominal_ticks_per_ns, uint64_t noise_ns) : noise_ns_(noise_ns) {
  set_nominal_rate(nominal_ticks_per_ns);
}

void ClockMap::set_nominal_rate(double ticks_per_ns) {
  if (rate_ != 0 || ticks_per_ns <= 0 || !is_sane(1 / ticks_per_ns)) return;
  rate_ = 1 / ticks_per_ns;
  if (!knots_.empty()) knots_.front().slope = rate_;
}

uint64_t ClockMap::to_ns(uint64_t ticks) const {
  if (knots_.empty()) return ticks;
  const Knot* knot = &knots_.back();
  const Knot* next = nullptr;
  if (ticks < knot->ticks && knots_.size() > 1) {
    auto above = std::upper_bound(knots_.begin() + 1, knots_.end(), ticks,
                                  [](uint64_t value, const Knot& candidate) { return value < candidate.ticks; });
    knot = &*(above - 1);
    if (above != knots_.end()) next = &*above;
  }
  const double slope = knot->slope > 0 ? knot->slope : 1;
  const double delta =
      ticks >= knot->ticks ? static_cast<double>(ticks - knot->ticks) : -static_cast<double>(knot->ticks - ticks);
  const uint64_t ns = advance(knot->ns, delta * slope);
  // Rounding must not overshoot the next knot, or the map would decrease there.
  return next == nullptr ? ns : std::min(ns, next->ns);
}

void ClockMap::update_rate(const Reading& reading) {
  const double rate = static_cast<double>(reading.ns - anchor_.ns) / static_cast<double>(reading.ticks - anchor_.ticks);
  if ((rate_ == 0 || reading.ns - anchor_.ns >= kMinBaselineNs) && is_sane(rate)) rate_ = rate;
  // A baseline of two to four seconds: long enough for the noise of a reading, short enough to follow NTP's slewing.
  if (reading.ns - next_anchor_.ns >= kAnchorAgeNs) {
    anchor_ = next_anchor_;
    next_anchor_ = reading;
  }
}

void ClockMap::add_reading(uint64_t ticks, uint64_t ns, uint64_t error_ns) {
  if (ns > static_cast<uint64_t>(kMaxNs)) return;
  const Reading reading{ticks, ns};
  if (knots_.empty()) {
    knots_.push_back({ticks, ns, rate_});
    last_ = anchor_ = next_anchor_ = reading;
    return;
  }
  if (ticks <= last_.ticks || ns <= last_.ns) return;
  // Two readings so close together that their errors dominate the rate.
  if (!is_sane(static_cast<double>(ns - last_.ns) / static_cast<double>(ticks - last_.ticks)) &&
      ns - last_.ns < static_cast<uint64_t>(kStepNs)) {
    return;
  }
  if (rate_ == 0) {
    update_rate(reading);
    if (rate_ == 0) return;
    knots_.front().slope = rate_;
  }
  last_ = reading;

  const uint64_t predicted = to_ns(ticks);
  const int64_t error = static_cast<int64_t>(ns) - static_cast<int64_t>(predicted);
  if (static_cast<uint64_t>(std::abs(error)) <= std::max(noise_ns_, error_ns)) {
    error_ns_ = std::max(error_ns_, static_cast<uint64_t>(std::abs(error)));
    stepped_ = false;
    return;
  }
  // The last correction would end later than now: the new one, starting here, replaces it.
  if (knots_.back().ticks >= ticks) knots_.pop_back();
  // A step says nothing about the rate. But if the reading before also looked like a step, the rate is wrong.
  const bool steps = std::abs(error) > kStepNs;
  if (!steps || stepped_) update_rate(reading);
  stepped_ = steps;
  error_ns_ = std::max(error_ns_, static_cast<uint64_t>(std::abs(error)));
  if (error > kStepNs) {
    knots_.push_back({ticks, ns, rate_});
  } else {
    const bool step_back = error < -kStepNs;
    const double slope = step_back ? rate_ / 2 : rate_ * (1 + static_cast<double>(error) / kCorrectionNs);
    const double length_ns = step_back ? -2.0 * static_cast<double>(error) : kCorrectionNs;
    const double length = std::ceil(std::min(length_ns / rate_, 9e18));
    knots_.push_back({ticks, predicted, slope});
    const uint64_t end = ticks + static_cast<uint64_t>(length);
    if (end > ticks) knots_.push_back({end, advance(predicted, length * slope), rate_});
  }
  // Readings from before a step say nothing about the rate after it.
  if (steps) anchor_ = next_anchor_ = reading;
  if (knots_.size() > kMaxKnots) thin_out();
}

/// Thins out the older half of the knots: spans that began long ago need the map, but not to the microsecond.
void ClockMap::thin_out() {
  const size_t half = knots_.size() / 2;
  std::vector<Knot> kept;
  kept.reserve(knots_.size());
  for (size_t i = 0; i < knots_.size(); ++i) {
    if (i < half && i % 2 == 1) continue;
    if (!kept.empty() && i <= half) {
      Knot& before = kept.back();
      before.slope =
          static_cast<double>(knots_[i].ns - before.ns) / static_cast<double>(knots_[i].ticks - before.ticks);
    }
    kept.push_back(knots_[i]);
  }
  knots_ = std::move(kept);
}

}  // namespace xsp
