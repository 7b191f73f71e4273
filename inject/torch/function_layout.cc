#include "inject/torch/function_layout.h"

#include <string.h>

#include <atomic>

#include "inject/guard/errno_guard.h"
#include "inject/guard/safe_copy.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

using torch_abi::RecordFunction;

/// Where `sequence_nr_` lies. It comes after `fn_`, which holds a std::string: of 32 bytes, or of 8 in old wheels that
/// were built for libstdc++'s ABI before C++11.
constexpr size_t kSequenceOffsets[] = {200, 176};
constexpr uint32_t kNoOffset = 2;
constinit std::atomic<uint32_t> sequence_offset{0};

/// Distance from `sequence_nr_` to `fwd_thread_id_`: inputs_ and outputs_ lie between, and since 2.2 kwinputs_.
constexpr size_t kForwardThreadDistances[kForwardThreadPlaces] = {48, 104};
// PyTorch counts its threads from 1: a larger number is something else that lies at that place.
constexpr uint64_t kMaxThread = 1 << 24;

template <typename Value>
Value read_at(const RecordFunction& function, size_t offset) {
  Value value;
  memcpy(&value, reinterpret_cast<const char*>(&function) + offset, sizeof value);
  return value;
}

__attribute__((noinline, cold)) void reject_offset(uint32_t index) {
  if (!sequence_offset.compare_exchange_strong(index, index + 1) || index + 1 != kNoOffset) return;
  notify(0, "torch",
         "this PyTorch keeps sequence numbers elsewhere: operators have no shapes, and backward work is not "
         "joined to its layers");
}

/// Distance from `sequence_nr_` to `inputs_`, and to `outputs_` without and with kwinputs_.
constexpr size_t kInputsDistance = 8;
constexpr size_t kOutputsDistances[] = {24, 80};

/// After kConfirmations operators whose values agreed with their schema and could be read, values are read directly,
/// and arguments also where there is no schema to compare with. If none of kMaxFailures operators has agreed, none is
/// expected to.
constexpr uint32_t kConfirmations = 8;
constexpr uint32_t kMaxFailures = 256;
constexpr size_t kMaxValues = 64;

struct Evidence {
  std::atomic<uint32_t> confirmations;
  std::atomic<uint32_t> failures;
  std::atomic<bool> is_off;

  bool is_known() const { return confirmations.load(std::memory_order_relaxed) >= kConfirmations; }
  void turn_off(const char* notice) {
    if (!is_off.exchange(true)) notify(0, "torch", notice);
  }
  /// Counts a failure; matters only as long as nothing was confirmed.
  void fail(const char* notice) {
    if (confirmations.load(std::memory_order_relaxed) == 0 &&
        failures.fetch_add(1, std::memory_order_relaxed) >= kMaxFailures) {
      turn_off(notice);
    }
  }
};
constinit Evidence inputs{};
constinit Evidence outputs{};
constexpr const char* kNoInputs =
    "this PyTorch keeps arguments of operators elsewhere: there are no input shapes of operators";
constexpr const char* kNoOutputs =
    "this PyTorch keeps results of operators elsewhere: there are no output shapes of operators";

bool is_pointer(uintptr_t value) { return value > 0xffff && value % alignof(TorchValue) == 0; }

struct Array {
  uintptr_t first;
  size_t count;

  TorchValues values() const { return {reinterpret_cast<const TorchValue*>(first), count}; }
};

Array read_inputs(const RecordFunction& function, uint32_t index) {
  return read_at<Array>(function, kSequenceOffsets[index] + kInputsDistance);
}

/// Reads through the kernel, where a wrong address is an error and no crash.
__attribute__((noinline, cold)) TorchValues confirm(Evidence& evidence, const TorchValues& values, const char* notice) {
  const ErrnoGuard errno_guard;
  TorchValue copy[kMaxValues];
  if (values.count > kMaxValues || !copy_safely(values.first, copy, values.count * sizeof *copy)) {
    evidence.turn_off(notice);
    return {};
  }
  evidence.confirmations.fetch_add(1, std::memory_order_relaxed);
  return values;
}

