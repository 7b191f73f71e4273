#pragma once

#include <cstdint>

namespace xsp::analysis {

/// PCG32 (O'Neill, pcg-random.org): the same numbers everywhere, unlike the distributions of the standard library.
class Random {
 public:
  /// Generators of different streams are independent.
  explicit Random(uint64_t stream) : increment_(stream << 1 | 1) {
    next();
    state_ += kSeed;
    next();
  }

  /// 0 to n - 1.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(uint64_t{next()} * n >> 32); }

 private:
  static constexpr uint64_t kSeed = 0x853c49e6748fea9b;

  uint32_t next() {
    const uint64_t old = state_;
    state_ = old * 6364136223846793005u + increment_;
    const auto shifted = static_cast<uint32_t>((old >> 18 ^ old) >> 27);
    const auto rotation = static_cast<uint32_t>(old >> 59);
    return shifted >> rotation | shifted << (-rotation & 31);
  }

  uint64_t state_ = 0;
  uint64_t increment_;
};

}  // namespace xsp::analysis
