#pragma once

/// CUPTI's Range Profiler, its profiler host and what goes with them (cupti_range_profiler.h, cupti_profiler_host.h,
/// cupti_profiler_target.h, cupti_target.h), from CUDA 12.6 on. Every function takes one structure that begins with its
/// own size. Later versions append members; they accept the older, shorter structures declared here, while an older
/// version refuses a size that it does not know. test/inject/cupti/library/headers_test.py compares them with the
/// headers where they are available.

#include <cstddef>
#include <cstdint>

#include "inject/counters/cupti_result.h"

namespace xsp::guest::cupti {

inline constexpr Result kInvalidParameter = 1;
inline constexpr Result kInvalidOperation = 7;
inline constexpr Result kInvalidMetricName = 17;
inline constexpr Result kHardwareBusy = 26;
inline constexpr Result kNotSupported = 27;
inline constexpr Result kVirtualizedNotSupported = 33;
inline constexpr Result kVirtualizedDevice = 40;
inline constexpr Result kConfidentialComputing = 41;

/// CUpti_ProfilerRange and CUpti_ProfilerReplayMode: a range around every kernel, replayed by CUPTI inside its launch.
inline constexpr int kAutoRange = 1;
inline constexpr int kKernelReplay = 2;
/// CUpti_ProfilerType.
inline constexpr int kRangeProfiler = 0;
/// CUpti_Profiler_API.
inline constexpr int kRangeProfiling = 0;
/// CUpti_Profiler_Support_Level.
enum SupportLevel : int { kSupportUnknown = 0, kUnsupported = 1, kSupportDisabled = 2, kSupported = 3 };
/// CUpti_MetricType.
enum MetricType : int { kCounterMetric = 0, kRatioMetric = 1, kThroughputMetric = 2 };

/// What each structure begins with; the size is that of the members here, without padding after the last one.
struct ParameterHead {
  size_t size;
  void* reserved;
};

struct ProfilerInitialize {
  ParameterHead head;
  static constexpr size_t kSize = 16;
};

struct DeviceGetChipName {
  ParameterHead head;
  size_t device;
  const char* chip;  // out
  static constexpr size_t kSize = 32;
};

struct ProfilerDeviceSupported {
  ParameterHead head;
  int device;
  int supported;  // this and the next six: SupportLevel, out
  int architecture;
  int sli;
  int vgpu;
  int confidential_compute;
  int cmp;
  int wsl;
  int api;
  static constexpr size_t kSize = 52;
};

struct GetCounterAvailability {
  ParameterHead head;
  void* context;
  size_t bytes;  // in and out; asked for with a null image
  uint8_t* image;
  static constexpr size_t kSize = 40;
};

struct HostGetSupportedChips {
  ParameterHead head;
  size_t count;              // out
  const char* const* names;  // out
  static constexpr size_t kSize = 32;
};

struct HostInitialize {
  ParameterHead head;
  int type;
  const char* chip;
  const uint8_t* counter_availability;
  void* host;  // out
  static constexpr size_t kSize = 48;
};

struct HostDeinitialize {
  ParameterHead head;
  void* host;
  static constexpr size_t kSize = 24;
};

struct HostGetMetricProperties {
  ParameterHead head;
  void* host;
  const char* metric;
  const char* description;  // this and what follows: out
  const char* unit;
  const char* dimension;
  int type;
  static constexpr size_t kSize = 60;
};

struct HostConfigAddMetrics {
  ParameterHead head;
  void* host;
  const char* const* metrics;
  size_t count;
  static constexpr size_t kSize = 40;
};

struct HostGetConfigImageSize {
  ParameterHead head;
  void* host;
  size_t bytes;  // out
  static constexpr size_t kSize = 32;
};

struct HostGetConfigImage {
  ParameterHead head;
  void* host;
  size_t bytes;
  uint8_t* image;
  static constexpr size_t kSize = 40;
};

struct HostGetNumOfPasses {
  ParameterHead head;
  size_t bytes;
  const uint8_t* image;
  size_t passes;  // out
  static constexpr size_t kSize = 40;
};

struct HostEvaluateToGpuValues {
  ParameterHead head;
  void* host;
  const uint8_t* counter_data;
  size_t counter_data_bytes;
  size_t range;
  const char* const* metrics;
  size_t count;
  double* values;
  static constexpr size_t kSize = 72;
};

struct RangeProfilerEnable {
  ParameterHead head;
  void* context;
  void* profiler;  // out
  static constexpr size_t kSize = 32;
};

/// Parameters of cuptiRangeProfilerDisable and cuptiRangeProfilerStart.
struct RangeProfilerOnly {
  ParameterHead head;
  void* profiler;
  static constexpr size_t kSize = 24;
};

struct RangeProfilerSetConfig {
  ParameterHead head;
  void* profiler;
  size_t config_bytes;
  const uint8_t* config;
  size_t counter_data_bytes;
  uint8_t* counter_data;
  int range;
  int replay;
  size_t most_ranges;
  uint16_t nesting_levels;
  uint16_t least_nesting_level;
  size_t pass;
  uint16_t target_nesting_level;
  static constexpr size_t kSize = 90;
};

struct RangeProfilerStop {
  ParameterHead head;
  void* profiler;
  size_t pass;  // this and what follows: out
  size_t target_nesting_level;
  uint8_t is_all_submitted;
  static constexpr size_t kSize = 41;
};

struct RangeProfilerDecodeData {
  ParameterHead head;
  void* profiler;
  size_t dropped;  // out
  static constexpr size_t kSize = 32;
};

struct RangeProfilerGetCounterDataSize {
  ParameterHead head;
  void* profiler;
  const char* const* metrics;
  size_t count;
  size_t most_ranges;
  uint32_t most_nodes;  // not below most_ranges
  size_t bytes;         // out
  static constexpr size_t kSize = 64;
};

struct CounterDataImageInitialize {
  ParameterHead head;
  void* profiler;
  size_t bytes;
  uint8_t* counter_data;
  static constexpr size_t kSize = 40;
};

struct GetCounterDataInfo {
  ParameterHead head;
  const uint8_t* counter_data;
  size_t bytes;
  size_t ranges;  // out
  static constexpr size_t kSize = 40;
};

struct CounterDataGetRangeInfo {
  ParameterHead head;
  const uint8_t* counter_data;
  size_t bytes;
  size_t range;
  const char* delimiter;
  const char* name;  // out
  static constexpr size_t kSize = 56;
};

/// The functions; all null where the library's version lacks one of them.
struct RangeFunctions {
  Result (*profiler_initialize)(ProfilerInitialize*);
  Result (*device_supported)(ProfilerDeviceSupported*);
  Result (*get_chip_name)(DeviceGetChipName*);
  Result (*get_counter_availability)(GetCounterAvailability*);
  Result (*get_device_id)(void* context, uint32_t* device);

