#include "proto/pbf.h"

#include <protozero/pbf_writer.hpp>

#include "analysis/export/otlp_message.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_writer;

constexpr int kSpanKindInternal = 1;
constexpr int kStatusCodeError = 2;

/// Field numbers of opentelemetry/proto/{trace,common,resource}/v1, which are stable.
namespace any_value {
enum : uint32_t { kString = 1, kBool = 2, kInt = 3, kDouble = 4, kArray = 5, kElementOfArray = 1 };
}
namespace key_value {
enum : uint32_t { kKey = 1, kValue = 2 };
}
namespace span_field {
enum : uint32_t {
  kTraceId = 1,
  kSpanId = 2,
  kParentSpanId = 4,
  kName = 5,
  kKind = 6,
  kStart = 7,
  kEnd = 8,
  kAttributes = 9,
  kLinks = 13,
  kStatus = 15,
};
}
namespace link_field {
enum : uint32_t { kTraceId = 1, kSpanId = 2, kAttributes = 4 };
}
namespace status_field {
enum : uint32_t { kCode = 3 };
}
namespace trace_field {
enum : uint32_t { kResourceSpans = 1, kResource = 1, kScopeSpans = 2, kScope = 1, kSpans = 2 };
}
namespace resource_field {
enum : uint32_t { kAttributes = 1 };
}
namespace scope_field {
enum : uint32_t { kName = 1, kVersion = 2 };
}

void write_value(pbf_writer* any, const std::string& value) { any->add_string(any_value::kString, value); }
void write_value(pbf_writer* any, bool value) { any->add_bool(any_value::kBool, value); }
void write_value(pbf_writer* any, int64_t value) { any->add_int64(any_value::kInt, value); }
void write_value(pbf_writer* any, double value) { any->add_double(any_value::kDouble, value); }

template <typename Element>
void write_value(pbf_writer* any, const std::vector<Element>& elements) {
  pbf_writer array(*any, any_value::kArray);
  for (const Element& element : elements) {
    pbf_writer value(array, any_value::kElementOfArray);
    write_value(&value, element);
  }
}

void write_attributes(pbf_writer* message, uint32_t field, const std::vector<OtlpAttribute>& attributes) {
  for (const OtlpAttribute& attribute : attributes) {
    pbf_writer pair(*message, field);
    pair.add_string(key_value::kKey, attribute.key);
    pbf_writer any(pair, key_value::kValue);
    std::visit([&](const auto& value) { write_value(&any, value); }, attribute.value);
  }
}

void write_trace_id(pbf_writer* message, uint32_t field, const OtlpTraceId& id) {
  message->add_bytes(field, reinterpret_cast<const char*>(id.data()), id.size());
}

void write_span_id(pbf_writer* message, uint32_t field, OtlpSpanId id) {
  if (id == 0) return;
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(id >> (56 - 8 * i));
  message->add_bytes(field, bytes, sizeof bytes);
}

void write_span(pbf_writer* scope, const OtlpSpan& span) {
  pbf_writer message(*scope, trace_field::kSpans);
  write_trace_id(&message, span_field::kTraceId, span.trace_id);
  write_span_id(&message, span_field::kSpanId, span.span_id);
  write_span_id(&message, span_field::kParentSpanId, span.parent_span_id);
  message.add_string(span_field::kName, span.name);
  message.add_enum(span_field::kKind, kSpanKindInternal);
  message.add_fixed64(span_field::kStart, span.start_unix_ns);
  message.add_fixed64(span_field::kEnd, span.end_unix_ns);
  write_attributes(&message, span_field::kAttributes, span.attributes);
  for (const OtlpLink& link : span.links) {
    pbf_writer part(message, span_field::kLinks);
    write_trace_id(&part, link_field::kTraceId, link.trace_id);
    write_span_id(&part, link_field::kSpanId, link.span_id);
    write_attributes(&part, link_field::kAttributes, {{"xsp.link", std::string(link.role)}});
  }
  if (span.failed) {
    pbf_writer status(message, span_field::kStatus);
    status.add_enum(status_field::kCode, kStatusCodeError);
  }
}

}  // namespace

void append_otlp_protobuf(const OtlpBatch& batch, std::string* to) {
  pbf_writer data(*to);
  pbf_writer resource_spans(data, trace_field::kResourceSpans);
  {
    pbf_writer resource(resource_spans, trace_field::kResource);
    write_attributes(&resource, resource_field::kAttributes, *batch.resource);
  }
  for (const OtlpBatch::Scope& scope : batch.scopes) {
    if (scope.spans.empty()) continue;
    pbf_writer scope_spans(resource_spans, trace_field::kScopeSpans);
    {
      pbf_writer instrumentation(scope_spans, trace_field::kScope);
      instrumentation.add_string(scope_field::kName, scope.name);
      instrumentation.add_string(scope_field::kVersion, XSP_VERSION);
    }
    for (const OtlpSpan& span : scope.spans) write_span(&scope_spans, span);
  }
}

}  // namespace xsp::analysis
