#include "import/tensorflow/step_stats.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <queue>
#include <utility>

#include "import/tensorflow/step_labels.h"

namespace xsp {
namespace {

using wire::Kind;
using wire::Level;

constexpr std::string_view kRun = "Session.run";
constexpr size_t kMaxLanes = 1024;
/// How many executions of one node are searched for the one that launched a kernel.
constexpr size_t kMaxSearched = 64;

/// Nodes that run other nodes, which are listed as well: these are parents, not layers.
constexpr std::string_view kCallers[] = {
    "PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile", "If", "StatelessIf", "Case",
    "StatelessCase"};

bool is_caller(std::string_view op) {
  return std::find(std::begin(kCallers), std::end(kCallers), op) != std::end(kCallers);
}

/// The number after `prefix`, in either case of its first letter: 0 in "…/device:GPU:0/stream:all".
std::optional<uint32_t> number_behind(std::string_view text, std::string_view prefix) {
  const size_t at = text.find(prefix);
  if (at == std::string_view::npos) return {};
  const std::string_view digits = text.substr(at + prefix.size());
  uint32_t number = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return failure == std::errc() && end != digits.data() ? std::optional(number) : std::nullopt;
}

/// "conv1" means the same as "conv1:0".
std::string output_name(std::string_view name) {
  if (name.ends_with(":0")) name.remove_suffix(2);
  return std::string(name);
}

}  // namespace

uint32_t StepStats::task_number(std::string_view task) {
  const auto found = std::find(tasks_.begin(), tasks_.end(), task);
  if (found != tasks_.end()) return static_cast<uint32_t>(found - tasks_.begin());
  tasks_.emplace_back(task);
  return static_cast<uint32_t>(tasks_.size() - 1);
}

StepStats::Device StepStats::make_device(std::string_view name) {
  Device device;
  const size_t task = name.find("/task:");
  if (name.starts_with("/job:") && task != std::string_view::npos) {
    device.task = task_number(name.substr(0, name.find('/', task + 1)));
  }
  device.gpu = number_behind(name, "GPU:");
  if (!device.gpu) device.gpu = number_behind(name, "gpu:");
  if (const size_t stream = name.find("/stream:"); stream != std::string_view::npos) {
    const std::string_view which = name.substr(stream + 8);
    const auto number = number_behind(which, "");
    device.place = number ? Place::kStream : Place::kAll;
    device.stream = number.value_or(0);
    if (const size_t type = which.find('<'); type != std::string_view::npos) {
      device.copy = copy_kind(which.substr(type + 1));
    }
  } else if (name.find("/memcpy") != std::string_view::npos) {
    device.place = Place::kCopies;
  } else if (name.find("/sync") != std::string_view::npos) {
    device.place = Place::kSync;
  }
  return device;
}

void StepStats::add(std::string_view device, StepNode node) {
  auto found = devices_.find(device);
  if (found == devices_.end()) found = devices_.emplace(std::string(device), make_device(device)).first;
  if (node.op.empty() && found->second.place == Place::kHost) {
    const NodeLabel label = parse_node_label(node.label);
    node.op = label.op;
    node.inputs.assign(label.inputs.begin(), label.inputs.end());
  }
  found->second.nodes.push_back(std::move(node));
  ++nodes_;
}

void StepStats::add_output(std::string_view name, StepTensor tensor) {
  const auto [found, added] = outputs_.try_emplace(output_name(name), tensor);
  const auto& known = found->second;
  if (!added && known && (known->dimensions != tensor.dimensions || known->element != tensor.element)) {
    found->second.reset();
  }
}

void StepStats::collect_outputs() {
  for (const auto& [name, device] : devices_) {
    if (device.place != Place::kHost) continue;
    for (const StepNode& node : device.nodes) {
      for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
        if (!node.outputs[slot]) continue;
        add_output(slot == 0 ? node.name : node.name + ":" + std::to_string(slot), *node.outputs[slot]);
      }
    }
  }
}

/// Inputs are given by name; their shapes are those of the outputs they refer to.
std::string StepStats::arguments_of(const std::vector<std::string>& inputs) const {
  std::string text;
  bool first = true;
  for (const std::string& input : inputs) {
    if (input.starts_with('^')) continue;  // control dependency: takes nothing of it
    if (!first) text += ';';
    first = false;
    const auto found = outputs_.find(output_name(input));
    if (found == outputs_.end() || !found->second || found->second->dimensions.empty()) continue;
    text += found->second->element + found->second->dimensions;
  }
  return text;
}

