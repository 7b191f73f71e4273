#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/tensorflow/step_node.h"

namespace xsp {

/// TensorFlow's recording of one step, StepStats (tensorflow/core/framework/step_stats.proto): one call of Session.run
/// with a trace level. Becomes a run that lasts from the first node's begin to the last one's end, with the executed
/// nodes as layers, and the kernels and copies of its GPUs.
///
/// A node has no thread: overlapping nodes of one device are put on separate threads, as in TensorFlow's own timeline.
/// A kernel names the node that launched it, but no call.
class StepStats {
 public:
  explicit StepStats(ProfileTimeline* timeline) : timeline_(timeline) {}

  /// Adds what ran on a device: "/job:worker/replica:0/task:1/device:GPU:0", "/device:GPU:0/stream:14".
  void add(std::string_view device, StepNode node);
  /// An output that is listed apart from its node: "conv1" or "conv1:1".
  void add_output(std::string_view name, StepTensor tensor);

  bool is_empty() const { return nodes_ == 0; }
  void finish();

 private:
  enum class Place : uint8_t {
    kHost,    // the device's nodes
    kStream,  // kernels and copies of one stream
    kAll,     // those of all streams again
    kCopies,  // copies of all streams again
    kSync,    // calls that wait
  };
  struct Device {
    Place place = Place::kHost;
    uint32_t task = 0;
    std::optional<uint32_t> gpu;
    uint32_t stream = 0;
    std::string copy;  // "HtoD", of a stream's copies
    std::vector<StepNode> nodes;
  };
  /// Where a node ran.
  struct Launch {
    uint32_t task;
    int64_t begin_ns;
    int64_t end_ns;
    ImportedSpanId span;
  };

  Device make_device(std::string_view name);
  uint32_t task_number(std::string_view task);
  void collect_outputs();
  void add_host_device(Device& device);
  void add_waits(const Device& device);
  void add_runs();
  void add_executions(const Device& device);
  uint32_t correlation_of(const StepNode& node, uint32_t task);
  std::string arguments_of(const std::vector<std::string>& inputs) const;
  ImportedProcess& process(uint32_t task);

  ProfileTimeline* timeline_;
  std::map<std::string, Device, std::less<>> devices_;
  std::vector<std::string> tasks_;
  std::unordered_map<std::string, std::optional<StepTensor>> outputs_;  // nothing: conflicting reports
  std::unordered_map<std::string, std::vector<Launch>> launches_;       // by node
  std::vector<uint32_t> threads_;                                       // used, by task
  uint64_t nodes_ = 0;
  uint32_t correlations_ = 0;
  bool has_bytes_ = false;
  bool names_kernels_by_op_ = false;
};

}  // namespace xsp
