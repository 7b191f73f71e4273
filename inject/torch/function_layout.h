#pragma once

#include <cstdint>

#include "inject/torch/tensor_layout.h"
#include "inject/torch/torch_library.h"

namespace xsp::guest {

/// No exported function says where the members of an at::RecordFunction lie. The places that PyTorch's versions have
/// used are tried, and one counts as long as what is read there agrees with what exported functions say. If none does,
/// these members are no longer read, which a notice says once.

/// For a RecordFunction of scope FUNCTION that begins: the sequence number that its autograd node will have, if it
/// makes one. -1: none, or not known.
int64_t forward_sequence(const TorchLibrary& torch, const torch_abi::RecordFunction& function);

/// For a RecordFunction of scope BACKWARD_FUNCTION: its node's sequence number; -1 if there is none.
int64_t backward_sequence(const torch_abi::RecordFunction& function);

/// The member that holds the number of the forward thread, as PyTorch counts threads: the caller finds out which of its
/// possible places is right, as the one whose value it knows. 0: the place does not hold such a number.
inline constexpr uint32_t kForwardThreadPlaces = 2;
uint64_t forward_thread_at(const torch_abi::RecordFunction& function, uint32_t place);

/// A function's arguments while it begins, and its results when it ends, where the callbacks ask for them.
struct TorchValues {
  const TorchValue* first = nullptr;
  size_t count = 0;
};
TorchValues inputs_of(const TorchLibrary& torch, const torch_abi::RecordFunction& function);
TorchValues outputs_of(const TorchLibrary& torch, const torch_abi::RecordFunction& function);

}  // namespace xsp::guest
