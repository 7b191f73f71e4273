#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/trace/data_type.h"

namespace xsp::analysis {

enum class MetricSource : uint8_t { kNone, kCounters, kAnalytic };

/// Why the point of a kernel is to be read with care.
enum MetricFlag : uint8_t {
  kWinograd = 1,    ///< executes fewer multiplications than the algorithm has
  kFft = 2,         ///< executes other operations than the algorithm has
  kL2Resident = 4,  ///< what it touches fits into the L2 cache: DRAM traffic may be far below the analytic bytes
  kEmulated = 8,    ///< emulates a wider type by several products of a narrower one
  kShared = 16,     ///< its operator started further kernels, whose work is counted here
  kAuxiliary = 32,  ///< its work is counted at another kernel of its operator
  kSplit = 64,      ///< further kernels of its operator did a part of the work that is counted here
};

/// What is known of one execution beside its time. A value that is not known is NaN, never 0.
struct KernelMetrics {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double flops = kUnknown;            // executed ones of counters, algorithmic ones of arguments: see `source`
  double dram_read_bytes = kUnknown;  // measured, or the compulsory ones
  double dram_write_bytes = kUnknown;
  double occupancy_pct = kUnknown;      // of counters only
  double algorithmic_flops = kUnknown;  // of arguments, also where `source` is counters
  DataType type = DataType::kUnknown;
  MetricSource source = MetricSource::kNone;
  uint8_t flags = 0;
  /// Adds up, modulo 2^64, to 0 over all kernels that did a part of one operator's work, and hardly ever over some of
  /// them: time and work of a sum belong together only where it does.
  uint64_t part = 0;
};

/// Metrics of all executions, one source for all: counters where the input has any, else arguments, so that no
/// aggregate mixes executed and algorithmic flops.
struct Metrics {
  std::vector<KernelMetrics> of;  // by index in Trace::executions; empty: none at all
  MetricSource source = MetricSource::kNone;
};

}  // namespace xsp::analysis
