#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/study/study.h"
#include "proto/trace_messages.h"

namespace xsp::analysis {

using ThreadSetting = wire::ThreadCountsSetting;
using ThreadsEnded = wire::ThreadCountsEnded;

/// One number of threads at which the subject's model was measured.
struct ThreadPoint {
  uint32_t threads = 0;
  bool is_own = false;  // the program's own number
  uint32_t group = 0;   // of Evaluations::groups
  RunValues model_ns;   // latency of each evaluation that is used, run by run
  uint32_t seen = 0;    // threads that the framework had, as the guest saw it; 0: not known
};

/// A layer of the subject at all points.
struct ThreadLayer {
  uint32_t index = 0;  // of A2
  std::string name;
  std::string type;
  std::string shape;                     // of the output, as A2 has it
  std::optional<double> input_elements;  // of its inputs, together
  std::vector<RunValues> latency_ns;     // by point; empty where a point does not have the layer
};

/// Evaluations that ran one behind the other with the same setting (xsp-run --concurrency apply).
struct ThreadBlock {
  ThreadSetting setting = ThreadSetting::kUnspecified;
  std::vector<double> model_ns;
};

/// Whether others wanted the processors while this was measured.
struct MachineLoad {
  uint32_t online = 0;               // logical processors; 0: not known
  std::optional<double> runnable;    // tasks that ran or waited, on average
  std::optional<double> waited_pct;  // of the time of the calls with no more threads than cores
  bool is_busy = false;              // more runnable tasks than processors, or calls that waited a tenth of their time
};

/// The subject's model with different numbers of threads: evaluations of one process (xsp-run --concurrency), or runs
/// of a sweep over a parameter called `threads` (xsp-bench --threads, or -L threads).
struct ThreadSweep {
  bool in_process = false;
  bool is_applied = false;          // xsp-run --concurrency apply: blocks, and no probes
  std::vector<ThreadPoint> points;  // ascending
  std::vector<ThreadLayer> layers;  // in execution order; empty: none was recorded
  std::vector<ThreadBlock> blocks;  // of a run that applies advice, in order of time
  uint32_t own_threads = 0;         // 0: not known
  uint32_t cores = 0;               // that can be used; 0: not known
  bool is_set_by_program = false;   // the program has the same number of threads at all points
  ThreadsEnded ended = ThreadsEnded::kNotEnded;
  std::vector<wire::ThreadSwitch> switches;
  MachineLoad load;
};

/// Null where the input has no two numbers of threads of one model, and applied none. Found at the first call.
const ThreadSweep* thread_sweep(const Study& study);

}  // namespace xsp::analysis
