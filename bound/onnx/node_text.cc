#include "bound/onnx/node_text.h"

namespace xsp::bound {

std::string name_text(std::string_view name) {
  constexpr size_t kShownBytes = 100;
  if (name.size() <= kShownBytes) return std::string(name);
  return std::string(name.substr(0, kShownBytes)) + "…";
}

std::string node_text(const Node& node) {
  const std::string type = name_text(node.domain.empty() ? node.type : node.domain + "." + node.type);
  if (!node.name.empty()) return "node " + name_text(node.name) + " (" + type + ")";
  for (const std::string& output : node.outputs) {
    if (!output.empty()) return "the " + type + " node of " + name_text(output);
  }
  return "a " + type + " node";
}

}  // namespace xsp::bound
