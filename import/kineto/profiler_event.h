#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xsp::kineto {

/// What an event stands for, as its "cat" says. Names have changed with the years.
enum class Category {
  kNone,     // there is none
  kUnknown,  // none of the profiler's
  kOperator,
  kAnnotation,
  kPythonFunction,
  kRuntimeCall,
  kDriverCall,
  kKernel,
  kMemcpy,
  kMemset,
  kSynchronization,
  kDeviceAnnotation,
  kOverhead,
  kInstant,        // [memory]
  kForwardFlow,    // from an operator to its backward operator
  kLaunchFlow,     // of torch.autograd.profiler, which knows no runtime calls
  kProfilerRange,  // counters with made-up times
  kIgnored,        // what repeats other events
};

Category category_of(std::string_view text);

/// A number that may not be there.
struct Number {
  int64_t value = 0;
  bool is_known = false;

  int64_t or_else(int64_t other) const { return is_known ? value : other; }
};

/// "pid" or "tid", which are numbers or texts.
struct Place {
  std::string_view text;  // empty: a number
  Number number;
};

enum class TimeState : uint8_t { kMissing, kInvalid, kKnown };

/// One event of the profiler. Views are valid until the next one is parsed.
struct ProfilerEvent {
  char phase = 0;
  Category category = Category::kNone;
  TimeState time = TimeState::kMissing;
  TimeState duration = TimeState::kMissing;
  std::string_view name;
  Place pid;
  Place tid;
  int64_t time_ns = 0;
  int64_t duration_ns = 0;
  Number id;  // of a flow

  // Of "args":
  Number correlation, external, device, context, stream, bytes, registers, shared_memory, graph, graph_node;
  Number sequence, forward_thread;
  Number index;  // in the profiler's list of all that the host did
  Number device_type;
  Number python, python_parent;                              // ids of Python functions
  std::string_view label;                                    // "name"
  std::vector<std::pair<std::string_view, double>> metrics;  // such as "smsp__inst_executed.sum"
  // JSON as it stands in the input:
  std::string_view grid, block;
  std::string_view input_dims, input_types, concrete_inputs;
  std::string_view collective, collective_type, input_elements, output_elements, group_size;
};

class EventParser {
 public:
  /// How an event was read.
  enum class Outcome {
    kWhole,
    kRepaired,  // with other bytes in the place of what is no UTF-8 or a control character in a text
    kBroken,    // no object, or not JSON within
  };

  /// `text` is one value, with simdjson's padding behind it.
  Outcome parse(std::string_view text, ProfilerEvent* event);

 private:
  simdjson::error_code read(std::string_view text, ProfilerEvent* event);

  simdjson::ondemand::parser parser_;
  std::string repaired_;
};

}  // namespace xsp::kineto
