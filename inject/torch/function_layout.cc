#include "inject/torch/function_layout.h"

#include <string.h>

#include <atomic>

#include "inject/record/process.h"

namespace xsp::guest {
namespace {

using torch_abi::RecordFunction;

/// Of `sequence_nr_`, behind `fn_`, which holds a std::string: of 32 bytes, or of 8 in wheels of old that were built
/// for the ABI of libstdc++ before C++11.
constexpr size_t kSequenceOffsets[] = {200, 176};
constexpr uint32_t kNoOffset = 2;
constinit std::atomic<uint32_t> sequence_offset{0};

/// Of `fwd_thread_id_` behind `sequence_nr_`: inputs_ and outputs_ lie between, and since 2.2 kwinputs_.
constexpr size_t kForwardThreadDistances[kForwardThreadPlaces] = {48, 104};
constexpr uint64_t kMaxThread = 1 << 24;

template <typename Value>
Value read_at(const RecordFunction& function, size_t offset) {
  Value value;
  memcpy(&value, reinterpret_cast<const char*>(&function) + offset, sizeof value);
  return value;
}

__attribute__((noinline, cold)) void reject_offset(uint32_t index) {
  if (!sequence_offset.compare_exchange_strong(index, index + 1) || index + 1 != kNoOffset) return;
  notify(0, "torch", "this PyTorch keeps sequence numbers elsewhere: backward work is not joined to its layers");
}

}  // namespace

int64_t forward_sequence(const TorchLibrary& torch, const RecordFunction& function) {
  for (uint32_t index; (index = sequence_offset.load(std::memory_order_relaxed)) != kNoOffset; reject_offset(index)) {
    const auto sequence = read_at<int64_t>(function, kSequenceOffsets[index]);
    if (sequence == -1) return -1;
    if (sequence == static_cast<int64_t>(torch.next_sequence())) return sequence;
    // One without a schema may have been given any.
    if (torch.num_inputs(&function) == 0) return -1;
  }
  return -1;
}

int64_t backward_sequence(const RecordFunction& function) {
  const uint32_t index = sequence_offset.load(std::memory_order_relaxed);
  if (index == kNoOffset) return -1;
  const auto sequence = read_at<int64_t>(function, kSequenceOffsets[index]);
  return sequence < 0 ? -1 : sequence;
}

uint64_t forward_thread_at(const RecordFunction& function, uint32_t place) {
  const uint32_t index = sequence_offset.load(std::memory_order_relaxed);
  if (index == kNoOffset) return 0;
  const auto thread = read_at<uint64_t>(function, kSequenceOffsets[index] + kForwardThreadDistances[place]);
  return thread <= kMaxThread ? thread : 0;
}

}  // namespace xsp::guest
