/// OTLP in JSON: a single document, or one per batch.

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "base/json_pieces.h"
#include "import/frame/importer.h"
#include "import/frame/profile_input.h"
#include "import/tracing/json_tags.h"
#include "import/tracing/traced_spans.h"

namespace xsp {
namespace {

/// An input of several JSON documents in a row, each on a line of its own or not: it ends where a document does, until
/// the next one is requested.
class DocumentInput final : public ProfileInput {
 public:
  explicit DocumentInput(ProfileInput& input);

  /// Advances to the next document. False: there is none.
  bool next();
  /// Offset in the input at which the document begins.
  uint64_t begin() const { return document_begin_; }

  const std::string& path() const override { return input_.path(); }
  std::string_view head(size_t) override { return {}; }
  size_t read(char* to, size_t size) override;
  Status error() const override { return input_.error(); }
  uint64_t position() const override { return position_; }
  Status as_file(std::string*) override { return Status{"a document is no file"}; }

 private:
  bool fill();

  ProfileInput& input_;
  std::unique_ptr<char[]> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t position_ = 0;
  uint64_t document_begin_ = 0;
  uint64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool is_at_end_ = true;
};

constexpr size_t kBufferBytes = size_t{64} << 10;

bool is_between(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\x1e'; }

DocumentInput::DocumentInput(ProfileInput& input) : input_(input), buffer_(new char[kBufferBytes]) {}

bool DocumentInput::fill() {
  if (at_ < end_) return true;
  at_ = 0;
  end_ = input_.read(buffer_.get(), kBufferBytes);
  return end_ != 0;
}

bool DocumentInput::next() {
  char rest[256];
  while (read(rest, sizeof rest) != 0) {
  }
  depth_ = 0;
  in_string_ = escaped_ = false;
  while (fill() && is_between(buffer_[at_])) {
    ++at_;
    ++position_;
  }
  document_begin_ = position_;
  is_at_end_ = at_ == end_;
  return !is_at_end_;
}

size_t DocumentInput::read(char* to, size_t size) {
  if (is_at_end_ || !fill()) return 0;
  const size_t limit = std::min(size, end_ - at_);
  size_t taken = 0;
  while (taken < limit && !is_at_end_) {
    const char byte = buffer_[at_ + taken++];
    if (in_string_) {
      in_string_ = escaped_ || byte != '"';
      escaped_ = !escaped_ && byte == '\\';
    } else if (byte == '"') {
      in_string_ = true;
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else if (byte == '}' || byte == ']') {
      is_at_end_ = depth_ <= 1;
      depth_ -= depth_ != 0 ? 1 : 0;
    }
  }
  std::memcpy(to, buffer_.get() + at_, taken);
  at_ += taken;
  position_ += taken;
  return taken;
}

using simdjson::dom::element;

constexpr std::string_view kSpans = "resourceSpans[].scopeSpans[].spans[]";
constexpr std::string_view kOlderSpans = "resourceSpans[].instrumentationLibrarySpans[].spans[]";
/// OpenTelemetry's logging exporter for Java writes each resource as a document.
constexpr std::string_view kLoggedSpans = "scopeSpans[].spans[]";
constexpr uint32_t kNoService = UINT32_MAX;

int recognise_otlp(std::string_view head) {
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

Status read_otlp(ProfileInput& input, ProfileTimeline* timeline) { return OtlpReader(input, timeline).read(); }

}  // namespace

const Importer kOtlpImporter = {"otlp", "OpenTelemetry JSON (OTLP) of an across-stack trace", recognise_otlp,
                                read_otlp};

}  // namespace xsp
