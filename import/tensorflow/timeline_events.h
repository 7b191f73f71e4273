#pragma once

#include <map>
#include <string>

#include "import/frame/trace_events.h"
#include "import/tensorflow/step_stats.h"

namespace xsp {

/// Events of the JSON that tensorflow.python.client.timeline makes of a StepStats:
///
///     {"name":"process_name","ph":"M","pid":1,"args":{"name":"/job:localhost/replica:0/task:0/device:CPU:0 Compute"}}
///     {"ph":"O","cat":"Tensor","name":"conv1","args":{"snapshot":{"tensor_description":"dtype: DT_FLOAT\nshape {…"}},
///     …}
///     {"ph":"X","cat":"Op","name":"Conv2D","pid":1,"tid":0,"ts":…,"dur":…,"args":{"name":"conv1","op":"Conv2D","input0":"x"}}
///
/// Kernel names are not included: a stream event has the name of its operator.
class TimelineEvents {
 public:
  explicit TimelineEvents(ProfileTimeline* timeline, StepStats* stats) : timeline_(timeline), stats_(stats) {}

  void add(const TraceEvent& event);

 private:
  void add_node(const TraceEvent& event);

  ProfileTimeline* timeline_;
  StepStats* stats_;
  std::map<int64_t, std::string> devices_;  // by process of the JSON
};

/// Type and dimensions in the text form of a TensorDescription; nothing if it has none.
std::optional<StepTensor> parse_tensor_description(std::string_view text);

}  // namespace xsp
