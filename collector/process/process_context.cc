#include "collector/process/process_context.h"

#include <algorithm>
#include <string>

#include "base/text_encoding.h"
#include "collector/messages/peer_limits.h"
#include "proto/pbf.h"

namespace xsp {

std::string ProcessContext::text_of(protozero::data_view view) {
  constexpr size_t kMaxTextBytes = 4096;
  return trace_text({view.data(), std::min(view.size(), kMaxTextBytes)});
}

void ProcessContext::receive_loss(protozero::data_view bytes) {
  uint32_t reason = 0;
  uint64_t count = 0;
  std::string detail;
  uint64_t first_ns = 0;
  uint64_t last_ns = 0;
  for (protozero::pbf_reader loss(bytes); loss.next();) {
    switch (loss.tag()) {
      case 1:
        reason = static_cast<uint32_t>(loss.get_enum());
        break;
      case 2:
        count = loss.get_uint64();
        break;
      case 3:
        detail = text_of(loss.get_view());
        break;
      case 4:
        first_ns = loss.get_uint64();
        break;
      case 5:
        last_ns = loss.get_uint64();
        break;
      default:
        loss.skip();
    }
  }
  losses.report_total(reason, count, detail, first_ns, last_ns);
}

void ProcessContext::receive_notice(protozero::data_view bytes) {
  uint32_t severity = 0;
  std::string component;
  std::string what;
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    switch (fields.tag()) {
      case 1:
        severity = static_cast<uint32_t>(fields.get_enum());
        break;
      case 2:
        component = text_of(fields.get_view());
        break;
      case 3:
        what = text_of(fields.get_view());
        break;
      default:
        fields.skip();
    }
  }
  notice(severity <= 2 ? static_cast<Severity>(severity) : Severity::kWarning, component, what);
}

void ProcessContext::notice(Severity severity, std::string_view component, std::string_view what) {
  if (notices_++ >= kMaxNotices) return;
  writer.write(number, Body::kNotice, component.size() + what.size() + 64, [&](WireWriter& body) {
    body.uint64(1, static_cast<uint64_t>(severity));
    body.string(2, component);
    body.string(3, what);
  });
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
    writer.write(number, Body::kLoss, loss.detail.size() + 64, [&](WireWriter& body) {
      body.uint64(1, reason);
      body.uint64(2, loss.count);
      body.string(3, loss.detail);
      body.uint64(4, loss.first_ns);
      body.uint64(5, loss.last_ns);
    });
  }
}

}  // namespace xsp
