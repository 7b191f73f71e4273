#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace xsp::bound {

/// One stretch of memory for the buffers of an implementation, each aligned to a cache line, and for copies of them
/// all.
class OperandArena {
 public:
  /// Bytes of one copy of buffers of these sizes; nothing: no machine has as many.
  static std::optional<size_t> copy_bytes(const std::vector<size_t>& sizes);

  /// False: there is no memory.
  bool allocate(const std::vector<size_t>& sizes, size_t copies);
  ~OperandArena();
  OperandArena() = default;
  OperandArena(const OperandArena&) = delete;
  OperandArena& operator=(const OperandArena&) = delete;

  /// The buffers of one copy.
  std::vector<void*> buffers(size_t copy) const;
  /// Makes the other copies equal to the first.
  void repeat_first();
  std::span<const std::byte> memory() const { return {memory_, bytes_ * copies_}; }

 private:
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0;  // of a copy
  size_t copies_ = 0;
  std::vector<size_t> places_;  // in a copy
};

}  // namespace xsp::bound
