#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "inject/launch/concurrency/policy.h"
#include "inject/launch/concurrency/thread_variables.h"

namespace xsp::launch {

/// What xsp-report advises for a trace or folder.
struct Advice {
  Status refused;           ///< it has none, or none for this machine
  Policy policy;            ///< empty: there is nothing to change
  std::string why_nothing;  ///< in the words of a message, where the policy is empty
  /// Whole runs were measured, so that the policy, one number of threads, is for variables of the environment. Nothing:
  /// it is for the guest, which changes the number call by call.
  std::optional<ThreadKind> of_runs;
};

/// `cores`: that can be used here; what was measured with another number is refused.
Advice ask_advice(const std::string& report, const std::string& set, uint32_t cores);

}  // namespace xsp::launch
