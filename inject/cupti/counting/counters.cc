#include "inject/cupti/counting/counters.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <type_traits>

#include "inject/counters/range_functions.h"
#include "inject/cupti/counting/counter_notices.h"
#include "inject/cupti/counting/counter_ranges.h"
#include "inject/cupti/counting/counter_thread.h"
#include "inject/cupti/counting/graph_kernel_names.h"
#include "inject/cupti/counting/waiting_kernels.h"
#include "inject/cupti/library/driver_functions.h"
#include "inject/cupti/library/launch_parameters.h"
#include "inject/guard/cancel_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/guard/pause.h"
#include "inject/guard/spin_lock.h"
#include "inject/objects/loader_functions.h"
#include "inject/record/clock.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// How long another thread's launch is waited for: CUPTI runs one at a time anyway.
constexpr uint64_t kLongestTurnNs = 60'000'000'000;
constexpr uint64_t kLongestLastTurnNs = 2'000'000'000;
/// How many processes work together, as torchrun and others tell each.
constexpr const char* kProcessesOfGroup = "WORLD_SIZE";

struct Counters {
  CounterSetup setup;
  std::atomic<uint32_t> counting;
  char metrics[kMetricsBytes];
  char leave_out[kLeaveOutBytes];
  bool is_in_group;  // with other processes: a graph's kernel that is not known may be one that waits for them
  std::atomic<bool> left_out_told;
  SpinLock<LockOrder::kGraphNames> graphs_lock;
  GraphKernelNames* graphs;
  CounterDevice devices[kMostCountedDevices];
};

constinit ForkWiped<Counters> counters_page;

Counters* counting() {
  Counters* counters = counters_page.get();
  return counters != nullptr && counters->counting.load(std::memory_order_acquire) != 0 ? counters : nullptr;
}

uint32_t this_thread_id() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

