#include "inject/launch/experiment/run_number.h"

#include <algorithm>

namespace xsp::launch {
namespace {

constexpr std::string_view kPlace = "{run}";
constexpr std::string_view kLiteral = "{{run}}";

/// What with_run_number leaves as `text`.
std::string as_literal(const std::string& text) {
  std::string result = text;
  for (size_t at = 0; (at = result.find(kPlace, at)) != std::string::npos; at += kLiteral.size()) {
    result.replace(at, kPlace.size(), kLiteral);
  }
  return result;
}

}  // namespace

std::string with_run_number(const std::string& text, uint32_t number) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.starts_with(kLiteral)) {
      result += kPlace;
      at += kLiteral.size();
    } else if (rest.starts_with(kPlace)) {
      result += std::to_string(number);
      at += kPlace.size();
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::vector<std::string> with_run_number(const std::vector<std::string>& command, uint32_t number) {
  std::vector<std::string> result;
  for (const std::string& word : command) result.push_back(with_run_number(word, number));
  return result;
}

bool has_run_number(const std::vector<std::string>& command) {
  return std::any_of(command.begin(), command.end(),
                     [](const std::string& word) { return with_run_number(word, 0) != with_run_number(word, 1); });
}

std::string with_parameters(const std::string& text, const Parameters& parameters) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& parameter) {
      return text[at] == '{' && text.compare(at, parameter.first.size() + 2, "{" + parameter.first + "}") == 0;
    });
    if (found == parameters.end()) {
      result += text[at++];
    } else {
      result += as_literal(found->second);
      at += found->first.size() + 2;
    }
  }
  return result;
}

}  // namespace xsp::launch
