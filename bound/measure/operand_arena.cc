#include "bound/measure/operand_arena.h"

#include <sys/mman.h>

#include <cstring>
#include <limits>

namespace xsp::bound {
namespace {

constexpr size_t kAlignment = 64;

}  // namespace

std::optional<size_t> OperandArena::copy_bytes(const std::vector<size_t>& sizes) {
  constexpr size_t kMost = std::numeric_limits<size_t>::max() / 4;
  size_t bytes = 0;
  for (const size_t size : sizes) {
    if (size > kMost - bytes) return std::nullopt;
    bytes += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return bytes;
}

bool OperandArena::allocate(const std::vector<size_t>& sizes, size_t copies) {
  bytes_ = copy_bytes(sizes).value_or(0);
  size_t all = 0;
  if (bytes_ == 0 || __builtin_mul_overflow(bytes_, copies, &all)) return false;
  void* const memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(memory);
  copies_ = copies;
  size_t place = 0;
  for (const size_t size : sizes) {
    places_.push_back(place);
    place += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return true;
}

OperandArena::~OperandArena() {
  if (memory_ != nullptr) munmap(memory_, bytes_ * copies_);
}

std::vector<void*> OperandArena::buffers(size_t copy) const {
  std::vector<void*> buffers;
  for (const size_t place : places_) buffers.push_back(memory_ + copy * bytes_ + place);
  return buffers;
}

void OperandArena::repeat_first() {
  for (size_t copy = 1; copy < copies_; ++copy) std::memcpy(memory_ + copy * bytes_, memory_, bytes_);
}

}  // namespace xsp::bound
