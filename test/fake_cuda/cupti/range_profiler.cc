#include "range_profiler.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "activity.h"
#include "entry.h"

namespace fake {
namespace {

constexpr size_t kMostRanges = 256;
constexpr uint64_t kMagic = 0x7870'7263'6f75'6e74;
enum { kInvalidMetricName = 17, kBusy = 26, kNoPermission = 35, kConfidential = 41 };
enum { kAutoRange = 1, kKernelReplay = 2, kSupported = 3, kDisabled = 2 };

struct Range {
  uint64_t number;
  uint64_t blocks;
  uint64_t name_sum;
  bool done;
};

struct ImageHead {
  uint64_t magic, capacity, count;
};
struct ImageRange {
  uint64_t number, blocks, name_sum;
};

struct Profiler {
  void* context;
  uint32_t device;
  uint8_t* image;
  size_t image_bytes;
  size_t most_ranges;
  bool configured, started, decodable;
  int configurations;
  std::deque<uint32_t> ranges;  // in the_ranges
};

struct Host {
  std::string chip;
  std::vector<std::string> metrics;
};

std::mutex lock;
// Never destroyed: they are used while the process exits.
auto& the_ranges = *new std::deque<Range>;
auto& enabled = *new std::map<void*, Profiler*>;
thread_local void* context_here = nullptr;

uint64_t sum_of(std::string_view text) {
  uint64_t sum = 0;
  for (const char c : text) sum += static_cast<uint8_t>(c);
  return sum;
}

/// Members of a structure by their place, as the headers lay them out, once its size is what the version knows.
class Parameters {
 public:
  Parameters(void* structure, size_t size) : at_(static_cast<uint8_t*>(structure)) {
    uint64_t given = 0;
    if (at_ != nullptr) memcpy(&given, at_, sizeof given);
    ok_ = at_ != nullptr && given == size;
  }
  bool ok() const { return ok_; }
  template <typename Value>
  Value in(size_t offset) const {
    Value value;
    memcpy(&value, at_ + offset, sizeof value);
    return value;
  }
  template <typename Value>
  void out(size_t offset, Value value) {
    memcpy(at_ + offset, &value, sizeof value);
  }

 private:
  uint8_t* at_;
  bool ok_;
};

bool wait_until_done(std::unique_lock<std::mutex>& held, const std::deque<uint32_t>& ranges) {
  for (int attempt = 0; attempt < 50000; ++attempt) {
    if (std::all_of(ranges.begin(), ranges.end(), [](uint32_t i) { return the_ranges[i].done; })) return true;
    held.unlock();
    const timespec pause{0, 200000};
    nanosleep(&pause, nullptr);
    held.lock();
  }
  return false;
}

bool is_profiler(const Profiler* profiler) {
  for (const auto& [context, known] : enabled)
    if (known == profiler) return true;
  return false;
}

bool is_known_metric(std::string_view name) {
  return name.find("__") != std::string_view::npos && name.find("nosuch") == std::string_view::npos;
}

}  // namespace

void note_context(void* context) { context_here = context; }

uint32_t range_of_launch() {
  std::lock_guard held(lock);
  const auto found = enabled.find(context_here);
  if (found == enabled.end() || !found->second->started) return 0;
  Profiler& profiler = *found->second;
  the_ranges.push_back({the_ranges.size(), 0, 0, false});
  const auto number = static_cast<uint32_t>(the_ranges.size());
  profiler.ranges.push_back(number - 1);
  static uint64_t launches = 0;
  uint64_t every = 0;
  if (misbehaves("foreign_ranges", &every) && ++launches % every == 0) {
    the_ranges.push_back({number, 1, 1, true});
    profiler.ranges.push_back(number);
  }
  return number;
}

void fill_range(uint32_t range, const fake_execution& e) {
  std::lock_guard held(lock);
  Range& filled = the_ranges[range - 1];
  filled.blocks = uint64_t{e.grid[0]} * e.grid[1] * e.grid[2];
  filled.name_sum = sum_of(e.name);
  filled.done = true;
}

}  // namespace fake

using namespace fake;

