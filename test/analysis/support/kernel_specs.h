#pragma once

#include <cstdint>
#include <string>

#include "test/analysis/support/nanoseconds.h"
#include "test/analysis/support/trace_builder.h"

namespace xsp::test {

inline constexpr double kNsOfMs = 1e6;

/// A span of one process and ring, in microseconds from its start; a model's input is [4,3].
inline SpanSpec span(int level, uint32_t id, uint32_t parent, int64_t begin_us, int64_t end_us, const std::string& name,
                     uint32_t process = 1) {
  SpanSpec spec{.begin = begin_us * kUs, .end = end_us * kUs, .id = id, .parent = parent, .level = level, .name = name};
  spec.kind = level == LEVEL_MODEL     ? KIND_TORCH_ROOT
              : level == LEVEL_LAYER   ? KIND_TORCH_MODULE
              : level == LEVEL_LIBRARY ? KIND_LIBRARY_CALL
                                       : KIND_RUNTIME_CALL;
  if (level == LEVEL_MODEL) spec.input = "[4,3]";
  if (level == LEVEL_RUNTIME) spec.type = "cudart";
  spec.process = process;
  spec.ring = process;
  return spec;
}

/// A kernel of 80 blocks of 256 threads, launched by the span with this id.
inline ExecutionSpec kernel(int64_t begin_us, int64_t end_us, const std::string& name, uint32_t launch,
                            uint32_t stream = 7, uint32_t process = 1) {
  ExecutionSpec spec{.begin = begin_us * kUs, .end = end_us * kUs, .name = name, .launch = launch};
  spec.launch_ring = process;
  spec.stream = stream;
  spec.process = process;
  spec.correlation = launch;
  spec.configuration = "grid=[80,1,1] block=[256,1,1] registers=32 static_shared=0 dynamic_shared=16384";
  return spec;
}

}  // namespace xsp::test
