#include "bound/model/value_readers.h"

#include <algorithm>

namespace xsp::bound {
namespace {

/// Names that a node reads, its subgraphs included: also such as are the subgraphs' own, which no outer node writes.
template <typename Take>
void visit_reads(const Node& node, const Take& take) {
  for (const std::string& input : node.inputs) {
    if (!input.empty()) take(input);
  }
  for (const Attribute& attribute : node.attributes) {
    for (const Graph& graph : attribute.graphs) {
      for (const Node& inner : graph.nodes) visit_reads(inner, take);
      // A branch may give back a value of the outer graph as it is.
      for (const DeclaredValue& output : graph.outputs) take(output.name);
    }
  }
}

}  // namespace

ValueReaders::ValueReaders(const Graph& graph) : is_needed_(graph.nodes.size(), graph.outputs.empty()) {
  for (const DeclaredValue& output : graph.outputs) read_.insert(output.name);
  // Readers stand behind what they read.
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node& node = graph.nodes[i];
    is_needed_[i] = is_needed_[i] || std::ranges::any_of(node.outputs, [this](const std::string& output) {
                      return !output.empty() && is_read(output);
                    });
    if (is_needed_[i]) visit_reads(node, [this](const std::string& name) { read_.insert(name); });
  }
}

std::vector<size_t> ValueReaders::producers_of(const Node& node, size_t index) {
  std::vector<size_t> producers;
  visit_reads(node, [this, &producers](const std::string& name) {
    if (const auto found = producers_.find(name); found != producers_.end()) producers.push_back(found->second);
  });
  std::ranges::sort(producers);
  producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
  for (const std::string& output : node.outputs) {
    if (!output.empty()) producers_[output] = index;
  }
  return producers;
}

}  // namespace xsp::bound