EXPORT int cuptiProfilerInitialize(void* params) { return Parameters(params, 16).ok() ? attached() : 1; }
EXPORT int cuptiProfilerDeInitialize(void* params) { return Parameters(params, 16).ok() ? 0 : 1; }
EXPORT int cuptiProfilerDeviceSupported(void* params) {
  Parameters p(params, 52);
  if (!p.ok()) return kCuptiInvalidParameter;
  if (const int status = attached()) return status;
  const bool disabled = misbehaves("no_counters");
  for (size_t at = 20; at < 48; at += 4) p.out<int>(at, kSupported);
  if (disabled) {
    p.out<int>(20, kDisabled);
    p.out<int>(32, kDisabled);
  }
  return kCuptiSuccess;
}
EXPORT int cuptiDeviceGetChipName(void* params) {
  Parameters p(params, 32);
  if (!p.ok()) return kCuptiInvalidParameter;
  if (const int status = attached()) return status;
  const char* const chip = getenv("FAKE_CUPTI_CHIP");
  p.out<const char*>(24, chip == nullptr || *chip == '\0' ? "GH100" : chip);
  return kCuptiSuccess;
}
EXPORT int cuptiProfilerGetCounterAvailability(void* params) {
  Parameters p(params, 40);
  if (!p.ok()) return kCuptiInvalidParameter;
  if (p.in<uint8_t*>(32) == nullptr) {
    p.out<size_t>(24, 64);
  } else {
    memset(p.in<uint8_t*>(32), 7, 64);
  }
  return kCuptiSuccess;
}

EXPORT int cuptiProfilerHostInitialize(void* params) {
  Parameters p(params, 48);
  if (!p.ok() || p.in<int>(16) != 0 || p.in<const char*>(24) == nullptr) return kCuptiInvalidParameter;
  if (p.in<uint8_t*>(32) != nullptr && *p.in<uint8_t*>(32) != 7) return kCuptiInvalidParameter;
  p.out<void*>(40, new Host{p.in<const char*>(24), {}});
  return kCuptiSuccess;
}
EXPORT int cuptiProfilerHostDeinitialize(void* params) {
  Parameters p(params, 24);
  if (!p.ok()) return kCuptiInvalidParameter;
  delete p.in<Host*>(16);
  return kCuptiSuccess;
}
EXPORT int cuptiProfilerHostGetMetricProperties(void* params) {
  Parameters p(params, 60);
  if (!p.ok()) return kCuptiInvalidParameter;
  return is_known_metric(p.in<const char*>(24)) ? int{kCuptiSuccess} : kInvalidMetricName;
}
EXPORT int cuptiProfilerHostConfigAddMetrics(void* params) {
  Parameters p(params, 40);
  if (!p.ok()) return kCuptiInvalidParameter;
  auto* const names = p.in<const char* const*>(24);
  for (size_t i = 0; i < p.in<size_t>(32); ++i) {
    if (!is_known_metric(names[i])) return kInvalidMetricName;
    p.in<Host*>(16)->metrics.emplace_back(names[i]);
  }
  return kCuptiSuccess;
}
EXPORT int cuptiProfilerHostGetConfigImageSize(void* params) {
  Parameters p(params, 32);
  if (!p.ok()) return kCuptiInvalidParameter;
  p.out<size_t>(24, 16);
  return kCuptiSuccess;
}
/// Instructions are counted in a pass of their own; of tensor operations one type in a pass.
EXPORT int cuptiProfilerHostGetConfigImage(void* params) {
  Parameters p(params, 40);
  if (!p.ok() || p.in<size_t>(24) < 16) return kCuptiInvalidParameter;
  uint64_t instructions = 0, others = 0, tensors = 0;
  for (const std::string& metric : p.in<Host*>(16)->metrics) {
    instructions |= metric.find("_sass_") != std::string::npos;
    tensors += metric.find("_tensor_src_") != std::string::npos;
    others |= metric.find("_sass_") == std::string::npos;
  }
  const uint64_t content[2] = {kMagic, instructions + std::max(others, tensors)};
  memcpy(p.in<uint8_t*>(32), content, sizeof content);
  return kCuptiSuccess;
}
EXPORT int cuptiProfilerHostGetNumOfPasses(void* params) {
  Parameters p(params, 40);
  if (!p.ok()) return kCuptiInvalidParameter;
  uint64_t content[2];
  memcpy(content, p.in<uint8_t*>(24), sizeof content);
  p.out<size_t>(32, content[1]);
  return content[0] == kMagic ? kCuptiSuccess : kCuptiInvalidParameter;
}
EXPORT int cuptiProfilerHostEvaluateToGpuValues(void* params) {
  Parameters p(params, 72);
  if (!p.ok()) return kCuptiInvalidParameter;
  const auto* const image = p.in<const uint8_t*>(24);
  ImageHead head;
  memcpy(&head, image, sizeof head);
  const auto index = p.in<size_t>(40);
  if (head.magic != kMagic || index >= head.count) return kCuptiInvalidParameter;
  ImageRange range;
  memcpy(&range, image + sizeof head + index * sizeof range, sizeof range);
  auto* const names = p.in<const char* const*>(48);
  auto* const values = p.in<double*>(64);
  for (size_t i = 0; i < p.in<size_t>(56); ++i) {
    if (!is_known_metric(names[i])) return kInvalidMetricName;
    values[i] = static_cast<double>(sum_of(names[i]) % 101 * 1000000 + range.blocks * 1000 + range.name_sum % 997);
  }
  return kCuptiSuccess;
}

