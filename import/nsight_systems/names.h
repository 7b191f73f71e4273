#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/trace_numbers.h"

namespace xsp::nsight_systems {

/// CUPTI's kinds of copies, the same as ENUM_CUDA_MEMCPY_OPER: "HtoD".
std::string_view copy_direction(int64_t kind);
/// ENUM_CUDA_MEM_KIND, for exports that lack the table: "Pinned"; "Unknown" for an unknown value. Not CUPTI's
/// CUpti_ActivityMemoryKind, which begins with "unknown" at 0.
std::string_view memory_kind_name(int64_t kind);
/// "HtoD (Pinned -> Device)", as PyTorch's profiler names copies. Only the direction if a kind of memory is unknown, or
/// both are the device's.
std::string copy_name(std::string_view direction, std::string_view from, std::string_view to);
/// ENUM_CUPTI_SYNC_TYPE: "stream".
std::string_view synchronization_name(int64_t type);
/// ENUM_CUPTI_OVERHEAD_TYPE: "lazy function loading"; empty for an unknown value.
std::string_view overhead_name(int64_t type);

/// A function of the CUDA API without the version that CUPTI appends: "cudaMalloc" from "cudaMalloc_v3020". Versions
/// that are part of the driver's own names stay ("cuMemGetInfo_v2").
std::string_view api_function(std::string_view name);
/// Whether a function of the CUDA API is the driver's: "cuLaunchKernel".
bool is_driver_function(std::string_view function);

/// "cudnn" for "CUDNN_EVENTS"; empty for a table of anything but library calls.
std::string library_of(std::string_view table);

/// A range's text as the guest records it (doc/ranges.md): without what makes each of PyTorch's unique, and cut to 4
/// KiB.
std::string range_text(std::string_view text);

}  // namespace xsp::nsight_systems
