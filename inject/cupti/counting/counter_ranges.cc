#include "inject/cupti/counting/counter_ranges.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "inject/counters/counter_remedies.h"
#include "inject/cupti/counting/counter_notices.h"
#include "inject/cupti/counting/counter_thread.h"
#include "inject/cupti/state/session.h"

namespace xsp::guest {
namespace {

/// Below this many ranges an image is not worth its trouble.
constexpr uint32_t kFewestRanges = 16;
/// By this factor fewer launches are decoded together once their ranges were mixed with others.
constexpr uint32_t kFewerTogether = 8;
constexpr size_t kMostImageBytes = size_t{64} << 20;

uint8_t* mapped(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<uint8_t*>(memory);
}

bool fail(const CounterSetup& setup, CounterDevice& device, std::string_view what, cupti::Result result) {
  const char* text = nullptr;
  const bool known = setup.get_result_string(result, &text) == cupti::kSuccess && text != nullptr;
  tell_no_counters(device.index, what, result, known ? text : "no text");
  device.failed = true;
  return false;
}

/// `configure`: once after Enable; NVIDIA's samples start the next ranges without it.
cupti::Result start(const CounterSetup& setup, CounterDevice& device, bool configure) {
  auto image = cupti::sized<cupti::CounterDataImageInitialize>();
  image.profiler = device.profiler;
  image.bytes = device.image_bytes;
  image.counter_data = device.image;
  cupti::Result result = setup.functions.initialize_counter_data(&image);
  auto config = cupti::sized<cupti::RangeProfilerSetConfig>();
  config.profiler = device.profiler;
  config.config_bytes = device.host.config_bytes;
  config.config = device.host.config;
  config.counter_data_bytes = device.image_bytes;
  config.counter_data = device.image;
  config.range = cupti::kAutoRange;
  config.replay = cupti::kKernelReplay;
  config.most_ranges = device.most_ranges;
  config.nesting_levels = 1;
  config.least_nesting_level = 1;
  config.target_nesting_level = 1;
  if (result == cupti::kSuccess && configure) result = setup.functions.set_config(&config);
  auto profiler = cupti::sized<cupti::RangeProfilerOnly>();
  profiler.profiler = device.profiler;
  if (result == cupti::kSuccess) result = setup.functions.start(&profiler);
  return result;
}

cupti::Result enable(const CounterSetup& setup, CounterDevice& device, void* context) {
  auto enable = cupti::sized<cupti::RangeProfilerEnable>();
  enable.context = context;
  const cupti::Result result = setup.functions.enable(&enable);
  device.profiler = result == cupti::kSuccess ? enable.profiler : nullptr;
  return result;
}

void disable(const CounterSetup& setup, CounterDevice& device) {
  auto profiler = cupti::sized<cupti::RangeProfilerOnly>();
  profiler.profiler = device.profiler;
  setup.functions.disable(&profiler);
  device.profiler = nullptr;
}

/// Maps the image for that many ranges. One of an absurd size fails like one that does not fit.
cupti::Result make_image(const CounterSetup& setup, CounterDevice& device, uint32_t ranges) {
  auto size = cupti::sized<cupti::RangeProfilerGetCounterDataSize>();
  size.profiler = device.profiler;
  size.metrics = device.host.metrics->names();
  size.count = device.host.metrics->count();
  size.most_ranges = ranges;
  size.most_nodes = ranges;
  const cupti::Result result = setup.functions.get_counter_data_size(&size);
  if (result != cupti::kSuccess) return result;
  if (size.bytes > kMostImageBytes) return cupti::kInvalidOperation;
  uint8_t* image = mapped(size.bytes);
  if (image == nullptr) return cupti::kUnknown;
  if (device.image != nullptr) munmap(device.image, device.image_bytes);
  device.image = image;
  device.image_bytes = size.bytes;
  device.most_ranges = ranges;
  device.turn_at = device.turn_at == 0 ? ranges : std::min(device.turn_at, ranges);
  return cupti::kSuccess;
}

struct DecodedRanges {
  uint64_t kept;
  uint64_t dropped;
  cupti::Result result;
};

DecodedRanges stop_and_decode(const CounterSetup& setup, CounterDevice& device) {
  DecodedRanges ranges{};
  auto stop = cupti::sized<cupti::RangeProfilerStop>();
  stop.profiler = device.profiler;
  ranges.result = setup.functions.stop(&stop);
  auto decode = cupti::sized<cupti::RangeProfilerDecodeData>();
  decode.profiler = device.profiler;
  if (ranges.result == cupti::kSuccess) ranges.result = setup.functions.decode(&decode);
  ranges.dropped = decode.dropped;
  auto info = cupti::sized<cupti::GetCounterDataInfo>();
  info.counter_data = device.image;
  info.bytes = device.image_bytes;
  if (ranges.result == cupti::kSuccess) ranges.result = setup.functions.get_counter_data_info(&info);
  ranges.kept = info.ranges;
  return ranges;
}

/// Hands the decoded image over. What cannot be told apart is counted as lost.
void hand_over(CounterDevice& device, const DecodedRanges& ranges, bool of_graph) {
  const uint64_t made = ranges.kept + ranges.dropped;
  const uint64_t launches = of_graph ? made : device.launches;
  const bool is_mixed = ranges.result == cupti::kSuccess && made != launches;
  if (is_mixed && !device.mixed_told) tell_mixed_ranges(device.index, made, launches);
  device.mixed_told |= is_mixed;
  if (is_mixed) device.turn_at = std::max(device.turn_at / kFewerTogether, uint32_t{1});
  const bool usable =
      ranges.result == cupti::kSuccess && !is_mixed && !device.is_disordered && ranges.kept <= kMostRanges;
  uint64_t lost = usable ? ranges.dropped : launches;
  if (usable && ranges.kept != 0) {
    CounterChunk* chunk = take_free_chunk();
    uint8_t* image = chunk == nullptr ? nullptr : mapped(device.image_bytes);
    if (image != nullptr) {
      memcpy(image, device.image, device.image_bytes);
      chunk->device = device.index;
      chunk->host = &device.host;
      chunk->image = image;
      chunk->bytes = device.image_bytes;
      chunk->first_ordinal = device.next_ordinal;
      chunk->ranges = static_cast<uint32_t>(ranges.kept);
      chunk->launches = static_cast<uint32_t>(std::min<uint64_t>(launches, kMostRanges));
      for (uint32_t i = 0; i < chunk->launches; ++i) {
        chunk->names[i] = device.launches == launches ? device.names[i] : 0;
      }
      submit_chunk(*chunk);
    } else {
      if (chunk != nullptr) chunk->state.store(CounterChunk::kFree, std::memory_order_release);
      lost += ranges.kept;
    }
  }
  if (lost != 0) count_lost_activities(wire::LossReason::kCounters, lost);
  device.next_ordinal += launches;
  device.launches = 0;
  device.is_disordered = false;
}

/// Starts the next ranges. If the last ones ended with an error, or starting without a new configuration fails, the
/// profiler is disabled and enabled again first.
void go_on(const CounterSetup& setup, CounterDevice& device, cupti::Result before) {
  cupti::Result result = before == cupti::kSuccess ? start(setup, device, false) : before;
  if (result == cupti::kSuccess) return;
  disable(setup, device);
  result = enable(setup, device, device.context);
  if (result == cupti::kSuccess) result = start(setup, device, true);
  if (result == cupti::kSuccess) return;
  if (device.profiler != nullptr) disable(setup, device);
  device.context = nullptr;
  fail(setup, device, "going on with the next kernels", result);
}

}  // namespace

bool describe_counters(const CounterSetup& setup, CounterDevice& device, void* context) {
  auto initialize = cupti::sized<cupti::ProfilerInitialize>();
  cupti::Result result = setup.functions.profiler_initialize(&initialize);
  if (result != cupti::kSuccess) return fail(setup, device, "cuptiProfilerInitialize", result);
  auto support = cupti::sized<cupti::ProfilerDeviceSupported>();
  support.device = static_cast<int>(device.index);
  support.api = cupti::kRangeProfiling;
  if (setup.functions.device_supported(&support) == cupti::kSuccess && support.supported != cupti::kSupported) {
    return fail(setup, device, counter_obstacle(support), cupti::kSuccess);
  }
  auto name = cupti::sized<cupti::DeviceGetChipName>();
  name.device = device.index;
  result = setup.functions.get_chip_name(&name);
  if (result != cupti::kSuccess || name.chip == nullptr) return fail(setup, device, "cuptiDeviceGetChipName", result);
  strncpy(device.chip, name.chip, sizeof device.chip - 1);
  // Needed only for chips that are newer than the library: a failure is no obstacle.
  auto availability = cupti::sized<cupti::GetCounterAvailability>();
  availability.context = context;
  if (setup.functions.get_counter_availability(&availability) != cupti::kSuccess || availability.bytes == 0)
    return true;
  availability.image = mapped(availability.bytes);
  if (availability.image == nullptr) return true;
  if (setup.functions.get_counter_availability(&availability) == cupti::kSuccess) {
    device.availability = availability.image;
  }
  return true;
}

bool open_ranges(const CounterSetup& setup, CounterDevice& device, void* context) {
  cupti::Result result = enable(setup, device, context);
  if (result != cupti::kSuccess) return fail(setup, device, "cuptiRangeProfilerEnable", result);
  for (uint32_t ranges = kMostRanges; ranges >= kFewestRanges; ranges /= 2) {
    result = make_image(setup, device, ranges);
    if (result == cupti::kSuccess) result = start(setup, device, true);
    if (result != cupti::kInvalidOperation && result != cupti::kUnknown) break;
  }
  if (result == cupti::kSuccess) {
    device.context = context;
    device.launches = 0;
    if (!device.begin_told) tell_counters_begin(device.index, device.chip, device.host, device.left_out.view());
    device.begin_told = true;
    return true;
  }
  disable(setup, device);
  return fail(setup, device, "cuptiRangeProfilerStart", result);
}

void turn_over_ranges(const CounterSetup& setup, CounterDevice& device, bool of_graph) {
  const DecodedRanges ranges = stop_and_decode(setup, device);
  hand_over(device, ranges, of_graph);
  go_on(setup, device, ranges.result);
}

void pause_ranges(const CounterSetup& setup, CounterDevice& device) {
  if (device.is_paused) return;
  const DecodedRanges ranges = stop_and_decode(setup, device);
  hand_over(device, ranges, false);
  device.paused_with = ranges.result;
  device.is_paused = true;
}

void resume_ranges(const CounterSetup& setup, CounterDevice& device) {
  device.is_paused = false;
  go_on(setup, device, device.paused_with);
}

void close_ranges(const CounterSetup& setup, CounterDevice& device, bool disable_too) {
  if (device.profiler == nullptr) return;
  if (!device.is_paused) hand_over(device, stop_and_decode(setup, device), false);
  device.is_paused = false;
  if (disable_too) disable(setup, device);
  device.profiler = nullptr;
  device.context = nullptr;
}

}  // namespace xsp::guest
