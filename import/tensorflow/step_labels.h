#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

/// "conv1 = Conv2D(input, filter/read)".
struct NodeLabel {
  std::string_view op;
  std::vector<std::string_view> inputs;
};
NodeLabel parse_node_label(std::string_view label);

/// What a label says of a kernel or a copy:
///     "volta_sgemm_128x64 regs:122 shm:24576 grid:32,1,1 block:128,1,1@@dense/MatMul:MatMul"
///     "MEMCPYHtoD 12544 bytes (Pageable to Device)"        "MemcpyH2D bytes:12544 async"
struct KernelLabel {
  std::string_view kernel;    // empty: unknown
  std::string configuration;  // as ActivityBatch.configuration
  std::string_view node;      // that launched it; empty: unknown
  std::string_view op;
  std::string_view copy;  // "HtoD" when it is a copy, "" otherwise
  std::optional<uint64_t> bytes;
};
KernelLabel parse_kernel_label(std::string_view label, std::string_view node_name);

/// "HtoD" for "MemcpyH2D", "MEMCPYHtoD" and the like; empty if it is not a copy.
std::string_view copy_kind(std::string_view text);

/// Configuration from "regs:32 static_shared:0 dynamic_shared:16384 grid:1,2,1 block:256,1,1 occ_pct:100" and "… shm:64
/// …": "grid=[1,2,1] block=[256,1,1] registers=32 static_shared=0 dynamic_shared=16384". `rest` is what precedes it.
std::string configuration_of(std::string_view details, std::string_view* rest = nullptr);

}  // namespace xsp
