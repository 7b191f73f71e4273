#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// A mangled C++ name (Itanium ABI) as people read it, "void fill<4>(int, float*)"; any other text as it is. So is a
/// name that would become longer than 16 KiB or takes more than 50 ms: a few hundred hostile bytes could fill the
/// memory or never end. One thread at a time.
std::string demangled(std::string_view name);

/// Names of kernels by string id, each demangled once. After some that took too long no such name is tried again.
class KernelNames {
 public:
  explicit KernelNames(const Trace& trace) : trace_(trace) {}

  const std::string& text(uint32_t id);

 private:
  const Trace& trace_;
  std::unordered_map<uint32_t, std::string> names_;
  int left_ = 0;  // names that took too long
};

}  // namespace xsp::analysis
