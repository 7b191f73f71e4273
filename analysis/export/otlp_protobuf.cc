// The numbers are those of opentelemetry/proto/{trace,common,resource}/v1, which are stable.

#include "proto/pbf.h"

#include <protozero/pbf_writer.hpp>

#include "analysis/export/otlp_message.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_writer;

constexpr int kSpanKindInternal = 1;
constexpr int kStatusCodeError = 2;

void write_value(pbf_writer* any, const std::string& value) { any->add_string(1, value); }
void write_value(pbf_writer* any, bool value) { any->add_bool(2, value); }
void write_value(pbf_writer* any, int64_t value) { any->add_int64(3, value); }
void write_value(pbf_writer* any, double value) { any->add_double(4, value); }

template <typename Element>
void write_value(pbf_writer* any, const std::vector<Element>& elements) {
  pbf_writer array(*any, 5);
  for (const Element& element : elements) {
    pbf_writer value(array, 1);
    write_value(&value, element);
  }
}

void write_attributes(pbf_writer* message, uint32_t field, const std::vector<OtlpAttribute>& attributes) {
  for (const OtlpAttribute& attribute : attributes) {
    pbf_writer pair(*message, field);
    pair.add_string(1, attribute.key);
    pbf_writer any(pair, 2);
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
  pbf_writer message(*scope, 2);
  write_trace_id(&message, 1, span.trace_id);
  write_span_id(&message, 2, span.span_id);
  write_span_id(&message, 4, span.parent_span_id);
  message.add_string(5, span.name);
  message.add_enum(6, kSpanKindInternal);
  message.add_fixed64(7, span.start_unix_ns);
  message.add_fixed64(8, span.end_unix_ns);
  write_attributes(&message, 9, span.attributes);
  for (const OtlpLink& link : span.links) {
    pbf_writer part(message, 13);
    write_trace_id(&part, 1, link.trace_id);
    write_span_id(&part, 2, link.span_id);
    write_attributes(&part, 4, {{"xsp.link", std::string(link.role)}});
  }
  if (span.failed) {
    pbf_writer status(message, 15);
    status.add_enum(3, kStatusCodeError);
  }
}

}  // namespace

void append_otlp_protobuf(const OtlpBatch& batch, std::string* to) {
  pbf_writer data(*to);
  pbf_writer resource_spans(data, 1);
  {
    pbf_writer resource(resource_spans, 1);
    write_attributes(&resource, 1, *batch.resource);
  }
  for (const OtlpBatch::Scope& scope : batch.scopes) {
    if (scope.spans.empty()) continue;
    pbf_writer scope_spans(resource_spans, 2);
    {
      pbf_writer instrumentation(scope_spans, 1);
      instrumentation.add_string(1, scope.name);
      instrumentation.add_string(2, XSP_VERSION);
    }
    for (const OtlpSpan& span : scope.spans) write_span(&scope_spans, span);
  }
}

}  // namespace xsp::analysis