/// Looks for an array with as many values as the schema has arguments: that finds the offset sooner than any sequence
/// number.
__attribute__((noinline, cold)) TorchValues find_inputs(const RecordFunction& function, size_t expected) {
  for (uint32_t index = 0; index < kNoOffset; ++index) {
    const Array array = read_inputs(function, index);
    if (array.count != expected || !is_pointer(array.first)) continue;
    sequence_offset.store(index, std::memory_order_relaxed);
    return confirm(inputs, array.values(), kNoInputs);
  }
  inputs.fail(kNoInputs);
  return {};
}

/// An empty array does not contradict the layout: whoever records this function passes no values.
__attribute__((noinline, cold)) TorchValues lose_inputs(const Array& array) {
  if (array.count != 0) inputs.turn_off(kNoInputs);
  return {};
}

}  // namespace

int64_t forward_sequence(const TorchLibrary& torch, const RecordFunction& function) {
  for (uint32_t index; (index = sequence_offset.load(std::memory_order_relaxed)) != kNoOffset; reject_offset(index)) {
    const auto sequence = read_at<int64_t>(function, kSequenceOffsets[index]);
    if (sequence == -1) return -1;
    if (sequence == static_cast<int64_t>(torch.next_sequence())) return sequence;
    // A function without a schema may have been given any number.
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

TorchValues inputs_of(const TorchLibrary& torch, const RecordFunction& function) {
  const uint32_t index = sequence_offset.load(std::memory_order_relaxed);
  if (index == kNoOffset || inputs.is_off.load(std::memory_order_relaxed)) return {};
  const size_t expected = torch.num_inputs(&function);
  const Array array = read_inputs(function, index);
  const bool is_known = inputs.is_known();
  if (expected == 0) {
    return is_known && array.count <= kMaxValues && is_pointer(array.first) ? array.values() : TorchValues{};
  }
  if (__builtin_expect(array.count == expected && is_pointer(array.first), 1)) {
    return __builtin_expect(is_known, 1) ? array.values() : confirm(inputs, array.values(), kNoInputs);
  }
  return is_known ? lose_inputs(array) : find_inputs(function, expected);
}

TorchValues outputs_of(const TorchLibrary& torch, const RecordFunction& function) {
  const uint32_t index = sequence_offset.load(std::memory_order_relaxed);
  if (index == kNoOffset || outputs.is_off.load(std::memory_order_relaxed)) return {};
  const size_t expected = torch.num_outputs(&function);
  if (expected == 0 || expected > kMaxValues) return {};
  struct Vector {
    uintptr_t begin;
    uintptr_t end;
    uintptr_t capacity_end;
  };
  for (const size_t distance : kOutputsDistances) {
    const auto values = read_at<Vector>(function, kSequenceOffsets[index] + distance);
    const bool fits = is_pointer(values.begin) && values.end - values.begin == expected * sizeof(TorchValue) &&
                      values.capacity_end >= values.end;
    if (!fits) continue;
    const TorchValues found{reinterpret_cast<const TorchValue*>(values.begin), expected};
    return __builtin_expect(outputs.is_known(), 1) ? found : confirm(outputs, found, kNoOutputs);
  }
  if (!outputs.is_known()) outputs.fail(kNoOutputs);
  return {};
}

uint64_t forward_thread_at(const RecordFunction& function, uint32_t place) {
  const uint32_t index = sequence_offset.load(std::memory_order_relaxed);
  if (index == kNoOffset) return 0;
  const auto thread = read_at<uint64_t>(function, kSequenceOffsets[index] + kForwardThreadDistances[place]);
  return thread <= kMaxThread ? thread : 0;
}

}  // namespace xsp::guest