EXPORT int cuptiRangeProfilerEnable(void* params) {
  Parameters p(params, 32);
  if (!p.ok()) return kCuptiInvalidParameter;
  if (const int status = attached()) return status;
  if (misbehaves("no_permission")) return kNoPermission;
  if (misbehaves("busy")) return kBusy;
  if (misbehaves("confidential")) return kConfidential;
  void* const context = p.in<void*>(16);
  const uint32_t device = driver()->device_of(context);
  std::lock_guard held(lock);
  for (const auto& [other, profiler] : enabled)
    if (profiler->device == device) return kBusy;
  enabled[context] = new Profiler{context, device, nullptr, 0, 0, false, false, false, 0, {}};
  p.out<void*>(24, enabled[context]);
  return kCuptiSuccess;
}
EXPORT int cuptiRangeProfilerDisable(void* params) {
  Parameters p(params, 24);
  if (!p.ok()) return kCuptiInvalidParameter;
  std::lock_guard held(lock);
  auto* const profiler = p.in<Profiler*>(16);
  if (!is_profiler(profiler)) return kCuptiInvalidParameter;
  enabled.erase(profiler->context);
  delete profiler;
  return kCuptiSuccess;
}
EXPORT int cuptiRangeProfilerGetCounterDataSize(void* params) {
  Parameters p(params, 64);
  if (!p.ok() || p.in<uint32_t>(48) < p.in<size_t>(40)) return kCuptiInvalidParameter;
  std::lock_guard held(lock);
  if (!is_profiler(p.in<Profiler*>(16))) return kCuptiInvalidOperation;
  p.out<size_t>(56, sizeof(ImageHead) + p.in<size_t>(40) * sizeof(ImageRange));
  return kCuptiSuccess;
}
EXPORT int cuptiRangeProfilerCounterDataImageInitialize(void* params) {
  Parameters p(params, 40);
  if (!p.ok() || p.in<uint8_t*>(32) == nullptr) return kCuptiInvalidParameter;
  const ImageHead head{kMagic, (p.in<size_t>(24) - sizeof(ImageHead)) / sizeof(ImageRange), 0};
  memcpy(p.in<uint8_t*>(32), &head, sizeof head);
  return kCuptiSuccess;
}
EXPORT int cuptiRangeProfilerSetConfig(void* params) {
  Parameters p(params, 90);
  if (!p.ok() || p.in<int>(56) != kAutoRange || p.in<int>(60) != kKernelReplay) return kCuptiInvalidParameter;
  std::lock_guard held(lock);
  auto* const profiler = p.in<Profiler*>(16);
  if (!is_profiler(profiler) || profiler->started) return kCuptiInvalidOperation;
  if (p.in<size_t>(64) > kMostRanges) return kCuptiInvalidOperation;
  if (profiler->configurations++ != 0 && misbehaves("one_configuration")) return kCuptiInvalidOperation;
  ImageHead head;
  memcpy(&head, p.in<uint8_t*>(48), sizeof head);
  if (head.magic != kMagic || p.in<const uint8_t*>(32) == nullptr) return kCuptiInvalidParameter;
  profiler->image = p.in<uint8_t*>(48);
  profiler->image_bytes = p.in<size_t>(40);
  profiler->most_ranges = p.in<size_t>(64);
  profiler->configured = true;
  return kCuptiSuccess;
}
EXPORT int cuptiRangeProfilerStart(void* params) {
  Parameters p(params, 24);
  if (!p.ok()) return kCuptiInvalidParameter;
  std::lock_guard held(lock);
  auto* const profiler = p.in<Profiler*>(16);
  if (!is_profiler(profiler) || !profiler->configured || profiler->started) return kCuptiInvalidOperation;
  profiler->started = true;
  profiler->ranges.clear();
  return kCuptiSuccess;
}
EXPORT int cuptiRangeProfilerStop(void* params) {
  Parameters p(params, 41);
  if (!p.ok()) return kCuptiInvalidParameter;
  std::unique_lock held(lock);
  auto* const profiler = p.in<Profiler*>(16);
  if (!is_profiler(profiler) || !profiler->started) return kCuptiInvalidOperation;
  profiler->started = false;
  profiler->decodable = true;
  p.out<uint8_t>(40, 1);
  return wait_until_done(held, profiler->ranges) ? kCuptiSuccess : kCuptiUnknown;
}
EXPORT int cuptiRangeProfilerDecodeData(void* params) {
  Parameters p(params, 32);
  if (!p.ok()) return kCuptiInvalidParameter;
  std::lock_guard held(lock);
  auto* const profiler = p.in<Profiler*>(16);
  if (!is_profiler(profiler) || !profiler->decodable) return kCuptiInvalidOperation;
  if (misbehaves("mixed_ranges") && !profiler->ranges.empty()) profiler->ranges.push_back(profiler->ranges.back());
  uint64_t lost = 0;
  misbehaves("lost_ranges", &lost);
  ImageHead head;
  memcpy(&head, profiler->image, sizeof head);
  const size_t room = std::min<size_t>(head.capacity, profiler->most_ranges);
  const size_t made = profiler->ranges.size();
  head.count = std::min(room, made - std::min<size_t>(lost, made));
  for (size_t i = 0; i < head.count; ++i) {
    const Range& range = the_ranges[profiler->ranges[i]];
    const ImageRange content{range.number, range.blocks, range.name_sum};
    memcpy(profiler->image + sizeof head + i * sizeof content, &content, sizeof content);
  }
  memcpy(profiler->image, &head, sizeof head);
  profiler->decodable = false;
  p.out<size_t>(24, made - head.count);
  return kCuptiSuccess;
}
EXPORT int cuptiRangeProfilerGetCounterDataInfo(void* params) {
  Parameters p(params, 40);
  ImageHead head;
  if (!p.ok()) return kCuptiInvalidParameter;
  memcpy(&head, p.in<const uint8_t*>(16), sizeof head);
  p.out<size_t>(32, head.count);
  return head.magic == kMagic ? kCuptiSuccess : kCuptiInvalidParameter;
}
EXPORT int cuptiRangeProfilerCounterDataGetRangeInfo(void* params) {
  Parameters p(params, 56);
  if (!p.ok()) return kCuptiInvalidParameter;
  ImageRange range;
  memcpy(&range, p.in<const uint8_t*>(16) + sizeof(ImageHead) + p.in<size_t>(32) * sizeof range, sizeof range);
  static thread_local char name[24];
  snprintf(name, sizeof name, "%llu", static_cast<unsigned long long>(range.number));
  p.out<const char*>(48, name);
  return kCuptiSuccess;
}
