#include "analysis/concurrency/node_names.h"

#include <algorithm>
#include <cctype>

namespace xsp::analysis {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0; });
}

bool remove_suffix(std::string_view suffix, std::string_view* name) {
  if (!name->ends_with(suffix) || name->size() == suffix.size()) return false;
  name->remove_suffix(suffix.size());
  return true;
}

/// "X_token_12": what ONNX Runtime appends to make a name unique.
bool remove_token(std::string_view* name) {
  const size_t token = name->rfind("_token_");
  if (token == std::string_view::npos || token == 0 || !is_number(name->substr(token + 7))) return false;
  *name = name->substr(0, token);
  return true;
}

/// "X/MatMulScaleFusion/": the word, which is then removed.
std::string_view remove_fusion(std::string_view* name) {
  std::string_view rest = *name;
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const size_t slash = rest.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return {};
  const std::string_view word = rest.substr(slash + 1);
  if (!word.ends_with("Fusion") || !is_word(word)) return {};
  *name = rest.substr(0, slash);
  return word;
}

/// Such words stack up: at most so many are undone.
constexpr int kMostSuffixes = 8;

}  // namespace

std::vector<NameReading> readings_of(std::string_view name, std::string_view type) {
  std::vector<NameReading> readings;
  readings.push_back({.name = std::string(name)});
  NameReading undone;
  std::string_view rest = name;
  for (int i = 0; i < kMostSuffixes; ++i) {
    if (remove_token(&rest)) {
      if (rest == type) return readings;
    } else if (const std::string_view word = remove_fusion(&rest); !word.empty()) {
      undone.fusion = word;
    } else if (remove_suffix("_nchwc", &rest)) {
      undone.is_value = undone.is_blocked = true;
      undone.is_normalized = remove_suffix("_bn", &rest);
    } else if (!remove_suffix("_new_reshape", &rest)) {
      break;
    }
    undone.name = rest;
    readings.push_back(undone);
  }
  constexpr std::string_view kFused = "fused ";
  if (rest.starts_with(kFused) && rest.size() > kFused.size()) {
    undone.name = rest.substr(kFused.size());
    undone.fusion = "fused";
    readings.push_back(undone);
  }
  return readings;
}

std::string module_of_node(std::string_view node_name, bool* has_module) {
  const size_t operator_at = node_name.rfind('/');
  *has_module = operator_at != std::string_view::npos;
  if (!*has_module) return {};
  std::string_view rest = node_name.substr(0, operator_at);
  std::string module;
  std::string_view last;
  while (!rest.empty()) {
    const size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    if (part.empty()) continue;
    // Members of a list of modules repeat its name: "layer1/layer1.0".
    const bool repeats =
        !last.empty() && part.size() > last.size() && part.starts_with(last) && part[last.size()] == '.';
    if (repeats) {
      module += part.substr(last.size());
    } else {
      if (!module.empty()) module += '.';
      module += part;
    }
    last = part;
  }
  return module;
}

std::string module_of_layer(std::string_view layer_name, bool is_operator) {
  std::string module(layer_name);
  if (is_operator) {
    if (const size_t colon = module.find("::"); colon != std::string::npos) {
      const size_t dot = module.rfind('.', colon);
      module.resize(dot == std::string::npos ? 0 : dot);
    }
  }
  std::ranges::replace(module, '/', '.');
  return module;
}

}  // namespace xsp::analysis
