#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsp::analysis {

/// One CounterBatch of trace.proto.
struct CounterBatch {
  uint32_t process = 0;  // index of Trace::processes
  uint32_t device = 0;
  uint32_t passes = 0;
  std::string detail;
  std::vector<uint32_t> metrics;    // string ids
  std::vector<uint32_t> name;       // by kernel: string id
  std::vector<uint64_t> ordinal;    // by kernel: of its launch on the device
  std::vector<uint64_t> execution;  // by kernel: 1 + number of the execution in its process; empty: by ordinal
  std::vector<double> value;        // by kernel and metric; NaN: none

  size_t size() const { return name.size(); }
  double of(size_t kernel, size_t metric) const { return value[kernel * metrics.size() + metric]; }
};

}  // namespace xsp::analysis
