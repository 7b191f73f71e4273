#include "bound/records/work_item.h"

#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "bound/records/base64.h"

namespace xsp::bound {
namespace {

using Json = nlohmann::ordered_json;

/// The text under a key; empty where there is none. False: something else is there.
bool take_text(const Json& object, const char* key, std::string* text) {
  const auto found = object.find(key);
  if (found == object.end()) return true;
  if (!found->is_string()) return false;
  *text = found->get<std::string>();
  return true;
}

/// The same of a number that is not negative.
bool take_amount(const Json& object, const char* key, double* amount) {
  const auto found = object.find(key);
  if (found == object.end()) return true;
  if (!found->is_number()) return false;
  *amount = found->get<double>();
  return std::isfinite(*amount) && *amount >= 0;
}

}  // namespace

std::string json_line(const WorkItem& item) {
  Json object{{"problem", item.problem}};
  if (!item.model.empty()) object["model"] = base64(item.model);
  object["flops"] = item.flops;
  object["bytes"] = item.bytes;
  if (!item.of.empty()) object["of"] = item.of;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status parse_work_item(std::string_view line, WorkItem* item) {
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object()) return {.error = "no JSON object"};
  WorkItem read;
  std::string model;
  if (!take_text(object, "problem", &read.problem) || read.problem.empty()) {
    return {.error = "\"problem\" is missing or no text"};
  }
  if (!take_text(object, "model", &model)) return {.error = "\"model\" is no text"};
  if (!take_text(object, "of", &read.of)) return {.error = "\"of\" is no text"};
  if (!take_amount(object, "flops", &read.flops)) return {.error = "\"flops\" is no amount"};
  if (!take_amount(object, "bytes", &read.bytes)) return {.error = "\"bytes\" is no amount"};
  std::optional<std::string> bytes = bytes_of_base64(model);
  if (!bytes) return {.error = "\"model\" is not base64"};
  read.model = std::move(*bytes);
  *item = std::move(read);
  return {};
}

}  // namespace xsp::bound
