#include "inject/torch/operator_shapes.h"

#include <string.h>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/guard/fork_wiped.h"
#include "inject/record/hash.h"
#include "inject/record/process.h"
#include "inject/record/shapes.h"

namespace xsp::guest {
namespace {

static_assert(Shapes::kMaxRank == TensorSizes::kMaxRank);

constexpr size_t kShapes = 4096;
constexpr uint32_t kMaxShapes = 65536;

/// Direct-mapped. Any thread may write at any time, without a lock: an entry whose two words do not belong together
/// yields a key that matches nothing.
struct KnownShape {
  std::atomic<uint64_t> key_and_id;  // exclusive or
  std::atomic<uint64_t> id;
};
struct KnownShapes {
  std::atomic<uint32_t> made;
  std::atomic<bool> full_told;
  KnownShape entries[kShapes];
};
constinit ForkWiped<KnownShapes> known_shapes;

bool collect(const TorchValues& values, Shapes* shapes) {
  for (size_t i = 0; i < values.count && shapes->tensors < Shapes::kMaxTensors; ++i) {
    TensorSizes tensor;
    if (!read_sizes(values.first[i], &tensor)) continue;
    shapes->sizes[shapes->used++] = tensor.rank;
    for (uint32_t dimension = 0; dimension < tensor.rank; ++dimension) {
      shapes->sizes[shapes->used++] = tensor.sizes[dimension];
    }
    shapes->tensors++;
  }
  return shapes->tensors != 0;
}

__attribute__((noinline, cold)) uint32_t intern_shapes(const Shapes& shapes, uint64_t key) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  Process* process = wake_process();
  KnownShapes* known = known_shapes.make();
  if (process == nullptr || known == nullptr) return 0;
  char buffer[kShapesTextBytes];
  const std::string_view text = text_of(shapes, buffer);
  uint32_t id;
  {
    const LockGuard lock(process->lock);
    id = process->strings.find(process->region, text);
    // Under the lock, so that two threads do not count the same text twice.
    if (id == 0 && known->made.load(std::memory_order_relaxed) < kMaxShapes) {
      known->made.fetch_add(1, std::memory_order_relaxed);
      id = process->strings.intern(process->region, text);
    }
  }
  if (id == 0 && known->made.load(std::memory_order_relaxed) >= kMaxShapes && !known->full_told.exchange(true)) {
    notify(0, "torch", "operators have more than 65536 different shapes: no others are recorded");
  }
  KnownShape& entry = known->entries[key % kShapes];
  entry.id.store(id, std::memory_order_relaxed);
  entry.key_and_id.store(key ^ id, std::memory_order_relaxed);
  return id;
}

}  // namespace

uint32_t shapes_of(const TorchValues& values) {
  Shapes shapes;
  if (!collect(values, &shapes)) return 0;
  uint64_t key = static_cast<uint64_t>(shapes.used);
  for (int i = 0; i < shapes.used; ++i) key = mix(key, static_cast<uint64_t>(shapes.sizes[i]));
  if (const KnownShapes* known = known_shapes.get(); __builtin_expect(known != nullptr, 1)) {
    const KnownShape& entry = known->entries[key % kShapes];
    const uint64_t id = entry.id.load(std::memory_order_relaxed);
    if (__builtin_expect((entry.key_and_id.load(std::memory_order_relaxed) ^ id) == key, 1)) {
      return static_cast<uint32_t>(id);
    }
  }
  return intern_shapes(shapes, key);
}

}  // namespace xsp::guest
