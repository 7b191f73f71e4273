#include "inject/onnxruntime/input_shapes.h"

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fixed_text.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr size_t kMaxInputs = 8;
constexpr size_t kMaxRank = 8;
constexpr uint64_t kIdBits = 24;

/// Rank, then sizes, per tensor.
struct Sizes {
  size_t used = 0;
  int64_t values[kMaxInputs * (kMaxRank + 1)];

  void add(const int64_t* dimensions, size_t rank) {
    if (rank > kMaxRank) return;
    values[used++] = static_cast<int64_t>(rank);
    for (size_t i = 0; i < rank; ++i) values[used++] = dimensions[i];
  }
};

void read_sizes(const ort::Api& api, const void* value, Sizes* sizes) {
  int is_tensor = 0;
  if (value == nullptr || !ort::succeeded(api, api.IsTensor(value, &is_tensor)) || is_tensor == 0) return;
  size_t rank = 0;
  // From 1.25 on: one call and no allocation.
  if (api.GetTensorElementTypeAndShapeDataReference != nullptr) {
    int type = 0;
    const int64_t* dimensions = nullptr;
    if (ort::succeeded(api, api.GetTensorElementTypeAndShapeDataReference(value, &type, &dimensions, &rank))) {
      sizes->add(dimensions, rank);
    }
    return;
  }
  void* info = nullptr;
  if (!ort::succeeded(api, api.GetTensorTypeAndShape(value, &info))) return;
  int64_t dimensions[kMaxRank];
  if (ort::succeeded(api, api.GetDimensionsCount(info, &rank)) && rank <= kMaxRank &&
      ort::succeeded(api, api.GetDimensions(info, dimensions, rank))) {
    sizes->add(dimensions, rank);
  }
  api.ReleaseTensorTypeAndShapeInfo(info);
}

/// A variant of FNV-1a, of which the bits above those of a string id are kept.
uint64_t hash_of(const Sizes& sizes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < sizes.used; ++i) {
    hash = (hash ^ static_cast<uint64_t>(sizes.values[i])) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash >> kIdBits << kIdBits;
}

uint32_t intern_sizes(const Sizes& sizes) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  FixedText<1024> text;
  for (size_t i = 0; i < sizes.used;) {
    text.put(i == 0 ? "[" : ";[");
    const auto rank = static_cast<size_t>(sizes.values[i++]);
    for (size_t d = 0; d < rank; ++d) {
      text.put(d == 0 ? "" : ",").put_number(static_cast<uint64_t>(sizes.values[i++]));
    }
    text.put("]");
  }
  return intern(text.view());
}

}  // namespace

uint32_t ort_input_shapes(OrtSession& session, const void* const* inputs, size_t count) {
  Sizes sizes;
  for (size_t i = 0; i < count && i < kMaxInputs; ++i) read_sizes(*session.api, inputs[i], &sizes);
  if (sizes.used == 0) return 0;
  const uint64_t hash = hash_of(sizes);
  std::atomic<uint64_t>& known = session.shapes[(hash >> kIdBits) % OrtSession::kShapes];
  const uint64_t found = known.load(std::memory_order_relaxed);
  constexpr uint64_t kIdMask = (uint64_t{1} << kIdBits) - 1;
  if (found != 0 && (found & ~kIdMask) == hash) return static_cast<uint32_t>(found & kIdMask);
  const uint32_t id = intern_sizes(sizes);
  if (id != 0 && id <= kIdMask) known.store(hash | id, std::memory_order_relaxed);
  return id;
}

}  // namespace xsp::guest
