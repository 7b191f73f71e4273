#include "import/frame/trace_events.h"

#include "base/number_text.h"
#include "base/text_encoding.h"
#include "collector/formats/event_time.h"

namespace xsp {
namespace {

using nlohmann::json;

std::optional<double> number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  return number_in<double>(text);
}

std::optional<int64_t> nanoseconds_of(const json& value) {
  if (const auto whole = value.is_number_float() ? std::nullopt : integer_of(value)) return nanoseconds_of_us(*whole);
  const auto us = number_of(value);
  return us ? nanoseconds_of_us(*us) : std::nullopt;
}

}  // namespace

json parse_json(std::string_view text) {
  json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) parsed = json::parse(trace_text(text), nullptr, false);
  return parsed;
}

std::optional<int64_t> integer_of(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return number <= INT64_MAX ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  return number_in<int64_t>(text);
}

std::optional<int64_t> integer_of(const json& object, std::string_view key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? std::nullopt : integer_of(*found);
}

std::string_view text_of(const json& object, std::string_view key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>();
}

bool read_trace_event(std::string_view text, TraceEvent* event) {
  *event = {};
  json parsed = parse_json(text);
  if (!parsed.is_object()) return false;
  event->phase = text_of(parsed, "ph");
  event->category = text_of(parsed, "cat");
  event->name = text_of(parsed, "name");
  event->process = integer_of(parsed, "pid");
  if (const auto found = parsed.find("tid"); found != parsed.end()) {
    if (found->is_number_unsigned()) {
      event->thread = found->get<uint64_t>();
    } else if (const auto id = integer_of(*found)) {
      event->thread = static_cast<uint64_t>(*id);
    }
  }
  if (const auto found = parsed.find("ts"); found != parsed.end()) event->begin_ns = nanoseconds_of(*found);
  if (const auto found = parsed.find("dur"); found != parsed.end()) {
    event->duration_ns = nanoseconds_of(*found);
    if (event->duration_ns && *event->duration_ns < 0) event->duration_ns.reset();
  }
  if (const auto found = parsed.find("args"); found != parsed.end() && found->is_object()) {
    event->args = std::move(*found);
  } else {
    event->args = json::object();
  }
  return true;
}

bool TraceEvents::next(TraceEvent* event) {
  return next_taken([&](std::string_view text) { return read_trace_event(text, event); });
}

bool TraceEvents::next_taken(const std::function<bool(std::string_view text)>& read) {
  for (;;) {
    last_ = pieces_.next();
    if (last_ == JsonPieces::Piece::kOpen || last_ == JsonPieces::Piece::kClose) continue;
    if (last_ != JsonPieces::Piece::kValue) return false;
    if (!pieces_.path().ends_with("[]")) continue;
    if (read(pieces_.text())) return true;
    if (damaged_++ == 0) first_damaged_ = pieces_.position();
  }
}

Status TraceEvents::finish(bool usable, std::string_view format, ProfileTimeline* timeline) const {
  if (damaged_ != 0)
    timeline->note("event that is no JSON object (the first at byte " + std::to_string(first_damaged_) + ")", damaged_);
  return finish_document(input_, pieces_, last_, usable, format, timeline);
}

}  // namespace xsp
