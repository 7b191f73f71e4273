// Compiled against a vendor's headers by headers_test.py, from CUDA 12.6 on: inject/counters/range_abi.h agrees with
// them. cupti_profiler_host.h of CUDA 13.0 includes a header of C++.
#include <cupti.h>
#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "inject/counters/range_abi.h"

namespace cupti = xsp::guest::cupti;

#define SAME(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #theirs)
#define AT(our_record, our_field, record, field) SAME(offsetof(cupti::our_record, our_field), offsetof(record, field))
// The members that are known end where ours do: a later version may have more behind them.
#define SIZE(our_record, record, last_field) \
  SAME(cupti::our_record::kSize, offsetof(record, last_field) + sizeof(record::last_field))

SAME(cupti::kInvalidParameter, CUPTI_ERROR_INVALID_PARAMETER);
SAME(cupti::kInvalidOperation, CUPTI_ERROR_INVALID_OPERATION);
SAME(cupti::kInvalidMetricName, CUPTI_ERROR_INVALID_METRIC_NAME);
SAME(cupti::kHardwareBusy, CUPTI_ERROR_HARDWARE_BUSY);
SAME(cupti::kNotSupported, CUPTI_ERROR_NOT_SUPPORTED);
SAME(cupti::kVirtualizedNotSupported, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
SAME(cupti::kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME(cupti::kVirtualizedDevice, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME(cupti::kConfidentialComputing, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
SAME(cupti::kAutoRange, CUPTI_AutoRange);
SAME(cupti::kKernelReplay, CUPTI_KernelReplay);
SAME(cupti::kRangeProfiler, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
SAME(cupti::kRangeProfiling, CUPTI_PROFILER_RANGE_PROFILING);
SAME(cupti::kSupportUnknown, CUPTI_PROFILER_CONFIGURATION_UNKNOWN);
SAME(cupti::kUnsupported, CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED);
SAME(cupti::kSupportDisabled, CUPTI_PROFILER_CONFIGURATION_DISABLED);
SAME(cupti::kSupported, CUPTI_PROFILER_CONFIGURATION_SUPPORTED);
SAME(cupti::kCounterMetric, CUPTI_METRIC_TYPE_COUNTER);
SAME(cupti::kRatioMetric, CUPTI_METRIC_TYPE_RATIO);
SAME(cupti::kThroughputMetric, CUPTI_METRIC_TYPE_THROUGHPUT);

SAME(cupti::ProfilerInitialize::kSize, CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
SAME(cupti::RangeProfilerOnly::kSize, CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
SAME(cupti::RangeProfilerOnly::kSize, CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
SAME(cupti::HostDeinitialize::kSize, CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
AT(RangeProfilerOnly, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
AT(HostDeinitialize, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject);

SIZE(DeviceGetChipName, CUpti_Device_GetChipName_Params, pChipName);
AT(DeviceGetChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
AT(DeviceGetChipName, chip, CUpti_Device_GetChipName_Params, pChipName);

SIZE(ProfilerDeviceSupported, CUpti_Profiler_DeviceSupported_Params, api);
AT(ProfilerDeviceSupported, device, CUpti_Profiler_DeviceSupported_Params, cuDevice);
AT(ProfilerDeviceSupported, supported, CUpti_Profiler_DeviceSupported_Params, isSupported);
AT(ProfilerDeviceSupported, architecture, CUpti_Profiler_DeviceSupported_Params, architecture);
AT(ProfilerDeviceSupported, sli, CUpti_Profiler_DeviceSupported_Params, sli);
AT(ProfilerDeviceSupported, vgpu, CUpti_Profiler_DeviceSupported_Params, vGpu);
AT(ProfilerDeviceSupported, confidential_compute, CUpti_Profiler_DeviceSupported_Params, confidentialCompute);
AT(ProfilerDeviceSupported, cmp, CUpti_Profiler_DeviceSupported_Params, cmp);
AT(ProfilerDeviceSupported, wsl, CUpti_Profiler_DeviceSupported_Params, wsl);
AT(ProfilerDeviceSupported, api, CUpti_Profiler_DeviceSupported_Params, api);

SIZE(GetCounterAvailability, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage);
AT(GetCounterAvailability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
AT(GetCounterAvailability, bytes, CUpti_Profiler_GetCounterAvailability_Params, counterAvailabilityImageSize);

SIZE(HostGetSupportedChips, CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames);
AT(HostGetSupportedChips, count, CUpti_Profiler_Host_GetSupportedChips_Params, numChips);

SIZE(HostInitialize, CUpti_Profiler_Host_Initialize_Params, pHostObject);
AT(HostInitialize, type, CUpti_Profiler_Host_Initialize_Params, profilerType);
AT(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
AT(HostInitialize, counter_availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage);

SIZE(HostGetMetricProperties, CUpti_Profiler_Host_GetMetricProperties_Params, metricType);
AT(HostGetMetricProperties, host, CUpti_Profiler_Host_GetMetricProperties_Params, pHostObject);
AT(HostGetMetricProperties, metric, CUpti_Profiler_Host_GetMetricProperties_Params, pMetricName);
AT(HostGetMetricProperties, description, CUpti_Profiler_Host_GetMetricProperties_Params, pDescription);
AT(HostGetMetricProperties, unit, CUpti_Profiler_Host_GetMetricProperties_Params, pHwUnit);
AT(HostGetMetricProperties, dimension, CUpti_Profiler_Host_GetMetricProperties_Params, pDimUnit);

SIZE(HostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
AT(HostConfigAddMetrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
AT(HostConfigAddMetrics, metrics, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);

SIZE(HostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize);
AT(HostGetConfigImageSize, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);

SIZE(HostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
AT(HostGetConfigImage, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
AT(HostGetConfigImage, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);

SIZE(HostGetNumOfPasses, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
AT(HostGetNumOfPasses, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
AT(HostGetNumOfPasses, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);

SIZE(HostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues);
AT(HostEvaluateToGpuValues, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
AT(HostEvaluateToGpuValues, counter_data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage);
AT(HostEvaluateToGpuValues, counter_data_bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize);
AT(HostEvaluateToGpuValues, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
AT(HostEvaluateToGpuValues, metrics, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames);
AT(HostEvaluateToGpuValues, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);

SIZE(RangeProfilerEnable, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
AT(RangeProfilerEnable, context, CUpti_RangeProfiler_Enable_Params, ctx);

SIZE(RangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel);
AT(RangeProfilerSetConfig, profiler, CUpti_RangeProfiler_SetConfig_Params, pRangeProfilerObject);
AT(RangeProfilerSetConfig, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
AT(RangeProfilerSetConfig, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
AT(RangeProfilerSetConfig, counter_data_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
AT(RangeProfilerSetConfig, counter_data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
AT(RangeProfilerSetConfig, range, CUpti_RangeProfiler_SetConfig_Params, range);
AT(RangeProfilerSetConfig, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode);
AT(RangeProfilerSetConfig, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass);
AT(RangeProfilerSetConfig, nesting_levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
AT(RangeProfilerSetConfig, least_nesting_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
AT(RangeProfilerSetConfig, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);

SIZE(RangeProfilerStop, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
AT(RangeProfilerStop, profiler, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject);
AT(RangeProfilerStop, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
AT(RangeProfilerStop, target_nesting_level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);

SIZE(RangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
AT(RangeProfilerDecodeData, profiler, CUpti_RangeProfiler_DecodeData_Params, pRangeProfilerObject);

SIZE(RangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
AT(RangeProfilerGetCounterDataSize, profiler, CUpti_RangeProfiler_GetCounterDataSize_Params, pRangeProfilerObject);
AT(RangeProfilerGetCounterDataSize, metrics, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
AT(RangeProfilerGetCounterDataSize, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
AT(RangeProfilerGetCounterDataSize, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges);
AT(RangeProfilerGetCounterDataSize, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes);

SIZE(CounterDataImageInitialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData);
AT(CounterDataImageInitialize, profiler, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pRangeProfilerObject);
AT(CounterDataImageInitialize, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, counterDataSize);

SIZE(GetCounterDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
AT(GetCounterDataInfo, counter_data, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage);
AT(GetCounterDataInfo, bytes, CUpti_RangeProfiler_GetCounterDataInfo_Params, counterDataImageSize);

SIZE(CounterDataGetRangeInfo, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, rangeName);
AT(CounterDataGetRangeInfo, counter_data, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, pCounterDataImage);
AT(CounterDataGetRangeInfo, bytes, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, counterDataImageSize);
AT(CounterDataGetRangeInfo, range, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, rangeIndex);
AT(CounterDataGetRangeInfo, delimiter, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, rangeDelimiter);
#endif
