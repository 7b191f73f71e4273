#include "import/tensorflow/timeline_events.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

constexpr std::string_view kCompute = " Compute";

/// The word after "key: ", searched from `*at` on, which is moved past it.
std::string_view value_behind(std::string_view text, std::string_view key, size_t* at) {
  const size_t found = text.find(key, *at);
  if (found == std::string_view::npos) return {};
  const size_t begin = found + key.size();
  *at = std::min(text.find_first_of(" \n}", begin), text.size());
  return text.substr(begin, *at - begin);
}

}  // namespace

std::optional<StepTensor> parse_tensor_description(std::string_view text) {
  size_t at = 0;
  const std::string_view type = value_behind(text, "dtype: ", &at);
  const size_t shape = text.find("shape {");
  if (type.empty() || shape == std::string_view::npos) return {};
  const std::string_view of_shape = text.substr(shape, text.find("allocation_description", shape) - shape);
  if (of_shape.find("unknown_rank") != std::string_view::npos) return {};
  StepTensor tensor{element_of_data_type(type), "["};
  // A dimension of size 0 has no line.
  size_t dimension = 0;
  while ((dimension = of_shape.find("dim {", dimension)) != std::string_view::npos) {
    const std::string_view one = of_shape.substr(dimension, of_shape.find('}', dimension) - dimension);
    size_t in_it = 0;
    const std::string_view size = value_behind(one, "size: ", &in_it);
    if (tensor.dimensions.size() > 1) tensor.dimensions += ',';
    tensor.dimensions += size.empty() ? "0" : size.starts_with('-') ? std::string_view("?") : size;
    dimension += 1;
  }
  tensor.dimensions += ']';
  return tensor;
}

void TimelineEvents::add(const TraceEvent& event) {
  if (event.phase == "M") {
    std::string_view name = text_of(event.args, "name");
    if (event.name != "process_name" || !event.process || !name.ends_with(kCompute)) return;
    name.remove_suffix(kCompute.size());
    devices_[*event.process] = name;
  } else if (event.phase == "O") {
    const auto snapshot = event.args.find("snapshot");
    if (snapshot == event.args.end()) return;
    auto tensor = parse_tensor_description(text_of(*snapshot, "tensor_description"));
    if (tensor) stats_->add_output(event.name, std::move(*tensor));
  } else if (event.phase == "X") {
    add_node(event);
  }
}

void TimelineEvents::add_node(const TraceEvent& event) {
  const auto device = event.process ? devices_.find(*event.process) : devices_.end();
  if (device == devices_.end()) {
    timeline_->note("event of no device");
    return;
  }
  if (!event.begin_ns || !event.duration_ns) {
    timeline_->note("event without a time");
    return;
  }
  StepNode node;
  node.begin_ns = *event.begin_ns;
  node.end_ns = event.end_ns();
  node.name = text_of(event.args, "name");
  node.op = text_of(event.args, "op");
  if (node.op.empty()) node.op = event.name;
  if (node.name.empty()) node.name = node.op;
  node.thread = static_cast<uint32_t>(event.thread.value_or(0));
  for (size_t i = 0;; ++i) {
    const std::string_view input = text_of(event.args, "input" + std::to_string(i));
    if (input.empty()) break;
    node.inputs.emplace_back(input);
  }
  stats_->add(device->second, std::move(node));
}

}  // namespace xsp
