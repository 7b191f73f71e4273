#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inject/bench/decimal.h"

namespace xsp::bench {

inline constexpr size_t kMostValues = 10'000;

/// What `1, 2, 4, …, 256` leaves out: the values between the last of `given` and `last`, appended to `between`. The
/// progression is the one, arithmetic or geometric, that all given values follow and that meets `last`. Otherwise says
/// why there is none.
std::optional<std::string> continue_progression(const std::vector<Decimal>& given, const Decimal& last,
                                                std::vector<Decimal>* between);

/// `first`, `first` + `step`, … up to `last`, as hyperfine's --parameter-scan. Otherwise says why there is none.
std::optional<std::string> scan_range(const Decimal& first, const Decimal& last, const Decimal& step,
                                      std::vector<Decimal>* values);

}  // namespace xsp::bench