bool take_turn(CounterDevice& device, uint32_t thread, uint64_t longest) {
  uint64_t deadline = 0;
  while (true) {
    uint32_t nobody = 0;
    if (device.turn.compare_exchange_strong(nobody, thread, std::memory_order_acq_rel)) {
      device.turn_ns.store(nanoseconds(CLOCK_MONOTONIC), std::memory_order_relaxed);
      return true;
    }
    const uint64_t time = nanoseconds(CLOCK_MONOTONIC);
    if (deadline == 0) deadline = time + longest;
    if (time >= deadline) return false;
    pause_for(20'000);
  }
}

void leave_turn(CounterDevice& device) {
  device.turn_ns.store(0, std::memory_order_relaxed);
  device.turn.store(0, std::memory_order_release);
}

CounterDevice* device_of_turn(Counters& counters, uint32_t thread) {
  for (CounterDevice& device : counters.devices) {
    if (device.turn.load(std::memory_order_relaxed) == thread) return &device;
  }
  return nullptr;
}

/// Whether the context's kernels are counted from now on.
bool count_in(const CounterSetup& setup, CounterDevice& device, void* context) {
  if (device.context == context) return true;
  if (device.context != nullptr) close_ranges(setup, device, true);
  if (device.preparation.load(std::memory_order_acquire) == CounterDevice::kUnasked &&
      (!describe_counters(setup, device, context) || !prepare_device(device))) {
    device.failed = true;
  }
  return !device.failed && open_ranges(setup, device, context);
}

/// Takes the launched graph's kernels as the device's launches; if their number is not that of its ranges, these are
/// others.
void name_graph_kernels(Counters& counters, CounterDevice& device, const cupti::CallbackData& data) {
  device.launches = 0;
  if (counters.graphs == nullptr) return;
  const LockGuard lock(counters.graphs_lock);
  const size_t kernels = counters.graphs->names_of(launched_graph(data), device.names, kMostRanges);
  device.launches = kernels <= kMostRanges ? static_cast<uint32_t>(kernels) : 0;
}

/// With the context current, which it is in a callback of its own launches only.
void close_in_context(const CounterSetup& setup, CounterDevice& device, bool disable) {
  auto* push = reinterpret_cast<int (*)(void*)>(driver_function("cuCtxPushCurrent_v2"));
  auto* pop = reinterpret_cast<int (*)(void**)>(driver_function("cuCtxPopCurrent_v2"));
  const bool pushed = push != nullptr && pop != nullptr && push(device.context) == 0;
  close_ranges(setup, device, disable);
  void* context = nullptr;
  if (pushed) pop(&context);
}

bool may_wait(const Counters& counters, const char* name) { return may_wait_for_others(name, counters.leave_out); }

/// Whether what is launched must not be counted, as it may wait for something that cannot run meanwhile.
bool may_wait(Counters& counters, ApiLaunch launch, const cupti::CallbackData& data) {
  if (launch != ApiLaunch::kGraph) return data.symbol_name != nullptr && may_wait(counters, data.symbol_name);
  if (counters.graphs == nullptr) return counters.is_in_group;
  const LockGuard lock(counters.graphs_lock);
  return counters.graphs->may_wait(launched_graph(data), counters.is_in_group);
}

/// The ranges end before a launch that is not counted, and begin anew with the next one that is. A launch that is
/// captured leaves them alone.
void leave_out(Counters& counters, CounterDevice& device, ApiLaunch launch, const cupti::CallbackData& data) {
  if (!counters.left_out_told.exchange(true)) {
    tell_left_out(launch == ApiLaunch::kGraph ? "" : data.symbol_name);
  }
  device.is_captured = is_capturing(launch, data);
  if (device.is_captured || device.context == nullptr) return;
  if (device.context == data.context) {
    pause_ranges(counters.setup, device);
  } else {
    close_in_context(counters.setup, device, true);
  }
}

/// Kernels that ran without being counted take their ordinals all the same.
void count_left_out(Counters& counters, CounterDevice& device, const cupti::CallbackData& data) {
  uint64_t kernels = 1;
  if (device.is_graph && counters.graphs != nullptr) {
    const LockGuard lock(counters.graphs_lock);
    kernels = counters.graphs->names_of(launched_graph(data), nullptr, 0);
  }
  device.next_ordinal += kernels;
  count_lost_activities(wire::LossReason::kNotCounted, kernels);
}

void close_all(Counters& counters, bool disable) {
  const uint32_t thread = this_thread_id();
  for (CounterDevice& device : counters.devices) {
    if (device.context == nullptr) continue;
    const bool is_own = device.turn.load(std::memory_order_relaxed) == thread;
    if (!is_own && !take_turn(device, thread, kLongestLastTurnNs)) continue;
    if (device.context != nullptr) close_in_context(counters.setup, device, disable);
    device.failed = true;
    if (!is_own) leave_turn(device);
  }
}

/// False where the library has not all of them.
bool find_range_functions(void* library, cupti::RangeFunctions* functions) {
  return each_range_function(functions, [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(next_loader().dlsym(library, name));
    return function != nullptr;
  });
}

}  // namespace

