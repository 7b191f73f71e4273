#include "import/tensorflow/step_labels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace xsp {
namespace {

constexpr std::array kCopyKinds = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"H2D", "HtoD"},
    {"HtoD", "HtoD"},
    {"D2H", "DtoH"},
    {"DtoH", "DtoH"},
    {"D2D", "DtoD"},
    {"DtoD", "DtoD"},
    {"P2P", "PtoP"},
    {"PtoP", "PtoP"},
    {"HtoH", "HtoH"},
    {"HtoA", "HtoA"},
    {"AtoH", "AtoH"},
    {"AtoA", "AtoA"},
    {"AtoD", "AtoD"},
    {"DtoA", "DtoA"},
    {"Other", "other"},
});

/// The value after "key:", up to the next blank; empty if there is none.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != ' ') continue;
    std::string_view value = text.substr(at + key.size());
    return value.substr(0, std::min(value.find_first_of(" @"), value.size()));
  }
  return {};
}

/// "1,2,1": exactly three numbers.
bool is_extent(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789,") == std::string_view::npos &&
         std::count(text.begin(), text.end(), ',') == 2 && text.front() != ',' && text.back() != ',';
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

}  // namespace

NodeLabel parse_node_label(std::string_view label) {
  NodeLabel parsed;
  const size_t equals = label.find(" = ");
  if (equals == std::string_view::npos) return parsed;
  std::string_view call = label.substr(equals + 3);
  const size_t open = call.find('(');
  const size_t close = call.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return parsed;
  parsed.op = call.substr(0, open);
  std::string_view inputs = call.substr(open + 1, close - open - 1);
  while (!inputs.empty()) {
    const size_t comma = inputs.find(", ");
    parsed.inputs.push_back(inputs.substr(0, comma));
    if (comma == std::string_view::npos) break;
    inputs.remove_prefix(comma + 2);
  }
  return parsed;
}

std::string_view copy_kind(std::string_view text) {
  if (!text.starts_with("Memcpy") && !text.starts_with("MEMCPY")) return {};
  text.remove_prefix(6);
  for (const auto& [theirs, ours] : kCopyKinds) {
    if (text.starts_with(theirs)) return ours;
  }
  return {};
}

std::string configuration_of(std::string_view details, std::string_view* rest) {
  const std::string_view grid = value_of(details, "grid:");
  const std::string_view block = value_of(details, "block:");
  if (!is_extent(grid) || !is_extent(block)) return {};
  std::string text = "grid=[";
  text.append(grid).append("] block=[").append(block).append("]");
  const auto add = [&](std::string_view key, std::string_view name) {
    const std::string_view value = value_of(details, key);
    if (is_number(value)) text.append(" ").append(name).append("=").append(value);
    return is_number(value);
  };
  add("regs:", "registers");
  if (!add("static_shared:", "static_shared")) add("shm:", "static_shared");
  add("dynamic_shared:", "dynamic_shared");
  if (rest != nullptr) {
    const size_t first = std::min({details.find(" regs:"), details.find(" grid:"), details.size()});
    *rest = details.substr(0, first);
  }
  return text;
}

KernelLabel parse_kernel_label(std::string_view label, std::string_view node_name) {
  KernelLabel parsed;
  std::string_view annotation = node_name;
  std::string_view details = label;
  if (const size_t at = label.find("@@"); at != std::string_view::npos) {
    details = label.substr(0, at);
    // As TensorFlow's timeline reads it: up to the annotation's metadata.
    const std::string_view behind = label.substr(at + 2);
    const std::string_view name = behind.substr(0, behind.find('#'));
    if (!name.empty()) annotation = name;
  }
  const size_t colon = annotation.find(':');
  if (colon != std::string_view::npos) {
    parsed.node = annotation.substr(0, colon);
    const std::string_view op = annotation.substr(colon + 1);
    parsed.op = op.substr(0, op.find(':'));
  } else if (annotation != "unknown") {
    parsed.node = annotation;
  }

  parsed.copy = copy_kind(details);
  if (parsed.copy.empty()) parsed.copy = copy_kind(parsed.op);
  if (parsed.copy.empty()) parsed.copy = copy_kind(node_name);
  if (const size_t bytes = details.find(" bytes:"); bytes != std::string_view::npos) {
    parsed.bytes = number_of(details.substr(bytes + 7));
  } else if (const size_t blank = details.find(' '); details.starts_with("MEMCPY") && blank != std::string_view::npos) {
    parsed.bytes = number_of(details.substr(blank + 1));
  }
  std::string_view rest;
  parsed.configuration = configuration_of(details, &rest);
  if (!parsed.configuration.empty()) parsed.kernel = rest;
  return parsed;
}

}  // namespace xsp
