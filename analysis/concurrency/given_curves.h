#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/concurrency/thread_curve.h"
#include "base/status.h"

namespace xsp::analysis {

/// The curve of an operation with inputs of one size, as another machine measured it.
struct GivenCurve {
  std::string operation;  // "Conv2D"
  std::string size;       // "(32,8,8,384)"; may be empty
  ThreadCurve curve;
};

using GivenCurves = std::vector<GivenCurve>;

/// Reads CSV with the head `op,size,threads,ms`, RFC 4180: a size with commas stands in quotes. Rows of one op and size
/// in any order; several rows of one number of threads are values of one point. The error names the line.
Status parse_curves(std::string_view text, GivenCurves* curves);
Status read_curves(const std::string& path, GivenCurves* curves);

}  // namespace xsp::analysis
