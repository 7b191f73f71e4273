#include "collector/recording/summary.h"

#include <algorithm>

#include "base/log.h"
#include "collector/messages/peer_limits.h"

namespace xsp {
namespace {

/// Adds without wrapping around: a hostile guest may send any number.
uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace

void LossTable::report_total(uint32_t reason, uint64_t count, std::string_view detail, uint64_t first_ns,
                             uint64_t last_ns) {
  Entry& entry = reported_[reason < kLossReasons ? reason : 0];
  if (count == 0 || count < entry.count) return;
  entry.count = count;
  if (!detail.empty()) entry.detail = detail;
  if (first_ns != 0) entry.first_ns = first_ns;
  if (last_ns != 0) entry.last_ns = last_ns;
}

void LossTable::add(LossReason reason, uint64_t count, std::string_view detail) {
  Entry& entry = own_[static_cast<size_t>(reason)];
  entry.count = saturating_add(entry.count, count);
  if (entry.detail.empty()) entry.detail = detail;
}

LossTable::Entry LossTable::total(LossReason reason) const {
  Entry total = reported_[static_cast<size_t>(reason)];
  const Entry& own = own_[static_cast<size_t>(reason)];
  total.count = saturating_add(total.count, own.count);
  if (total.detail.empty()) total.detail = own.detail;
  return total;
}

bool Summary::add_notice(Severity severity, std::string_view component, std::string_view text) {
  Notice notice{severity, std::string(component), std::string(text)};
  if (notices.size() >= kMaxNotices || std::find(notices.begin(), notices.end(), notice) != notices.end()) return false;
  notices.push_back(std::move(notice));
  log::write(severity == Severity::kInfo ? log::Level::kInfo : log::Level::kWarning, text);
  return true;
}

void Summary::add_loss(LossReason reason, uint64_t count, std::string_view detail) {
  const auto index = static_cast<size_t>(reason);
  losses[index] = saturating_add(losses[index], count);
  if (loss_details[index].empty()) loss_details[index] = detail;
  if (count != 0 && log::writes(log::Level::kWarning)) {
    log::warning("lost " + std::to_string(count) + " (" + kLossReasonNames[index] + ")" +
                 (detail.empty() ? "" : ": " + std::string(detail)));
  }
}

}  // namespace xsp
