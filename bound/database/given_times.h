#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/status.h"

namespace xsp::bound {

/// The times of --times: of a layer the sum of its rows.
struct GivenTime {
  double latency_ms = 0;
  std::string implementation;  // of all its rows, joined by " + "
};
using GivenTimes = std::unordered_map<std::string, GivenTime>;

/// Reads RFC 4180 with the header `layer,latency_ms[,implementation]` (any order, other columns are ignored). Errors
/// (exit code 3) name the line: no header, a time that is no number or is negative.
Status read_given_times(const std::string& path, GivenTimes* times);

}  // namespace xsp::bound
