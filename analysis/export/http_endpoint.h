#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace xsp::analysis {

/// Where a URL leads, for requests over plain HTTP.
struct HttpEndpoint {
  std::string host;    // a name or an address, without the brackets of IPv6
  std::string port;    // a number
  std::string target;  // path and query, as the request line has them

  /// As the Host header has it.
  std::string authority() const;
};

/// Takes a URL apart: "http://host", "http://host:4318/v1/traces", "host:4318". A URL without a path gets
/// `default_target`, one without a port `default_port`.
Status parse_http_url(std::string_view url, std::string_view default_port, std::string_view default_target,
                      HttpEndpoint* endpoint);

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// Headers as OTEL_EXPORTER_OTLP_HEADERS has them: "key=value,key=value", values percent-encoded. An error for what
/// cannot be a header, so that no value can add a line to a request.
Status parse_http_headers(std::string_view text, HttpHeaders* headers);

}  // namespace xsp::analysis
