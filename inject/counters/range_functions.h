#pragma once

#include "inject/counters/range_abi.h"

namespace xsp::guest {

/// Fills the functions one by one: `find(function, name)` returns whether it has found one. False where one is missing,
/// as in a library older than CUDA 12.6. xsp-run uses it, too.
template <typename Find>
bool each_range_function(cupti::RangeFunctions* functions, Find&& find) {
  bool all = true;
  const auto each = [&](auto& function, const char* name) { all = find(function, name) && all; };
  each(functions->profiler_initialize, "cuptiProfilerInitialize");
  each(functions->device_supported, "cuptiProfilerDeviceSupported");
  each(functions->get_chip_name, "cuptiDeviceGetChipName");
  each(functions->get_counter_availability, "cuptiProfilerGetCounterAvailability");
  each(functions->get_device_id, "cuptiGetDeviceId");
  each(functions->host_initialize, "cuptiProfilerHostInitialize");
  each(functions->host_deinitialize, "cuptiProfilerHostDeinitialize");
  each(functions->host_get_metric_properties, "cuptiProfilerHostGetMetricProperties");
  each(functions->host_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  each(functions->host_get_config_size, "cuptiProfilerHostGetConfigImageSize");
  each(functions->host_get_config, "cuptiProfilerHostGetConfigImage");
  each(functions->host_get_passes, "cuptiProfilerHostGetNumOfPasses");
  each(functions->host_evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  each(functions->enable, "cuptiRangeProfilerEnable");
  each(functions->disable, "cuptiRangeProfilerDisable");
  each(functions->set_config, "cuptiRangeProfilerSetConfig");
  each(functions->start, "cuptiRangeProfilerStart");
  each(functions->stop, "cuptiRangeProfilerStop");
  each(functions->decode, "cuptiRangeProfilerDecodeData");
  each(functions->get_counter_data_size, "cuptiRangeProfilerGetCounterDataSize");
  each(functions->initialize_counter_data, "cuptiRangeProfilerCounterDataImageInitialize");
  each(functions->get_counter_data_info, "cuptiRangeProfilerGetCounterDataInfo");
  each(functions->get_range_info, "cuptiRangeProfilerCounterDataGetRangeInfo");
  return all;
}

}  // namespace xsp::guest