ImportedProcess& StepStats::process(uint32_t task) {
  ImportedProcess& made = timeline_->process(task);
  if (task < tasks_.size()) made.set_name(tasks_[task]);
  return made;
}

void StepStats::add_host_device(Device& device) {
  ImportedProcess& process = this->process(device.task);
  std::stable_sort(device.nodes.begin(), device.nodes.end(),
                   [](const StepNode& a, const StepNode& b) { return a.begin_ns < b.begin_ns; });
  if (threads_.size() <= device.task) threads_.resize(device.task + 1);
  const uint32_t first_thread = threads_[device.task] + 1;
  using Lane = std::pair<int64_t, uint32_t>;  // end of its last node, number
  std::priority_queue<Lane, std::vector<Lane>, std::greater<>> lanes;
  const uint32_t scope = process.text(kRun);
  for (const StepNode& node : device.nodes) {
    // A zero-duration node that begins together with the next one must not contain it.
    auto number = static_cast<uint32_t>(lanes.size());
    if (!lanes.empty() && (lanes.top().first < node.begin_ns || lanes.size() == kMaxLanes)) {
      number = lanes.top().second;
      lanes.pop();
    }
    lanes.emplace(node.end_ns, number);

    ImportedSpan span;
    span.begin_ns = node.begin_ns;
    span.end_ns = node.end_ns;
    span.kind = Kind::kOperator;
    span.level = is_caller(node.op) ? Level::kApplication : Level::kLayer;
    span.name = process.text(node.name);
    span.type = process.text(node.op);
    if (span.level == Level::kLayer) span.scope = scope;
    span.bytes = node.bytes.value_or(0);
    has_bytes_ |= node.bytes.has_value();
    std::string shape;
    std::string outputs;
    const size_t count = std::max<size_t>(node.outputs.size(), 1);
    for (size_t slot = 0; slot < count; ++slot) {
      // In a timeline, the outputs are listed apart from their node.
      const StepTensor* tensor = nullptr;
      if (slot < node.outputs.size()) {
        tensor = node.outputs[slot] ? &*node.outputs[slot] : nullptr;
      } else if (const auto found = outputs_.find(node.name); found != outputs_.end() && found->second) {
        tensor = &*found->second;
      }
      if (slot != 0) outputs += ';';
      if (tensor == nullptr || tensor->dimensions.empty()) continue;
      outputs += tensor->element + tensor->dimensions;
      if (!shape.empty()) shape += ';';
      shape += tensor->dimensions;
    }
    span.shape = process.text(shape);
    const std::string inputs = arguments_of(node.inputs);
    if (!inputs.empty() || !outputs.empty()) {
      span.arguments = process.add_arguments({.inputs = inputs, .outputs = outputs});
    }
    const uint32_t thread = process.thread(first_thread + number);
    launches_[node.name].push_back({device.task, node.begin_ns, node.end_ns, process.add_span(thread, span)});
  }
  threads_[device.task] += static_cast<uint32_t>(lanes.size());
}

void StepStats::add_waits(const Device& device) {
  ImportedProcess& process = this->process(device.task);
  for (const StepNode& node : device.nodes) {
    ImportedSpan span;
    span.begin_ns = node.begin_ns;
    span.end_ns = node.end_ns;
    span.level = Level::kRuntime;
    span.kind = Kind::kDriverCall;
    span.name = process.text(node.name);
    span.type = process.text("cuda");
    // These are threads of the system, unlike those of nodes.
    process.add_span(process.thread(node.thread), span);
  }
}

void StepStats::add_runs() {
  std::map<uint32_t, std::pair<int64_t, int64_t>> runs;  // by task
  for (const auto& [name, device] : devices_) {
    for (const StepNode& node : device.nodes) {
      auto [run, added] = runs.try_emplace(device.task, node.begin_ns, node.end_ns);
      run->second.first = std::min(run->second.first, node.begin_ns);
      run->second.second = std::max(run->second.second, node.end_ns);
    }
  }
  for (const auto& [task, interval] : runs) {
    ImportedProcess& process = this->process(task);
    ImportedSpan span;
    span.begin_ns = interval.first;
    span.end_ns = interval.second;
    span.level = Level::kModel;
    span.kind = Kind::kRun;
    span.name = process.text(kRun);
    span.scope = span.name;
    process.add_span(process.thread(0), span);
  }
}

