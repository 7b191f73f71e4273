#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xsp::kineto {

/// What an event stands for, according to its "cat". Names have changed over the years.
enum class Category {
  kNone,     // no category
  kUnknown,  // not a category of the profiler
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
  kIgnored,        // repeats other events
};

Category category_of(std::string_view text);

/// A number that may not be there.
struct Number {
  int64_t value = 0;
  bool is_known = false;

  int64_t or_else(int64_t other) const { return is_known ? value : other; }
};

/// "pid" or "tid", which are numbers or strings.
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
  Number index;  // in the profiler's list of everything that the host did
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
  /// The result of reading an event.
  enum class Outcome {
    kWhole,
    kRepaired,  // invalid UTF-8 or control characters in a text were replaced
    kBroken,    // not an object, or not JSON inside
  };

  /// `text` is one value, followed by simdjson's padding.
  Outcome parse(std::string_view text, ProfilerEvent* event);

 private:
  simdjson::error_code read(std::string_view text, ProfilerEvent* event);

  simdjson::ondemand::parser parser_;
  std::string repaired_;
};

}  // namespace xsp::kineto
