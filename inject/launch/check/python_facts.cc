#include "inject/launch/check/python_facts.h"

#include <nlohmann/json.hpp>

namespace xsp::launch {
namespace {

using Json = nlohmann::json;

const Json* member_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

std::string text_in(const Json& object, const char* key) {
  const Json* member = member_of(object, key);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

bool flag_in(const Json& object, const char* key) {
  const Json* member = member_of(object, key);
  return member != nullptr && member->is_boolean() && member->get<bool>();
}

std::vector<std::string> texts_in(const Json& object, const char* key) {
  std::vector<std::string> texts;
  const Json* member = member_of(object, key);
  if (member == nullptr || !member->is_array()) return texts;
  for (const Json& text : *member) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

FrameworkFacts framework_of(const Json& object) {
  return {.version = text_in(object, "version"),
          .broken = text_in(object, "broken"),
          .libtorch_cpu = text_in(object, "libtorch_cpu"),
          .libc10 = text_in(object, "libc10"),
          .libraries = texts_in(object, "libraries"),
          .is_for_cuda = flag_in(object, "cuda"),
          .makes_sessions = flag_in(object, "makes_sessions")};
}

}  // namespace

std::optional<PythonFacts> parse_python_facts(std::string_view output) {
  const size_t mark = output.rfind(kFactsMark);
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view line = output.substr(mark + kFactsMark.size());
  const Json object = Json::parse(line.substr(0, line.find('\n')), nullptr, false);
  if (!object.is_object()) return std::nullopt;
  PythonFacts facts = {.implementation = text_in(object, "implementation"),
                       .version = text_in(object, "version"),
                       .executable = text_in(object, "executable"),
                       .is_shared = flag_in(object, "shared"),
                       .has_audit_hook = flag_in(object, "audit_hook"),
                       .is_before_3_8 = flag_in(object, "before_3_8"),
                       .cupti_folders = texts_in(object, "cupti_folders"),
                       .frameworks = {}};
  if (const Json* frameworks = member_of(object, "frameworks"); frameworks != nullptr && frameworks->is_object()) {
    for (const auto& [module, of] : frameworks->items()) {
      if (of.is_object()) facts.frameworks[module] = framework_of(of);
    }
  }
  return facts;
}

}  // namespace xsp::launch
