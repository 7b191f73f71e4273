#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace xsp {

/// What a function of the CUDA API is for, as --cuda-api names it.
enum class ApiGroup : uint8_t {
  kLaunch,  // kernels, graphs, host functions
  kCopy,    // copies and prefetches
  kMemset,
  kSync,    // waits of the host, or of a stream
  kMemory,  // allocation, pools, mappings, host memory
  kGraph,   // capture, nodes, instantiation
  kModule,  // code: modules, libraries, linking, functions
  kEvent,
  kStream,
  kQuery,  // what only asks: many a program does so at every step
  kOther,
};

/// By ApiGroup.
inline constexpr std::string_view kApiGroupNames[] = {"launch", "copy",  "memset", "sync",  "memory", "graph",
                                                      "module", "event", "stream", "query", "other"};
static_assert(std::size(kApiGroupNames) == static_cast<size_t>(ApiGroup::kOther) + 1);

constexpr std::string_view name_of(ApiGroup group) { return kApiGroupNames[static_cast<size_t>(group)]; }

}  // namespace xsp
