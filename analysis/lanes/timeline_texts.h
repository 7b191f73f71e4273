#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "analysis/timeline/kernel_names.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The texts of a timeline, each once, as elements of a JSON array. Names of kernels are as A10 prints them. Once they
/// take kMostBytes together, longer ones than kCutBytes are cut, so that hostile names do not make the page.
class TimelineTexts {
 public:
  static constexpr size_t kMostBytes = 16 << 20;
  static constexpr size_t kCutBytes = 256;

  explicit TimelineTexts(const Trace& trace) : trace_(trace), kernel_names_(trace) {}

  /// Index of the text of a string id; -1 for none.
  int64_t of(uint32_t id) { return id == 0 ? -1 : number(id, false); }
  int64_t of_kernel(uint32_t id) { return number(id, true); }
  /// The type of a layer: tables by type have those without one under "(none)".
  int64_t of_type(uint32_t id) { return number(id, false, "(none)"); }

  const std::string& elements() const { return elements_; }  // "\"a\",\"b\""
  size_t cut() const { return cut_; }

 private:
  int64_t number(uint32_t id, bool kernel, std::string_view otherwise = {});

  const Trace& trace_;
  KernelNames kernel_names_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::string elements_;
  size_t cut_ = 0;
};

}  // namespace xsp::analysis
