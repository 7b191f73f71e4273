/// Jaeger's JSON, as exported by its API and its user interface.

#include <map>
#include <string>

#include <simdjson.h>

#include "base/json_pieces.h"
#include "import/frame/importer.h"
#include "import/tracing/json_tags.h"
#include "import/tracing/traced_spans.h"

namespace xsp {
namespace {

using simdjson::dom::element;

constexpr int64_t kMicrosecond = 1000;

int recognise_jaeger(std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return has("\"spans\"") && has("\"operationName\"") && has("\"spanID\"") ? kSure : 0;
}

class JaegerReader {
 public:
  JaegerReader(ProfileInput& input, ProfileTimeline* timeline)
      : input_(input), timeline_(timeline), spans_(kMicrosecond) {}

  Status read() {
    JsonPieces pieces(input_, {"data[].spans[]", "spans[]"});
    for (;;) {
      switch (pieces.next()) {
        case JsonPieces::Piece::kOpen:
          services_.clear();
          break;
        case JsonPieces::Piece::kClose:
          break;
        case JsonPieces::Piece::kValue:
          read_piece(pieces);
          break;
        case JsonPieces::Piece::kEnd:
          return finish();
        case JsonPieces::Piece::kTruncated:
          return finish("the input ends early, at byte " + std::to_string(pieces.position()));
        case JsonPieces::Piece::kMalformed:
          return finish("no JSON of Jaeger from byte " + std::to_string(pieces.position()));
      }
    }
  }

 private:
  Status finish(std::string early_end = {}) { return spans_.finish(std::move(early_end), input_, timeline_); }

  void read_piece(const JsonPieces& pieces) {
    const bool is_span = pieces.path() == "data[].spans[]" || pieces.path() == "spans[]";
    const bool is_processes = pieces.path() == "data[].processes" || pieces.path() == "processes";
    if (!is_span && !is_processes) return;
    element piece;
    const auto* text = reinterpret_cast<const uint8_t*>(pieces.text().data());
    if (parser_.parse(text, pieces.text().size(), false).get(piece) != simdjson::SUCCESS || !piece.is_object()) {
      if (is_span) spans_.leave_out_damaged();
      return;
    }
    if (is_span) {
      read_span(piece);
    } else {
      for (const auto& [id, process] : piece.get_object()) read_process(service_of(id), process);
    }
  }

  uint32_t service_of(std::string_view id) {
    const auto known = services_.find(id);
    if (known != services_.end()) return known->second;
    return services_.emplace(id, spans_.add_service()).first->second;
  }

  void read_process(uint32_t service, element process) {
    ProcessTags tags;
    read_tags(process, [&](std::string_view key, const TagValue& value) { tags.add(key, value); });
    spans_.set_service(service, text_member(process, "serviceName"), std::move(tags));
  }

  template <typename Take>
  void read_tags(element object, Take&& take, std::string_view member = "tags") {
    simdjson::dom::array tags;
    if (object[member].get(tags) != simdjson::SUCCESS) return;
    for (const element tag : tags) {
      element value;
      if (tag["value"].get(value) == simdjson::SUCCESS) take(text_member(tag, "key"), values_.plain(value));
    }
  }

  static std::string_view parent_of(element span) {
    simdjson::dom::array references;
    if (span["references"].get(references) == simdjson::SUCCESS) {
      for (const element reference : references) {
        const std::string_view kind = text_member(reference, "refType");
        if (kind == "CHILD_OF" || kind.empty()) return text_member(reference, "spanID");
      }
      for (const element reference : references) return text_member(reference, "spanID");
    }
    return text_member(span, "parentSpanID");
  }

  void read_span(element piece) {
    TracedSpans::Span span;
    span.trace = text_member(piece, "traceID");
    span.id = text_member(piece, "spanID");
    span.begin_ns = time_member(piece, "startTime", kMicrosecond);
    const int64_t duration = time_member(piece, "duration", kMicrosecond);
    if (span.id.empty() || span.begin_ns == INT64_MAX || duration == INT64_MAX ||
        __builtin_add_overflow(span.begin_ns, duration, &span.end_ns)) {
      spans_.leave_out_incomplete();
      return;
    }
    span.parent = parent_of(piece);
    span.service = service_of(text_member(piece, "processID"));
    const auto add = [&](std::string_view key, const TagValue& value) { tags_.add(key, value); };
    tags_.clear();
    read_tags(piece, add);
    // MLModelScope writes its counters to the logs.
    simdjson::dom::array logs;
    if (piece["logs"].get(logs) == simdjson::SUCCESS) {
      for (const element log : logs) {
        read_tags(
            log,
            [&](std::string_view key, const TagValue& value) {
              if (value.number) tags_.add_metric(key, *value.number);
            },
            "fields");
      }
    }
    tags_.finish(text_member(piece, "operationName"));
    spans_.add(span, tags_);
  }

  ProfileInput& input_;
  ProfileTimeline* timeline_;
  TracedSpans spans_;
  simdjson::dom::parser parser_;
  JsonTags values_;
  SpanTags tags_;
  std::map<std::string, uint32_t, std::less<>> services_;  // of the trace being read, by processID
};

Status read_jaeger(ProfileInput& input, ProfileTimeline* timeline) { return JaegerReader(input, timeline).read(); }

}  // namespace

const Importer kJaegerImporter = {"jaeger", "Jaeger JSON of an across-stack trace", recognise_jaeger, read_jaeger};

}  // namespace xsp
