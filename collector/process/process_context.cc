#include "collector/process/process_context.h"

#include <string>

#include "collector/messages/guest_messages.h"
#include "collector/messages/peer_limits.h"

namespace xsp {

void ProcessContext::receive_loss(protozero::data_view bytes) {
  const auto loss = with_own_texts(read_message<wire::Loss>(bytes));
  losses.report_total(loss.reason, loss.count, loss.detail, loss.first_ns, loss.last_ns);
}

void ProcessContext::receive_notice(protozero::data_view bytes) {
  const auto told = with_own_texts(read_message<wire::Notice>(bytes));
  const bool is_known = told.severity < wire::kNoticeSeverityCount;
  notice(is_known ? static_cast<Severity>(told.severity) : Severity::kWarning, told.component, told.text);
}

void ProcessContext::notice(Severity severity, std::string_view component, std::string_view what) {
  if (notices_++ >= kMaxNotices) return;
  writer.write(number, wire::Notice{.severity = static_cast<uint32_t>(severity), .component = component, .text = what});
  recording.summary.add_notice(severity, component, what);
}

bool ProcessContext::is_of_other_user() {
  if (!hello.is_foreign) return false;
  if (!told_foreign_) {
    told_foreign_ = true;
    notice(
        Severity::kInfo, "collector",
        "process " + std::to_string(hello.pid) + " is of another user: its profile files and libraries were not read");
  }
  return true;
}

void ProcessContext::write_hello_packet() {
  writer.write(number, Body::kHello, hello_capacity(hello), [&](WireWriter& body) { write_hello(body, hello); });
}

void ProcessContext::write_losses() {
  for (uint32_t reason = 0; reason < kLossReasons; ++reason) {
    const auto loss = losses.total(static_cast<LossReason>(reason));
    if (loss.count == 0) continue;
    writer.write(number, wire::Loss{.reason = reason,
                                    .count = loss.count,
                                    .detail = loss.detail,
                                    .first_ns = loss.first_ns,
                                    .last_ns = loss.last_ns});
  }
}

}  // namespace xsp
