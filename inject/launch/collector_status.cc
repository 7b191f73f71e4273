#include "inject/launch/collector_status.h"

#include <nlohmann/json.hpp>

namespace xsp::launch {
namespace {

using Json = nlohmann::json;

uint64_t number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A notice is a string, or an object with component and text.
std::string notice_text(const Json& notice) {
  if (notice.is_string()) return notice.get<std::string>();
  if (!notice.is_object()) return {};
  const std::string component = text_in(notice, "component");
  return component.empty() ? text_in(notice, "text") : component + ": " + text_in(notice, "text");
}

}  // namespace

std::optional<CollectorStatus> parse_collector_status(const std::string& line) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  CollectorStatus status;
  status.output = text_in(object, "output");
  status.spans = number_in(object, "spans");
  status.dropped = number_in(object, "dropped");
  status.processes = number_in(object, "processes");
  status.killed = number_in(object, "killed");
  status.bytes = number_in(object, "bytes");
  status.not_stored = number_in(object, "not_stored");
  status.parts = number_in(object, "parts");
  status.removed_parts = number_in(object, "removed_parts");
  if (const auto share = object.find("overhead"); share != object.end() && share->is_number()) {
    status.overhead = share->get<double>();
  }
  status.complete = object.contains("complete") && object["complete"].is_boolean() && object["complete"].get<bool>();
  status.error = text_in(object, "error");
  if (const auto notices = object.find("notices"); notices != object.end() && notices->is_array()) {
    for (const Json& notice : *notices) {
      if (std::string text = notice_text(notice); !text.empty()) status.notices.push_back(std::move(text));
    }
  }
  if (const auto losses = object.find("losses"); losses != object.end() && losses->is_array()) {
    for (const Json& loss : *losses) {
      if (loss.is_object()) status.losses.push_back({text_in(loss, "reason"), number_in(loss, "count")});
    }
  }
  return status;
}

}  // namespace xsp::launch
