#include "collector/formats/event_time.h"

#include <cmath>

namespace xsp {
namespace {

constexpr int64_t kMaxUs = kMaxEventNs / 1000;

}  // namespace

std::optional<int64_t> nanoseconds_of_us(int64_t us) {
  if (us < -kMaxUs || us > kMaxUs) return {};
  return us * 1000;
}

std::optional<int64_t> nanoseconds_of_us(double us) {
  if (!(std::abs(us) <= static_cast<double>(kMaxUs))) return {};
  return std::llround(us * 1000);
}

}  // namespace xsp
