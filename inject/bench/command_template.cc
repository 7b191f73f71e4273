#include "inject/bench/command_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "inject/launch/experiment/run_number.h"

namespace xsp::bench {
namespace {

bool is_used(const std::vector<std::string>& command, const std::string& name) {
  return std::any_of(command.begin(), command.end(),
                     [&](const std::string& word) { return word.find("{" + name + "}") != std::string::npos; });
}

bool is_name(std::string_view text) {
  if (text.empty() || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '_')) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::string as_list(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += fmt::format("{}'{}'", text.empty() ? "" : " ", word);
  return text;
}

}  // namespace

std::vector<std::string> filled_in(const std::vector<std::string>& command, const launch::Parameters& point) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(launch::with_parameters(word, point));
  return words;
}

std::vector<std::string> unknown_names(const std::vector<std::string>& command,
                                       const std::vector<SweepParameter>& parameters) {
  std::vector<std::string> names;
  for (const std::string& word : command) {
    for (size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
      const size_t end = word.find('}', at);
      if (end == std::string::npos) break;
      const std::string name = word.substr(at + 1, end - at - 1);
      const bool known = std::any_of(parameters.begin(), parameters.end(),
                                     [&](const SweepParameter& parameter) { return parameter.name == name; });
      if (known || !is_name(name) || std::find(names.begin(), names.end(), name) != names.end()) continue;
      names.push_back(name);
    }
  }
  return names;
}

Status check_use(const std::vector<std::string>& command, const std::vector<SweepParameter>& parameters) {
  for (const SweepParameter& parameter : parameters) {
    if (is_used(command, parameter.name)) continue;
    return {
        fmt::format("{{{}}} is nowhere in the command, and all of its points would be the same: {}", parameter.name,
                    as_list(command)),
        fmt::format(
            "write {{{0}}} where its value goes: --{0} {{{0}}}, or env NAME={{{0}}} before a program that reads its "
            "environment",
            parameter.name)};
  }
  return {};
}

}  // namespace xsp::bench
