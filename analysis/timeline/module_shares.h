#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The outermost modules of one process, and what part of the time of their calls each takes: which of them is the
/// model.
class ModuleShares {
 public:
  /// A call; `module` is the class and the name of the instance, string ids.
  struct Module {
    uint32_t type = 0;
    uint32_t name = 0;

    auto operator<=>(const Module&) const = default;
    /// "Linear_0", the only one of its class, is "Linear".
    uint32_t class_name() const { return type != 0 ? type : name; }
  };
  void add(const Module& module, int64_t ns);

  bool empty() const { return ns_.empty(); }
  size_t size() const { return ns_.size(); }
  /// That with most time, of equal ones the first by class and name; not to be called when empty.
  Module main() const;
  /// Of the time of all.
  double share_of(const Module& module) const;
  /// Whether one of this class is a part of what the process computes and no model beside another: all of its class
  /// take less than 5 % of the time, and at most a tenth of what the class with most time takes. Samplers of tokens,
  /// losses and metrics are.
  bool is_part(uint32_t class_name) const;
  /// "GPT 96.1 %, CrossEntropyLoss 2.9 %": of the time of all, by class.
  std::string listing(const Trace& trace) const;

 private:
  std::map<Module, int64_t> ns_;
  std::map<uint32_t, int64_t> by_class_;
  int64_t total_ = 0;
  int64_t largest_ = 0;  // class
};

}  // namespace xsp::analysis
