#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "inject/counters/metric_sets.h"
#include "inject/counters/range_abi.h"
#include "inject/guard/fixed_text.h"

namespace xsp::guest {

/// CUPTI's profiler host for one chip: configures what is needed to count some metrics, and turns the counts of a range
/// into their values. Needs no driver. Its memory is never freed. xsp-run uses it, too.
struct CounterHost {
  void* host;
  ChosenMetrics* metrics;
  uint8_t* config;
  size_t config_bytes;
  uint32_t passes;
};

/// Prepares what `list` asks for (metric_sets.h). Metrics that the chip does not have are left out, and named in
/// `left_out`. `availability` (may be null): which of the device's counters are available. On failure `what` says which
/// step or which word it was.
cupti::Result open_counter_host(const cupti::RangeFunctions& functions, const char* chip, std::string_view list,
                                const uint8_t* availability, CounterHost* host, FixedText<512>* left_out,
                                FixedText<512>* what);

/// The values of the metrics, in their order, for one range of a decoded counter data image.
cupti::Result evaluate_range(const cupti::RangeFunctions& functions, const CounterHost& host, const uint8_t* image,
                             size_t bytes, size_t range, double* values);

}  // namespace xsp::guest
