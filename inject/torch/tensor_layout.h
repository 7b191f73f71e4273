#pragma once

#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// c10::IValue: what a RecordFunction's inputs and outputs are made of.
struct TorchValue {
  const void* payload;  // of a tensor: its at::TensorImpl
  uint32_t tag;
  uint32_t padding;
};
inline constexpr uint32_t kTensorTag = 1;

struct TensorSizes {
  static constexpr uint32_t kMaxRank = 8;
  uint32_t rank;
  int64_t sizes[kMaxRank];
};

/// Reads the sizes of the tensor that a value holds. False for any other value, for an undefined tensor, and for
/// tensors that keep their sizes elsewhere (nested and symbolic ones) or have more dimensions.
///
/// They are read from the TensorImpl, without a call. Only after several tensors were found whose number of elements is
/// the product of their sizes is it certain that the tag means a tensor, and where the sizes lie. Until then memory is
/// read through the kernel, where a wrong address is an error and no crash. The product is checked for each later
/// tensor, too. If PyTorch has another layout nothing more is read, which a notice says once.
bool read_sizes(const TorchValue& value, TensorSizes* sizes);

}  // namespace xsp::guest
