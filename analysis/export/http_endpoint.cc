#include "analysis/export/http_endpoint.h"

#include <algorithm>
#include <charconv>

namespace xsp::analysis {
namespace {

constexpr std::string_view kHttp = "http://";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_blank_or_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

bool is_control(char c) { return is_blank_or_control(c) && c != ' ' && c != '\t'; }

bool is_port(std::string_view text) {
  uint32_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port <= 65535;
}

/// "%2C" as the byte it stands for; false if a percent sign is not followed by two hexadecimal digits.
bool percent_decode(std::string_view text, std::string* decoded) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      *decoded += text[i];
      continue;
    }
    uint8_t byte = 0;
    if (i + 2 >= text.size()) return false;
    const auto [end, error] = std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16);
    if (error != std::errc() || end != &text[i + 1] + 2) return false;
    *decoded += static_cast<char>(byte);
    i += 2;
  }
  return true;
}

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string HttpEndpoint::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return name + ":" + port;
}

Status parse_http_url(std::string_view url, std::string_view default_port, std::string_view default_target,
                      HttpEndpoint* endpoint) {
  const std::string given(url);
  Status not_one{"'" + given + "' is no URL", "such as http://localhost:4318"};
  if (url.starts_with("https://")) {
    return {"cannot send to " + given + " (TLS is not built in)",
            "send to an OpenTelemetry collector on this machine by http://, which passes it on"};
  }
  if (url.starts_with(kHttp)) {
    url.remove_prefix(kHttp.size());
  } else if (url.find("://") != std::string_view::npos) {
    return {"cannot send to " + given + " (only http:// is known)",
            "OTLP over HTTP listens on port 4318, over gRPC, which is not spoken here, on 4317"};
  }
  if (std::any_of(url.begin(), url.end(), is_blank_or_control)) return not_one;
  url = url.substr(0, url.find('#'));
  const size_t slash = std::min(url.find_first_of("/?"), url.size());
  std::string_view authority = url.substr(0, slash);
  std::string_view target = url.substr(slash);
  if (authority.find('@') != std::string_view::npos) {
    return {"cannot send with a user in the URL", "set OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20… instead"};
  }

  std::string_view port;
  if (authority.starts_with("[")) {
    const size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return not_one;
    endpoint->host = authority.substr(1, bracket - 1);
    port = authority.substr(bracket + 1);
    if (!port.empty() && !port.starts_with(":")) return not_one;
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    endpoint->host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!port.empty()) port.remove_prefix(1);
  endpoint->port = port.empty() ? default_port : port;
  if (endpoint->host.empty() || !is_port(endpoint->port)) return not_one;
  endpoint->target = target.empty() || target == "/" ? std::string(default_target) : std::string(target);
  if (endpoint->target.front() == '?') endpoint->target.insert(0, default_target);
  return {};
}

Status parse_http_headers(std::string_view text, HttpHeaders* headers) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view pair = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view key = trimmed(pair.substr(0, equals));
    std::string value;
    // The value may be a secret: it is not repeated.
    if (equals == pair.size() || !is_token(key) || !percent_decode(trimmed(pair.substr(equals + 1)), &value) ||
        std::any_of(value.begin(), value.end(), is_control)) {
      return {"OTEL_EXPORTER_OTLP_HEADERS has a header that is none (the one behind " +
                  std::to_string(headers->size()) + " others)",
              "key=value,key=value with percent-encoded values"};
    }
    headers->emplace_back(key, std::move(value));
  }
  return {};
}

}  // namespace xsp::analysis
