#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace xsp::analysis {

using OtlpTraceId = std::array<uint8_t, 16>;
using OtlpSpanId = uint64_t;  // its bytes are those of the number, the highest first; 0: none

using OtlpValue = std::variant<std::string, int64_t, double, bool, std::vector<std::string>, std::vector<int64_t>>;

struct OtlpAttribute {
  std::string key;
  OtlpValue value;
};

struct OtlpLink {
  OtlpTraceId trace_id = {};
  OtlpSpanId span_id = 0;
  std::string_view role;  // its attribute xsp.link
};

/// A Span of opentelemetry/proto/trace/v1/trace.proto; kind is always INTERNAL. Text is valid UTF-8.
struct OtlpSpan {
  OtlpTraceId trace_id = {};
  OtlpSpanId span_id = 0;
  OtlpSpanId parent_span_id = 0;
  std::string name;
  uint64_t start_unix_ns = 0;
  uint64_t end_unix_ns = 0;
  std::vector<OtlpAttribute> attributes;
  std::vector<OtlpLink> links;
  bool failed = false;  // status ERROR
};

/// Spans of one resource in as many scopes as they have: a TracesData with one ResourceSpans. Concatenated in protobuf
/// they are one TracesData.
struct OtlpBatch {
  struct Scope {
    std::string name;
    std::vector<OtlpSpan> spans;
  };

  const std::vector<OtlpAttribute>* resource = nullptr;
  std::vector<Scope> scopes;
};

/// Appends a TracesData in protobuf (an ExportTraceServiceRequest is the same).
void append_otlp_protobuf(const OtlpBatch& batch, std::string* to);

/// Appends a TracesData as OTLP/JSON in one line, without its end.
void append_otlp_json(const OtlpBatch& batch, std::string* to);

}  // namespace xsp::analysis
