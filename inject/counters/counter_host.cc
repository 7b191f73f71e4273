#include "inject/counters/counter_host.h"

#include <sys/mman.h>

#include <new>

namespace xsp::guest {
namespace {

void* lasting_memory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// Removes metrics that the chip does not have: one unknown name would make CUPTI refuse them all.
void leave_unknown_metrics_out(const cupti::RangeFunctions& functions, CounterHost& host, FixedText<512>& left_out) {
  for (size_t i = 0; i < host.metrics->count();) {
    auto properties = cupti::sized<cupti::HostGetMetricProperties>();
    properties.host = host.host;
    properties.metric = host.metrics->name(i);
    if (functions.host_get_metric_properties(&properties) == cupti::kSuccess) {
      ++i;
      continue;
    }
    left_out.put(left_out.empty() ? "" : ", ").put(host.metrics->name(i));
    host.metrics->remove(i);
  }
}

cupti::Result make_config(const cupti::RangeFunctions& functions, CounterHost& host, FixedText<512>& what) {
  auto add = cupti::sized<cupti::HostConfigAddMetrics>();
  add.host = host.host;
  add.metrics = host.metrics->names();
  add.count = host.metrics->count();
  cupti::Result result = functions.host_add_metrics(&add);
  if (result != cupti::kSuccess) {
    what.put("cuptiProfilerHostConfigAddMetrics");
    return result;
  }
  auto size = cupti::sized<cupti::HostGetConfigImageSize>();
  size.host = host.host;
  result = functions.host_get_config_size(&size);
  host.config_bytes = size.bytes;
  host.config = result == cupti::kSuccess ? static_cast<uint8_t*>(lasting_memory(size.bytes)) : nullptr;
  auto image = cupti::sized<cupti::HostGetConfigImage>();
  image.host = host.host;
  image.bytes = host.config_bytes;
  image.image = host.config;
  if (host.config != nullptr) result = functions.host_get_config(&image);
  auto passes = cupti::sized<cupti::HostGetNumOfPasses>();
  passes.bytes = host.config_bytes;
  passes.image = host.config;
  if (result == cupti::kSuccess && host.config != nullptr) result = functions.host_get_passes(&passes);
  host.passes = static_cast<uint32_t>(passes.passes);
  if (result == cupti::kSuccess && host.config == nullptr) result = cupti::kUnknown;
  if (result != cupti::kSuccess) what.put("cuptiProfilerHostGetConfigImage");
  return result;
}

}  // namespace

cupti::Result open_counter_host(const cupti::RangeFunctions& functions, const char* chip, std::string_view list,
                                const uint8_t* availability, CounterHost* host, FixedText<512>* left_out,
                                FixedText<512>* what) {
  void* memory = lasting_memory(sizeof(ChosenMetrics));
  if (memory == nullptr) return cupti::kUnknown;
  host->metrics = new (memory) ChosenMetrics;
  if (!choose_metrics(list, chip, host->metrics, what)) return cupti::kInvalidMetricName;
  auto initialize = cupti::sized<cupti::HostInitialize>();
  initialize.type = cupti::kRangeProfiler;
  initialize.chip = chip;
  initialize.counter_availability = availability;
  const cupti::Result result = functions.host_initialize(&initialize);
  if (result != cupti::kSuccess) {
    what->put("cuptiProfilerHostInitialize");
    return result;
  }
  host->host = initialize.host;
  leave_unknown_metrics_out(functions, *host, *left_out);
  if (host->metrics->count() == 0) {
    what->put("none of the metrics is known for the chip ").put(chip);
    return cupti::kInvalidMetricName;
  }
  return make_config(functions, *host, *what);
}

cupti::Result evaluate_range(const cupti::RangeFunctions& functions, const CounterHost& host, const uint8_t* image,
                             size_t bytes, size_t range, double* values) {
  auto evaluate = cupti::sized<cupti::HostEvaluateToGpuValues>();
  evaluate.host = host.host;
  evaluate.counter_data = image;
  evaluate.counter_data_bytes = bytes;
  evaluate.range = range;
  evaluate.metrics = host.metrics->names();
  evaluate.count = host.metrics->count();
  evaluate.values = values;
  return functions.host_evaluate(&evaluate);
}

}  // namespace xsp::guest
