#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The texts of the execution plans of a trace, each read once.
class PlanTexts {
 public:
  explicit PlanTexts(const Trace& trace) : trace_(trace) {}

  /// What stands for the plan with that string id: its text, or why it cannot be read.
  const std::string& text(uint32_t id);

  /// Plans that could not be read.
  uint64_t unreadable() const { return unreadable_; }

 private:
  const Trace& trace_;
  std::unordered_map<uint32_t, std::string> texts_;
  uint64_t unreadable_ = 0;
};

}  // namespace xsp::analysis
