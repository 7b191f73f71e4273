// OTLP/JSON: ids in hexadecimal digits, 64-bit integers as strings, enums as numbers, field names in lowerCamelCase.

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "analysis/export/json_text.h"
#include "analysis/export/otlp_message.h"

namespace xsp::analysis {
namespace {

/// A JSON string with its quotes.
void append_string(std::string_view text, std::string* to) {
  *to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *to += '\\';
      *to += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(*to), "\\u{:04x}", byte);
    } else {
      *to += c;
    }
  }
  *to += '"';
}

void append_value(const std::string& value, std::string* to) {
  *to += "{\"stringValue\":";
  append_string(value, to);
  *to += '}';
}

void append_value(bool value, std::string* to) { *to += value ? "{\"boolValue\":true}" : "{\"boolValue\":false}"; }

void append_value(int64_t value, std::string* to) {
  fmt::format_to(std::back_inserter(*to), "{{\"intValue\":\"{}\"}}", value);
}

void append_value(double value, std::string* to) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(*to), "{{\"doubleValue\":{}}}", value);
  } else {
    *to += "{\"doubleValue\":\"NaN\"}";
  }
}

template <typename Element>
void append_value(const std::vector<Element>& elements, std::string* to) {
  *to += "{\"arrayValue\":{\"values\":[";
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) *to += ',';
    append_value(elements[i], to);
  }
  *to += "]}}";
}

void append_attributes(const std::vector<OtlpAttribute>& attributes, std::string* to) {
  *to += "\"attributes\":[";
  for (size_t i = 0; i < attributes.size(); ++i) {
    *to += i == 0 ? "{\"key\":" : ",{\"key\":";
    append_string(attributes[i].key, to);
    *to += ",\"value\":";
    std::visit([&](const auto& value) { append_value(value, to); }, attributes[i].value);
    *to += '}';
  }
  *to += ']';
}

void append_ids(const OtlpTraceId& trace, OtlpSpanId span, std::string* to) {
  *to += "\"traceId\":\"";
  for (const uint8_t byte : trace) *to += {kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  fmt::format_to(std::back_inserter(*to), "\",\"spanId\":\"{:016x}\"", span);
}

void append_span(const OtlpSpan& span, std::string* to) {
  *to += '{';
  append_ids(span.trace_id, span.span_id, to);
  if (span.parent_span_id != 0) {
    fmt::format_to(std::back_inserter(*to), ",\"parentSpanId\":\"{:016x}\"", span.parent_span_id);
  }
  *to += ",\"name\":";
  append_string(span.name, to);
  fmt::format_to(std::back_inserter(*to), ",\"kind\":1,\"startTimeUnixNano\":\"{}\",\"endTimeUnixNano\":\"{}\",",
                 span.start_unix_ns, span.end_unix_ns);
  append_attributes(span.attributes, to);
  if (!span.links.empty()) {
    *to += ",\"links\":[";
    for (size_t i = 0; i < span.links.size(); ++i) {
      *to += i == 0 ? "{" : ",{";
      append_ids(span.links[i].trace_id, span.links[i].span_id, to);
      *to += ',';
      append_attributes({{"xsp.link", std::string(span.links[i].role)}}, to);
      *to += '}';
    }
    *to += ']';
  }
  if (span.failed) *to += ",\"status\":{\"code\":2}";
  *to += '}';
}

}  // namespace

void append_otlp_json(const OtlpBatch& batch, std::string* to) {
  *to += "{\"resourceSpans\":[{\"resource\":{";
  append_attributes(*batch.resource, to);
  *to += "},\"scopeSpans\":[";
  bool first = true;
  for (const OtlpBatch::Scope& scope : batch.scopes) {
    if (scope.spans.empty()) continue;
    *to += first ? "{\"scope\":{\"name\":" : ",{\"scope\":{\"name\":";
    first = false;
    append_string(scope.name, to);
    *to += ",\"version\":\"" XSP_VERSION "\"},\"spans\":[";
    for (size_t i = 0; i < scope.spans.size(); ++i) {
      if (i != 0) *to += ',';
      append_span(scope.spans[i], to);
    }
    *to += "]}";
  }
  *to += "]}]}";
}

}  // namespace xsp::analysis
