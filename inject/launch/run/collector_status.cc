#include "inject/launch/run/collector_status.h"

#include <nlohmann/json.hpp>

#include "proto/collector_status.h"

namespace xsp::launch {
namespace {

namespace field = collector_status;

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
  const std::string component = text_in(notice, field::kComponent);
  return component.empty() ? text_in(notice, field::kText) : component + ": " + text_in(notice, field::kText);
}

}  // namespace

std::optional<CollectorStatus> parse_collector_status(const std::string& line) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  CollectorStatus status;
  status.output = text_in(object, field::kOutput);
  status.spans = number_in(object, field::kSpans);
  status.dropped = number_in(object, field::kDropped);
  status.processes = number_in(object, field::kProcesses);
  status.killed = number_in(object, field::kKilled);
  status.bytes = number_in(object, field::kBytes);
  status.not_stored = number_in(object, field::kNotStored);
  status.parts = number_in(object, field::kParts);
  status.removed_parts = number_in(object, field::kRemovedParts);
  if (const auto share = object.find(field::kOverhead); share != object.end() && share->is_number()) {
    status.overhead = share->get<double>();
  }
  status.complete = object.contains(field::kComplete) && object[field::kComplete].is_boolean() &&
                    object[field::kComplete].get<bool>();
  status.error = text_in(object, field::kError);
  if (const auto notices = object.find(field::kNotices); notices != object.end() && notices->is_array()) {
    for (const Json& notice : *notices) {
      if (std::string text = notice_text(notice); !text.empty()) status.notices.push_back(std::move(text));
    }
  }
  if (const auto losses = object.find(field::kLosses); losses != object.end() && losses->is_array()) {
    for (const Json& loss : *losses) {
      if (loss.is_object()) status.losses.push_back({text_in(loss, field::kReason), number_in(loss, field::kCount)});
    }
  }
  if (const auto groups = object.find(field::kUnrecorded); groups != object.end() && groups->is_array()) {
    for (const Json& group : *groups) {
      if (!group.is_object()) continue;
      status.unrecorded.push_back(
          {text_in(group, field::kReason), number_in(group, field::kUser), number_in(group, field::kCount)});
    }
  }
  return status;
}

}  // namespace xsp::launch