bool start_counters(const Session& session, void* library, const Settings& settings) {
  Counters* counters = counters_page.make();
  if (counters == nullptr) return false;
  if (!find_range_functions(library, &counters->setup.functions)) {
    tell_no_counters("this libcupti has no Range Profiler, which came with CUDA 12.6: name a newer one in XSP_CUPTI");
    return false;
  }
  counters->setup.get_result_string = session.cupti.get_result_string;
  static_assert(sizeof counters->metrics == sizeof settings.metrics);
  static_assert(sizeof counters->leave_out == sizeof settings.metrics_leave_out);
  memcpy(counters->metrics, settings.metrics, sizeof counters->metrics);
  memcpy(counters->leave_out, settings.metrics_leave_out, sizeof counters->leave_out);
  char processes[16];
  copy_environment(kProcessesOfGroup, processes, sizeof processes);
  counters->is_in_group = processes[0] != '\0' && strcmp(processes, "1") != 0;
  counters->setup.metrics = counters->metrics;
  for (uint32_t i = 0; i < kMostCountedDevices; ++i) counters->devices[i].index = i;
  void* graphs = mmap(nullptr, sizeof(GraphKernelNames), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  counters->graphs = graphs == MAP_FAILED ? nullptr : static_cast<GraphKernelNames*>(graphs);
  if (!start_counter_thread(counters->setup, counters->devices)) {
    tell_no_counters("no memory or no thread to be had for them");
    return false;
  }
  counters->counting.store(1, std::memory_order_release);
  return true;
}

bool counts_kernels() { return counting() != nullptr; }

void counted_launch_begins(ApiLaunch launch, const cupti::CallbackData& data) {
  Counters* counters = counting();
  if (counters == nullptr || data.context == nullptr) return;
  uint32_t index = 0;
  if (counters->setup.functions.get_device_id(data.context, &index) != cupti::kSuccess) return;
  if (index >= kMostCountedDevices || counters->devices[index].failed) return;
  CounterDevice& device = counters->devices[index];
  const CancelGuard cancel_guard;
  const uint32_t thread = this_thread_id();
  if (device.turn.load(std::memory_order_relaxed) == thread) {
    ++device.nesting;
    return;
  }
  if (!take_turn(device, thread, kLongestTurnNs)) {
    if (!device.failed) tell_no_counters("a launch has not returned for a minute: counting ends on its device");
    device.failed = true;
    device.is_disordered = true;
    return;
  }
  device.nesting = 0;
  device.is_captured = false;
  device.is_graph = launch == ApiLaunch::kGraph;
  device.launched_name = data.symbol_name == nullptr ? 0 : intern(data.symbol_name);
  device.launched_text.clear();
  device.launched_text.put(data.symbol_name == nullptr ? "" : data.symbol_name);
  device.may_wait = false;
  if (device.failed) return leave_turn(device);
  device.may_wait = may_wait(*counters, launch, data);
  if (device.may_wait) return leave_out(*counters, device, launch, data);
  const bool must_change =
      device.context != data.context || device.is_paused || (device.is_graph && device.launches != 0);
  if (!must_change) return;
  device.is_captured = is_capturing(launch, data);
  if (device.is_captured) return;
  if (!count_in(counters->setup, device, data.context)) return leave_turn(device);
  if (device.is_paused) {
    resume_ranges(counters->setup, device);
  } else if (device.is_graph && device.launches != 0) {
    turn_over_ranges(counters->setup, device, false);
  }
}

void counted_launch_ends(const cupti::CallbackData& data) {
  Counters* counters = counters_page.get();
  CounterDevice* device = counters == nullptr ? nullptr : device_of_turn(*counters, this_thread_id());
  if (device == nullptr) return;
  if (device->nesting != 0) {
    --device->nesting;
    return;
  }
  const CancelGuard cancel_guard;
  const bool failed = data.return_value != nullptr && *static_cast<const int*>(data.return_value) != 0;
  if (device->may_wait) {
    if (!failed && !device->is_captured) count_left_out(*counters, *device, data);
  } else if (!failed && !device->is_captured && device->context != nullptr) {
    if (device->is_graph) {
      name_graph_kernels(*counters, *device, data);
      turn_over_ranges(counters->setup, *device, true);
    } else {
      device->names[device->launches++] = device->launched_name;
      if (device->launches >= device->turn_at) turn_over_ranges(counters->setup, *device, false);
    }
  }
  leave_turn(*device);
}

void counted_graph_node(const cupti::GraphData& graph, bool is_clone) {
  Counters* counters = counting();
  if (counters == nullptr) return;
  CounterDevice* device = device_of_turn(*counters, this_thread_id());
  const bool is_captured = !is_clone && device != nullptr && !device->is_graph;
  if (is_captured) device->is_captured = true;
  if (counters->graphs == nullptr) return;
  const LockGuard lock(counters->graphs_lock);
  if (is_clone) {
    counters->graphs->node_cloned(graph);
  } else {
    counters->graphs->node_created(graph, is_captured ? device->launched_name : 0, is_captured && device->may_wait);
  }
}

void counted_context_ends(void* context) {
  Counters* counters = counting();
  if (counters == nullptr) return;
  const CancelGuard cancel_guard;
  const uint32_t thread = this_thread_id();
  for (CounterDevice& device : counters->devices) {
    if (device.context != context || context == nullptr) continue;
    if (!take_turn(device, thread, kLongestLastTurnNs)) continue;
    if (device.context == context) close_ranges(counters->setup, device, true);
    leave_turn(device);
  }
}

void stop_counters(std::string_view why) {
  Counters* counters = counting();
  if (counters == nullptr || counters->counting.exchange(0, std::memory_order_acq_rel) == 0) return;
  close_all(*counters, true);
  tell_no_counters(why);
}

void finish_counters(uint64_t longest) {
  Counters* counters = counters_page.get();
  if (counters == nullptr) return;
  // A second caller, as _exit after exit, finds nothing to close.
  if (counters->counting.exchange(0, std::memory_order_acq_rel) != 0) close_all(*counters, false);
  finish_counter_thread(longest);
}

}  // namespace xsp::guest
