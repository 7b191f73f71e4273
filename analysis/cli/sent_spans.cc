#include "analysis/cli/sent_spans.h"

#include <unistd.h>

#include <cstdio>

#include "analysis/export/otlp_sender.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

void tell_progress(const OtlpDelivery& delivery) {
  std::fprintf(stderr, "\rxsp-report: sent %llu spans", static_cast<unsigned long long>(delivery.spans));
}

void tell_delivery(const Options& options, const OtlpDelivery& delivery) {
  std::fprintf(stderr, "xsp-report: sent %llu spans to %s (%llu requests, %.1f kB)\n",
               static_cast<unsigned long long>(delivery.spans), printable(options.otlp).c_str(),
               static_cast<unsigned long long>(delivery.requests), static_cast<double>(delivery.bytes) / 1e3);
  if (delivery.left_out == 0) return;
  std::fprintf(stderr, "xsp-report: left out %llu spans below the level %s (--otlp-level device sends all)\n",
               static_cast<unsigned long long>(delivery.left_out), kLevelNames[static_cast<size_t>(delivery.deepest)]);
}

/// Also where --quiet is given: what arrived is not what was sent.
void tell_rejected(const Options& options, const OtlpDelivery& delivery) {
  if (delivery.rejected == 0 && delivery.receiver_says.empty()) return;
  constexpr size_t kColumns = 300;
  std::fprintf(stderr, "xsp-report: warning: %s rejected %llu of the spans (%s)\n", printable(options.otlp).c_str(),
               static_cast<unsigned long long>(delivery.rejected),
               delivery.receiver_says.empty() ? "it does not say why"
                                              : shorten(printable(delivery.receiver_says), kColumns).c_str());
}

}  // namespace

Status send_spans(const Options& options, const ExportInput& input) {
  const bool shows_progress = !options.quiet && isatty(STDERR_FILENO) != 0;
  OtlpDelivery delivery;
  const Status status = send_otlp(input, options.otlp, options.otlp_level,
                                  shows_progress ? OtlpProgress(tell_progress) : OtlpProgress(), &delivery);
  if (shows_progress && delivery.requests != 0) std::fputs("\r\x1b[K", stderr);
  if (status.ok() && !options.quiet) tell_delivery(options, delivery);
  tell_rejected(options, delivery);
  return status;
}

}  // namespace xsp::analysis
