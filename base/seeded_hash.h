#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/random.h>

namespace xsp {

/// A hash for numbers that a peer chooses: it cannot know which of them collide.
class SeededHash {
 public:
  SeededHash() { (void)!::getrandom(&seed_, sizeof seed_, GRND_NONBLOCK); }

  size_t operator()(uint64_t number) const {
    // The finalizer of MurmurHash3.
    number ^= seed_;
    number = (number ^ number >> 33) * 0xff51afd7ed558ccd;
    number = (number ^ number >> 33) * 0xc4ceb9fe1a85ec53;
    return static_cast<size_t>(number ^ number >> 33);
  }

 private:
  uint64_t seed_ = 0;
};

}  // namespace xsp
