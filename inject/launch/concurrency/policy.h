#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inject/launch/concurrency/report_table.h"

namespace xsp::launch {

/// Numbers of threads that a run is to compute with. 0: as the program has it.
struct Policy {
  uint32_t own = 0;                                     ///< what the program computes with by itself; 0: not known
  uint32_t whole = 0;                                   ///< of every model call
  std::vector<std::pair<std::string, uint32_t>> types;  ///< type of layer, threads

  bool is_empty() const { return whole == 0 && types.empty(); }
};

/// What table E2 has chosen of its advice.
Policy policy_of(const ReportTable& advice);

/// The file that the guest reads: doc/concurrency.md has its format.
std::string policy_text(const Policy& policy);

/// For messages: `Conv2d with 1 thread, Linear with 2 threads`.
std::string text_of(const Policy& policy);

}  // namespace xsp::launch
