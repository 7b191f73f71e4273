#include "inject/launch/concurrency/swept_threads.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "proto/environment.h"
#include "proto/set_index.h"

namespace xsp::launch {
namespace {

using Json = nlohmann::json;

Json member_in(const Json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

}  // namespace

std::optional<SweptThreads> read_swept_threads(const std::string& folder) {
  std::ifstream file(folder + "/" + set_index::kFileName);
  if (!file) return std::nullopt;
  const Json runs = member_in(Json::parse(file, nullptr, false), set_index::kRuns);
  if (!runs.is_array()) return std::nullopt;
  std::optional<SweptThreads> swept;
  for (const Json& run : runs) {
    if (!member_in(member_in(run, set_index::kParameters), "threads").is_string()) continue;
    if (!swept) swept = SweptThreads();
    const Json words = member_in(member_in(run, set_index::kVariables), variable::kConcurrency);
    if (!words.is_string()) continue;
    swept->by_variables = true;
    if (words.get<std::string>().find(" sessions-inter=") != std::string::npos) swept->kind = ThreadKind::kInter;
  }
  return swept;
}

}  // namespace xsp::launch
