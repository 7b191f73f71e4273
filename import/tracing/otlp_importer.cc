/// OTLP in JSON: one document, or one for each batch.

#include <string>

#include <simdjson.h>

#include "base/json_pieces.h"
#include "import/frame/importer.h"
#include "import/tracing/document_input.h"
#include "import/tracing/json_tags.h"
#include "import/tracing/traced_spans.h"

namespace xsp {
namespace {

using simdjson::dom::element;

constexpr int kSure = 90;
constexpr std::string_view kSpans = "resourceSpans[].scopeSpans[].spans[]";
constexpr std::string_view kOlderSpans = "resourceSpans[].instrumentationLibrarySpans[].spans[]";
/// OpenTelemetry's logging exporter for Java writes each resource as a document.
constexpr std::string_view kLoggedSpans = "scopeSpans[].spans[]";
constexpr uint32_t kNoService = UINT32_MAX;

int recognise(std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return has("\"resourceSpans\"") || (has("\"scopeSpans\"") && has("\"spanId\"")) ? kSure : 0;
}

class OtlpReader {
 public:
  OtlpReader(ProfileInput& input, ProfileTimeline* timeline) : documents_(input), timeline_(timeline) {}

  Status read() {
    while (documents_.next()) {
      const Status status = read_document();
      if (!status.ok()) return finish(status.error);
    }
    return documents_.error().ok() ? finish() : finish("the input cannot be read on");
  }

 private:
  Status read_document() {
    service_ = kNoService;
    JsonPieces pieces(documents_, {std::string(kSpans), std::string(kOlderSpans), std::string(kLoggedSpans)});
    const auto place = [&] { return ", byte " + std::to_string(documents_.begin() + pieces.position()); };
    for (;;) {
      switch (pieces.next()) {
        case JsonPieces::Piece::kOpen:
          if (pieces.path() == "resourceSpans[]") service_ = spans_.add_service();
          break;
        case JsonPieces::Piece::kClose:
          break;
        case JsonPieces::Piece::kValue:
          read_piece(pieces);
          break;
        case JsonPieces::Piece::kEnd:
          return Status();
        case JsonPieces::Piece::kTruncated:
          return Status{"the input ends early" + place()};
        case JsonPieces::Piece::kMalformed:
          return Status{"no JSON of OTLP" + place()};
      }
    }
  }

  Status finish(std::string early_end = {}) { return spans_.finish(std::move(early_end), documents_, timeline_); }

  void read_piece(const JsonPieces& pieces) {
    const std::string_view path = pieces.path();
    const bool is_span = path == kSpans || path == kOlderSpans || path == kLoggedSpans;
    if (!is_span && path != "resourceSpans[].resource" && path != "resource") return;
    if (service_ == kNoService) service_ = spans_.add_service();
    element piece;
    const auto* text = reinterpret_cast<const uint8_t*>(pieces.text().data());
    if (parser_.parse(text, pieces.text().size(), false).get(piece) != simdjson::SUCCESS || !piece.is_object()) {
      if (is_span) spans_.leave_out_damaged();
      return;
    }
    if (is_span) {
      read_span(piece);
    } else {
      read_resource(piece);
    }
  }

  template <typename Take>
  void read_attributes(element object, Take&& take) {
    simdjson::dom::array attributes;
    if (object["attributes"].get(attributes) != simdjson::SUCCESS) return;
    for (const element attribute : attributes) {
      element value;
      if (attribute["value"].get(value) == simdjson::SUCCESS) {
        take(text_member(attribute, "key"), values_.any_value(value));
      }
    }
  }

  void read_resource(element resource) {
    ProcessTags tags;
    std::string name;
    read_attributes(resource, [&](std::string_view key, const TagValue& value) {
      if (key == "service.name") name = value.text;
      tags.add(key, value);
    });
    spans_.set_service(service_, name, std::move(tags));
  }

  void read_span(element piece) {
    TracedSpans::Span span;
    span.trace = text_member(piece, "traceId");
    span.id = text_member(piece, "spanId");
    span.parent = text_member(piece, "parentSpanId");
    span.begin_ns = time_member(piece, "startTimeUnixNano", 1);
    span.end_ns = time_member(piece, "endTimeUnixNano", 1);
    span.service = service_;
    if (span.id.empty() || span.begin_ns == INT64_MAX || span.end_ns == INT64_MAX) {
      spans_.leave_out_incomplete();
      return;
    }
    tags_.clear();
    read_attributes(piece, [&](std::string_view key, const TagValue& value) { tags_.add(key, value); });
    simdjson::dom::array events;
    if (piece["events"].get(events) == simdjson::SUCCESS) {
      for (const element event : events) {
        read_attributes(event, [&](std::string_view key, const TagValue& value) {
          if (value.number) tags_.add_metric(key, *value.number);
        });
      }
    }
    tags_.finish(text_member(piece, "name"));
    element status;
    if (piece["status"]["code"].get(status) == simdjson::SUCCESS) {
      const TagValue code = values_.plain(status);
      tags_.failed |= code.text == "2" || code.text == "STATUS_CODE_ERROR";
    }
    spans_.add(span, tags_);
  }

  DocumentInput documents_;
  ProfileTimeline* timeline_;
  TracedSpans spans_{0};
  simdjson::dom::parser parser_;
  JsonTags values_;
  SpanTags tags_;
  uint32_t service_ = kNoService;
};

Status read(ProfileInput& input, ProfileTimeline* timeline) { return OtlpReader(input, timeline).read(); }

}  // namespace

const Importer kOtlpImporter = {"otlp", "OpenTelemetry JSON (OTLP) of an across-stack trace", recognise, read};

}  // namespace xsp
