#include "inject/torch/tensor_layout.h"

#include <string.h>
#include <sys/uio.h>

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/guard/safe_copy.h"
#include "inject/objects/loaded_library.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

/// c10::impl::SizesAndStrides, and what follows it in a TensorImpl. Up to five dimensions are stored inside, more
/// outside.
constexpr uint64_t kMaxInside = 5;
struct SizesPart {
  uint64_t rank;
  union {
    int64_t inside[2 * kMaxInside];
    const int64_t* outside;
  };
  int64_t storage_offset;
  int64_t elements;
};
static_assert(sizeof(SizesPart) == 104);

/// Where it lies: in PyTorch 2.15, in 1.13 to 2.1, and where it may come to lie.
constexpr uint32_t kOffsets[] = {56, 72, 64, 80, 48};
constexpr uint32_t kCopied = 80 + sizeof(SizesPart);

constexpr uint32_t kTensorConfirmations = 8;
/// If so many tensors have not confirmed a layout, none is expected to.
constexpr uint32_t kMaxAttempts = 4096;

enum class Layout : uint32_t { kUnknown = 0, kOff = 1 };  // else the offset
constinit std::atomic<uint32_t> offset{static_cast<uint32_t>(Layout::kUnknown)};
constinit std::atomic<uint32_t> confirmations{0};
constinit std::atomic<uint32_t> attempts{0};

/// The singleton that stands for an undefined tensor.
constinit std::atomic<const void*> undefined_tensor{nullptr};

bool is_consistent(uint64_t rank, const int64_t* sizes, int64_t elements) {
  int64_t product = 1;
  for (uint64_t i = 0; i < rank; ++i) {
    if (sizes[i] < 0 || __builtin_mul_overflow(product, sizes[i], &product)) return false;
  }
  return product == elements;
}

bool take(const SizesPart& part, const int64_t* sizes, TensorSizes* result) {
  if (!is_consistent(part.rank, sizes, part.elements)) return false;
  result->rank = static_cast<uint32_t>(part.rank);
  memcpy(result->sizes, sizes, part.rank * sizeof *sizes);
  return true;
}

/// Whether the place holds sizes for certain: several dimensions with elements in them do not agree by chance.
bool shows_layout(const SizesPart& part) {
  return part.rank >= 2 && part.rank <= kMaxInside && part.elements > 3 &&
         is_consistent(part.rank, part.inside, part.elements);
}

void turn_layout_off() {
  if (offset.exchange(static_cast<uint32_t>(Layout::kOff)) == static_cast<uint32_t>(Layout::kOff)) return;
  notify(0, "torch", "tensors of this PyTorch cannot be read: operators have no shapes");
}

__attribute__((noinline, cold)) bool read_sizes_safely(const void* tensor, TensorSizes* sizes) {
  const ErrnoGuard errno_guard;
  if (undefined_tensor.load(std::memory_order_relaxed) == nullptr) {
    const void* found = symbol_in_loaded_library("libc10.so", "_ZN3c1019UndefinedTensorImpl10_singletonE");
    // If there is no such symbol, an address that no tensor has, so as not to search again.
    undefined_tensor.store(found != nullptr ? found : &undefined_tensor, std::memory_order_relaxed);
  }
  if (tensor == undefined_tensor.load(std::memory_order_relaxed)) return false;
  alignas(8) char copy[kCopied];
  if (attempts.fetch_add(1, std::memory_order_relaxed) == kMaxAttempts || !copy_safely(tensor, copy, sizeof copy)) {
    turn_layout_off();
    return false;
  }
  const auto part_at = [&copy](uint32_t at) { return reinterpret_cast<const SizesPart*>(copy + at); };
  uint32_t known = offset.load(std::memory_order_relaxed);
  if (known == static_cast<uint32_t>(Layout::kUnknown)) {
    for (const uint32_t at : kOffsets) {
      if (!shows_layout(*part_at(at))) continue;
      known = at;
      offset.store(at, std::memory_order_relaxed);
      break;
    }
    if (known == static_cast<uint32_t>(Layout::kUnknown)) return false;
  }
  if (known == static_cast<uint32_t>(Layout::kOff)) return false;
  const SizesPart& part = *part_at(known);
  if (shows_layout(part)) confirmations.fetch_add(1, std::memory_order_relaxed);
  return part.rank <= kMaxInside && take(part, part.inside, sizes);
}

}  // namespace

bool read_sizes(const TorchValue& value, TensorSizes* sizes) {
  if (value.tag != kTensorTag || value.payload == nullptr) return false;
  const uint32_t known = offset.load(std::memory_order_relaxed);
  if (known == static_cast<uint32_t>(Layout::kOff)) return false;
  if (__builtin_expect(confirmations.load(std::memory_order_relaxed) < kTensorConfirmations, 0)) {
    return read_sizes_safely(value.payload, sizes);
  }
  if (value.payload == undefined_tensor.load(std::memory_order_relaxed)) return false;
  const auto& part = *reinterpret_cast<const SizesPart*>(static_cast<const char*>(value.payload) + known);
  if (__builtin_expect(part.rank <= kMaxInside, 1)) return take(part, part.inside, sizes);
  return part.rank <= TensorSizes::kMaxRank && take(part, part.outside, sizes);
}

}  // namespace xsp::guest