/// The node that a kernel names, if it ran once; else the run of it during which the kernel was launched.
uint32_t StepStats::correlation_of(const StepNode& node, uint32_t task) {
  const KernelLabel label = parse_kernel_label(node.label, node.name);
  const auto found = launches_.find(std::string(label.node));
  if (label.node.empty() || found == launches_.end()) return 0;
  std::vector<Launch>& launches = found->second;
  auto first = launches.begin();
  auto last = launches.end();
  if (launches.size() > 1) {
    if (!node.scheduled_ns) return 0;
    last = std::upper_bound(first, last, *node.scheduled_ns,
                            [](int64_t time, const Launch& launch) { return time < launch.begin_ns; });
    first = last - std::min<ptrdiff_t>(last - first, kMaxSearched);
  }
  const auto is_candidate = [&](const Launch& launch) {
    return launch.task == task && (launches.size() == 1 || *node.scheduled_ns < launch.end_ns);
  };
  const auto candidates = std::count_if(first, last, is_candidate);
  if (candidates != 1) return 0;
  uint32_t& correlation = process(task).span(std::find_if(first, last, is_candidate)->span).correlation;
  if (correlation == 0) correlation = ++correlations_;
  return correlation;
}

void StepStats::add_executions(const Device& device) {
  ImportedProcess& process = this->process(device.task);
  for (const StepNode& node : device.nodes) {
    const KernelLabel label = parse_kernel_label(node.label, node.name);
    std::string_view copy = label.copy.empty() ? copy_kind(node.op) : label.copy;
    if (copy.empty()) copy = device.copy;
    ImportedExecution execution;
    execution.begin_ns = node.begin_ns;
    execution.end_ns = node.end_ns;
    execution.queue = {.device = device.gpu.value_or(0), .stream = device.stream};
    execution.correlation = correlation_of(node, device.task);
    if (!copy.empty() || device.place == Place::kCopies) {
      execution.kind = Kind::kMemcpy;
      execution.name = process.text(copy.empty() ? "unknown" : copy);
      execution.bytes = label.bytes.value_or(0);
    } else {
      std::string_view name = label.kernel;
      if (name.empty()) {
        names_kernels_by_op_ = true;
        name = !label.op.empty()  ? label.op
               : !node.op.empty() ? std::string_view(node.op)
                                  : std::string_view(node.name);
      }
      execution.name = process.text(name);
      execution.configuration = process.text(label.configuration);
    }
    process.add_execution(execution);
  }
}

void StepStats::finish() {
  collect_outputs();
  add_runs();
  std::map<std::pair<uint32_t, uint32_t>, bool> has_streams;  // (task, GPU): whether its streams are listed separately
  for (auto& [name, device] : devices_) {
    if (device.place == Place::kHost) add_host_device(device);
    if (device.place == Place::kSync) add_waits(device);
    if (device.place == Place::kStream) has_streams[{device.task, device.gpu.value_or(0)}] = true;
  }
  for (auto& [name, launches] : launches_) {
    std::stable_sort(launches.begin(), launches.end(),
                     [](const Launch& a, const Launch& b) { return a.begin_ns < b.begin_ns; });
  }
  for (const auto& [name, device] : devices_) {
    const bool is_again = device.place == Place::kAll || device.place == Place::kCopies;
    if (device.place != Place::kStream && !is_again) continue;
    if (is_again && has_streams.contains({device.task, device.gpu.value_or(0)})) continue;
    add_executions(device);
  }
  if (has_bytes_) {
    for (ImportedProcess& process : timeline_->processes()) process.know_bytes();
  }
  timeline_->set_realtime_origin(0);
  timeline_->set_resolution(1000);
  timeline_->note("Session.run lasts from the begin of its first node to the end of its last one", 0);
  if (names_kernels_by_op_) {
    timeline_->note("kernels whose names the file does not have stand under that of their operator", 0);
  }
}

}  // namespace xsp
