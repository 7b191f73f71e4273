#pragma once

/// `range_profiler`: counts three launches, each from its enter to its exit, with the Range Profiler (CUDA 12.6 and
/// later), on one thread: one after Enable and SetConfig; one after another SetConfig; one after neither. Writes what
/// each step returned. The calls and their order are those of NVIDIA's sample range_profiling.h.

#include "cupti_recorder_cupti.h"

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#endif

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // NVIDIA's structures begin with their size

namespace recorder {

#if __has_include(<cupti_range_profiler.h>)

struct Ranges {
  static constexpr size_t kMost = 4;
  uint32_t launch, thread;
  bool failed, counting;
  CUpti_Profiler_Host_Object* host;
  CUpti_RangeProfiler_Object* profiler;
  uint8_t *config, *image;
  size_t config_bytes, image_bytes;
};
inline Ranges& ranges() {
  static Ranges all;
  return all;
}

/// Calls the function with its parameters, and writes the result. False: it failed or does not exist.
template <typename Parameters>
bool range_step(RecordingFile& file, const Cupti& cupti, const char* function, Parameters& parameters) {
  const auto call = reinterpret_cast<CUptiResult (*)(Parameters*)>(dlsym(cupti.library, function));
  const int result = call == nullptr ? -1 : call(&parameters);
  Line line("range");
  line.number("t", nanoseconds(CLOCK_MONOTONIC)).number("launch", ranges().launch).word("what", function);
  line.signed_number("result", result).end(file);
  if (result != 0) ranges().failed = true;
  return result == 0;
}

#define XSP_RANGE_STEP(function, parameters) range_step(file, cupti, #function, parameters)

inline bool open_host(RecordingFile& file, const Cupti& cupti, CUcontext context, const char** metrics) {
  Ranges& r = ranges();
  CUpti_Profiler_Initialize_Params initialize = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  CUpti_Device_GetChipName_Params chip = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  CUpti_Profiler_GetCounterAvailability_Params availability = {
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
  availability.ctx = context;
  if (!XSP_RANGE_STEP(cuptiProfilerInitialize, initialize) || !XSP_RANGE_STEP(cuptiDeviceGetChipName, chip) ||
      !XSP_RANGE_STEP(cuptiProfilerGetCounterAvailability, availability))
    return false;
  availability.pCounterAvailabilityImage = static_cast<uint8_t*>(calloc(1, availability.counterAvailabilityImageSize));
  CUpti_Profiler_Host_Initialize_Params host = {CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = availability.pCounterAvailabilityImage;
  if (!XSP_RANGE_STEP(cuptiProfilerGetCounterAvailability, availability) ||
      !XSP_RANGE_STEP(cuptiProfilerHostInitialize, host))
    return false;
  r.host = host.pHostObject;
  CUpti_Profiler_Host_ConfigAddMetrics_Params add = {CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
  add.pHostObject = r.host;
  add.ppMetricNames = metrics;
  add.numMetrics = 1;
  CUpti_Profiler_Host_GetConfigImageSize_Params size = {CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
  size.pHostObject = r.host;
  if (!XSP_RANGE_STEP(cuptiProfilerHostConfigAddMetrics, add) ||
      !XSP_RANGE_STEP(cuptiProfilerHostGetConfigImageSize, size))
    return false;
  r.config_bytes = size.configImageSize;
  r.config = static_cast<uint8_t*>(calloc(1, r.config_bytes));
  CUpti_Profiler_Host_GetConfigImage_Params image = {CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
  image.pHostObject = r.host;
  image.configImageSize = r.config_bytes;
  image.pConfigImage = r.config;
  return XSP_RANGE_STEP(cuptiProfilerHostGetConfigImage, image);
}

inline bool enable_ranges(RecordingFile& file, const Cupti& cupti, CUcontext context) {
  Ranges& r = ranges();
  const char* metrics[] = {"sm__cycles_elapsed.sum"};
  if (!open_host(file, cupti, context, metrics)) return false;
  CUpti_RangeProfiler_Enable_Params enable = {CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
  enable.ctx = context;
  if (!XSP_RANGE_STEP(cuptiRangeProfilerEnable, enable)) return false;
  r.profiler = enable.pRangeProfilerObject;
  CUpti_RangeProfiler_GetCounterDataSize_Params size = {CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
  size.pRangeProfilerObject = r.profiler;
  size.pMetricNames = metrics;
  size.numMetrics = 1;
  size.maxNumOfRanges = Ranges::kMost;
  size.maxNumRangeTreeNodes = Ranges::kMost;
  if (!XSP_RANGE_STEP(cuptiRangeProfilerGetCounterDataSize, size)) return false;
  r.image_bytes = size.counterDataSize;
  r.image = static_cast<uint8_t*>(calloc(1, r.image_bytes));
  return r.image != nullptr;
}

inline bool configure(RecordingFile& file, const Cupti& cupti) {
  Ranges& r = ranges();
  CUpti_RangeProfiler_SetConfig_Params config = {CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
  config.pRangeProfilerObject = r.profiler;
  config.configSize = r.config_bytes;
  config.pConfig = r.config;
  config.counterDataImageSize = r.image_bytes;
  config.pCounterDataImage = r.image;
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_KernelReplay;
  config.maxRangesPerPass = Ranges::kMost;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = 1;
  return XSP_RANGE_STEP(cuptiRangeProfilerSetConfig, config);
}

/// At the enter of a launch.
inline void range_begins(RecordingFile& file, const Cupti& cupti, const Options& options, CUcontext context) {
  Ranges& r = ranges();
  if (!options.range_profiler || context == nullptr || r.failed || r.counting || r.launch >= 3) return;
  const auto thread = static_cast<uint32_t>(gettid());
  uint32_t nobody = 0;
  if (!__atomic_compare_exchange_n(&r.thread, &nobody, thread, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) &&
      nobody != thread)
    return;
  ++r.launch;
  if (r.launch == 1 && !enable_ranges(file, cupti, context)) {
    r.failed = true;
    return;
  }
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params image = {
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
  image.pRangeProfilerObject = r.profiler;
  image.counterDataSize = r.image_bytes;
  image.pCounterData = r.image;
  if (!XSP_RANGE_STEP(cuptiRangeProfilerCounterDataImageInitialize, image)) return;
  if (r.launch < 3 && !configure(file, cupti) && r.launch == 2) r.failed = false;
  CUpti_RangeProfiler_Start_Params start = {CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
  start.pRangeProfilerObject = r.profiler;
  r.counting = XSP_RANGE_STEP(cuptiRangeProfilerStart, start);
}

/// At the exit of a launch.
inline void range_ends(RecordingFile& file, const Cupti& cupti, const Options& options) {
  Ranges& r = ranges();
  if (!options.range_profiler || !r.counting || r.thread != static_cast<uint32_t>(gettid())) return;
  r.counting = false;
  CUpti_RangeProfiler_Stop_Params stop = {CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
  stop.pRangeProfilerObject = r.profiler;
  CUpti_RangeProfiler_DecodeData_Params decode = {CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
  decode.pRangeProfilerObject = r.profiler;
  CUpti_RangeProfiler_GetCounterDataInfo_Params info = {CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE};
  info.pCounterDataImage = r.image;
  info.counterDataImageSize = r.image_bytes;
  if (XSP_RANGE_STEP(cuptiRangeProfilerStop, stop) && XSP_RANGE_STEP(cuptiRangeProfilerDecodeData, decode) &&
      XSP_RANGE_STEP(cuptiRangeProfilerGetCounterDataInfo, info)) {
    Line line("range");
    line.number("t", nanoseconds(CLOCK_MONOTONIC))
        .number("launch", r.launch)
        .word("what", "ranges")
        .number("result", 0);
    line.number("ranges", info.numTotalRanges).number("dropped", decode.numOfRangeDropped).end(file);
  }
  if (r.launch < 3 && !r.failed) return;
  CUpti_RangeProfiler_Disable_Params disable = {CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
  disable.pRangeProfilerObject = r.profiler;
  XSP_RANGE_STEP(cuptiRangeProfilerDisable, disable);
  r.failed = true;
}

#undef XSP_RANGE_STEP

#else

inline void range_begins(RecordingFile& file, const Cupti&, const Options& options, CUcontext) {
  static bool told = false;
  if (options.range_profiler && !told)
    Line("range").number("launch", 0).word("what", "no_header").signed_number("result", -1).end(file);
  told = true;
}
inline void range_ends(RecordingFile&, const Cupti&, const Options&) {}

#endif

}  // namespace recorder
