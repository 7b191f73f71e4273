#include "analysis/concurrency/node_graph.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "analysis/concurrency/onnx_nodes.h"
#include "base/mapped_file.h"
#include "base/owned_fd.h"

namespace xsp::analysis {
namespace {

std::string quoted(std::string_view name) {
  constexpr size_t kLongest = 80;
  return name.size() <= kLongest ? fmt::format("\"{}\"", name) : fmt::format("\"{}…\"", name.substr(0, kLongest));
}

std::string text_of(const OnnxNode& node) {
  const std::string_view name = !node.name.empty() ? node.name : node.outputs.empty() ? "" : node.outputs.front();
  return fmt::format("node {} ({})", quoted(name), node.type);
}

Status damage(std::string error) { return {std::move(error), kHintDamagedGraph}; }

using Writers = std::unordered_map<std::string_view, uint32_t>;

Status find_writers(const std::vector<OnnxNode>& nodes, Writers* writers) {
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    for (const std::string_view output : nodes[i].outputs) {
      if (writers->try_emplace(output, i).second) continue;
      return damage(fmt::format("value {} is written twice, the second time by {}", quoted(output), text_of(nodes[i])));
    }
  }
  return {};
}

std::vector<std::vector<uint32_t>> find_dependencies(const std::vector<OnnxNode>& nodes, const Writers& writers) {
  std::vector<std::vector<uint32_t>> after(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string_view input : nodes[i].inputs) {
      if (const auto found = writers.find(input); found != writers.end()) after[i].push_back(found->second);
    }
    std::ranges::sort(after[i]);
    after[i].erase(std::unique(after[i].begin(), after[i].end()), after[i].end());
  }
  return after;
}

bool is_in_order(const std::vector<std::vector<uint32_t>>& after) {
  for (size_t i = 0; i < after.size(); ++i) {
    if (!after[i].empty() && after[i].back() >= i) return false;
  }
  return true;
}

/// Of the nodes that are ready always the first one of the file. Shorter than `after` where there is a cycle.
std::vector<uint32_t> order_of(const std::vector<std::vector<uint32_t>>& after) {
  std::vector<size_t> waits_for(after.size());
  std::vector<std::vector<uint32_t>> readers(after.size());
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < after.size(); ++i) {
    waits_for[i] = after[i].size();
    for (const uint32_t writer : after[i]) readers[writer].push_back(i);
    if (after[i].empty()) ready.push(i);
  }
  std::vector<uint32_t> order;
  order.reserve(after.size());
  while (!ready.empty()) {
    const uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const uint32_t reader : readers[node]) {
      if (--waits_for[reader] == 0) ready.push(reader);
    }
  }
  return order;
}

/// A node of a cycle, where `order` lacks some: those that are not in it wait for one another.
uint32_t node_of_cycle(const std::vector<std::vector<uint32_t>>& after, const std::vector<uint32_t>& order) {
  std::vector<bool> is_done(after.size());
  for (const uint32_t node : order) is_done[node] = true;
  auto node = static_cast<uint32_t>(std::ranges::find(is_done, false) - is_done.begin());
  for (std::vector<bool> is_seen(after.size()); !is_seen[node];) {
    is_seen[node] = true;
    node = *std::ranges::find_if(after[node], [&](uint32_t writer) { return !is_done[writer]; });
  }
  return node;
}

Status file_fault(std::string error, const char* hint) { return {std::move(error), hint}; }

}  // namespace

Status parse_node_graph(std::string_view bytes, NodeGraph* graph) {
  graph->nodes.clear();
  std::vector<OnnxNode> nodes;
  if (Status status = read_onnx_nodes(bytes, &nodes); !status.ok()) return status;
  Writers writers;
  if (Status status = find_writers(nodes, &writers); !status.ok()) return status;
  std::vector<std::vector<uint32_t>> after = find_dependencies(nodes, writers);

  std::vector<uint32_t> order;
  if (!is_in_order(after)) {
    order = order_of(after);
    if (order.size() != nodes.size()) {
      return damage(fmt::format("a cycle: {} reads what is computed from its own output",
                                text_of(nodes[node_of_cycle(after, order)])));
    }
  }
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;

  graph->nodes.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const size_t from = order.empty() ? i : order[i];
    GraphNode& node = graph->nodes.emplace_back();
    node.name = nodes[from].name;
    node.type = nodes[from].type;
    node.inputs.assign(nodes[from].inputs.begin(), nodes[from].inputs.end());
    node.outputs.assign(nodes[from].outputs.begin(), nodes[from].outputs.end());
    node.after = std::move(after[from]);
    if (order.empty()) continue;
    for (uint32_t& writer : node.after) writer = place[writer];
    std::ranges::sort(node.after);
  }
  return {};
}

Status read_node_graph(const std::string& path, NodeGraph* graph) {
  graph->nodes.clear();
  // A pipe without a writer would keep open() waiting.
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) {
    return file_fault(fmt::format("cannot open {} ({})", path, std::strerror(errno)), kHintNoGraph);
  }
  if (S_ISDIR(facts.st_mode)) return file_fault(path + " is a directory", "give the .onnx file in it");
  if (!S_ISREG(facts.st_mode)) return file_fault(path + " is no regular file", "save the model as a file");
  if (facts.st_size == 0) return file_fault(path + " is empty", kHintDamagedGraph);
  const MappedFile mapped(file.get(), static_cast<size_t>(facts.st_size));
  if (!mapped.is_there()) {
    return file_fault(fmt::format("cannot read {} ({})", path, std::strerror(errno)), "copy it to a local file system");
  }
  Status status = parse_node_graph(mapped.bytes(), graph);
  if (!status.ok()) status.error.insert(0, path + ": ");
  return status;
}

}  // namespace xsp::analysis