  Result (*host_initialize)(HostInitialize*);
  Result (*host_deinitialize)(HostDeinitialize*);
  Result (*host_get_metric_properties)(HostGetMetricProperties*);
  Result (*host_add_metrics)(HostConfigAddMetrics*);
  Result (*host_get_config_size)(HostGetConfigImageSize*);
  Result (*host_get_config)(HostGetConfigImage*);
  Result (*host_get_passes)(HostGetNumOfPasses*);
  Result (*host_evaluate)(HostEvaluateToGpuValues*);

  Result (*enable)(RangeProfilerEnable*);
  Result (*disable)(RangeProfilerOnly*);
  Result (*set_config)(RangeProfilerSetConfig*);
  Result (*start)(RangeProfilerOnly*);
  Result (*stop)(RangeProfilerStop*);
  Result (*decode)(RangeProfilerDecodeData*);
  Result (*get_counter_data_size)(RangeProfilerGetCounterDataSize*);
  Result (*initialize_counter_data)(CounterDataImageInitialize*);
  Result (*get_counter_data_info)(GetCounterDataInfo*);
  Result (*get_range_info)(CounterDataGetRangeInfo*);
};

/// A structure with its size.
template <typename Parameters>
Parameters sized() {
  Parameters parameters{};
  parameters.head.size = Parameters::kSize;
  return parameters;
}

}  // namespace xsp::guest::cupti
