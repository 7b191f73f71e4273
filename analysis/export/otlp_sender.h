#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/export/exporter.h"
#include "analysis/export/http_client.h"
#include "analysis/trace/level.h"
#include "base/status.h"

namespace xsp::analysis {

/// What was sent.
struct OtlpDelivery {
  uint64_t spans = 0;
  uint64_t requests = 0;
  uint64_t bytes = 0;         // packed
  uint64_t rejected = 0;      // of the spans, as the receiver says (partial_success)
  std::string receiver_says;  // its first message, as received: may be unprintable
  uint64_t left_out = 0;      // spans deeper than `deepest`
  Level deepest = Level::kDevice;
};

/// Called after each request.
using OtlpProgress = std::function<void(const OtlpDelivery&)>;

/// Where a URL leads: default port 4318, default path /v1/traces.
Status parse_otlp_url(std::string_view url, HttpEndpoint* endpoint);

/// Sends the spans by OTLP/HTTP in protobuf to a URL, with the headers of OTEL_EXPORTER_OTLP_HEADERS. A busy receiver
/// is retried as the protocol says. `delivery` tells what arrived even if this ends with an error. Without `deepest`
/// the levels are those with which no trace gets too large for the pages of receivers (deepest_level_for_pages).
Status send_otlp(const ExportInput& input, const std::string& url, std::optional<Level> deepest,
                 const OtlpProgress& progress, OtlpDelivery* delivery);

/// Seconds to wait before retrying after a response or a failure; nothing: no retry. `attempt` counts from 1.
struct OtlpRetry {
  static constexpr int kMostAttempts = 6;
  static constexpr int kLongestWait_s = 60;

  /// `now` is the time that a date in Retry-After is compared with.
  static std::optional<double> wait_s(HttpFailure failure, const HttpResponse& response, int attempt, int64_t now);
};

}  // namespace xsp::analysis
