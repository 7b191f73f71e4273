#include "inject/cupti/range_functions.h"

#include <type_traits>

#include "inject/interpose/loader_functions.h"

namespace xsp::guest {

bool find_range_functions(void* library, cupti::RangeFunctions* functions) {
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(next_loader().dlsym(library, name));
    all = all && function != nullptr;
  };
  find(functions->profiler_initialize, "cuptiProfilerInitialize");
  find(functions->device_supported, "cuptiProfilerDeviceSupported");
  find(functions->get_chip_name, "cuptiDeviceGetChipName");
  find(functions->get_counter_availability, "cuptiProfilerGetCounterAvailability");
  find(functions->get_device_id, "cuptiGetDeviceId");
  find(functions->host_initialize, "cuptiProfilerHostInitialize");
  find(functions->host_deinitialize, "cuptiProfilerHostDeinitialize");
  find(functions->host_get_metric_properties, "cuptiProfilerHostGetMetricProperties");
  find(functions->host_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  find(functions->host_get_config_size, "cuptiProfilerHostGetConfigImageSize");
  find(functions->host_get_config, "cuptiProfilerHostGetConfigImage");
  find(functions->host_get_passes, "cuptiProfilerHostGetNumOfPasses");
  find(functions->host_evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  find(functions->enable, "cuptiRangeProfilerEnable");
  find(functions->disable, "cuptiRangeProfilerDisable");
  find(functions->set_config, "cuptiRangeProfilerSetConfig");
  find(functions->start, "cuptiRangeProfilerStart");
  find(functions->stop, "cuptiRangeProfilerStop");
  find(functions->decode, "cuptiRangeProfilerDecodeData");
  find(functions->get_counter_data_size, "cuptiRangeProfilerGetCounterDataSize");
  find(functions->initialize_counter_data, "cuptiRangeProfilerCounterDataImageInitialize");
  find(functions->get_counter_data_info, "cuptiRangeProfilerGetCounterDataInfo");
  find(functions->get_range_info, "cuptiRangeProfilerCounterDataGetRangeInfo");
  return all;
}

}  // namespace xsp::guest
