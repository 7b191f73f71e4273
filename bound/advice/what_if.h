#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bound/advice/implementation_choice.h"
#include "bound/bounds/bounds.h"
#include "bound/database/database.h"
#include "bound/model/precision_problem.h"
#include "bound/records/work_item.h"

namespace xsp::bound {

/// What a change could save (bounds.md 4.6, B7). Times are bounds of the whole model, not measurements; only of
/// "implementations" they are sums of benchmarks of the calls that ran.
struct WhatIf {
  std::string what;  // "fuse", "parallel", "implementations", "bf16", "all"
  std::string rule;  // of fusion: the rule; of a type: what is computed in it; of "all": what is taken together
  size_t count = 0;  // groups, layers or calls that change; of "all" 0
  double before_ms = 0;
  double after_ms = 0;
  bool is_measured = true;             // else `after_ms` is `before_ms`, as nothing is known of it
  std::optional<double> coverage_pct;  // of the layers with work, how many have a time in `after_ms`
  std::string caveat;                  // "emulated: …", "rounds otherwise", "branches share memory"

  double profit_ms() const { return before_ms - after_ms; }
};

/// What has to be measured to tell what a precision (a name of --dtype, precision_names()) gives: layers and groups in
/// that type, once each, and casts at its borders. Bytes of int8 only as libraries of the device take them: without
/// sign on a processor, with it on a GPU. `isa`: of the system that is to measure, as for precision_bound(); empty: the
/// device is that of the model's own times, of its trace, and without these it may be either.
std::vector<WorkItem> precision_items(const Bounds& bounds, const std::string& precision, const std::string& isa = "");

/// Times of those, and what they add up to.
struct PrecisionBound {
  std::string precision;
  double bound_ms = 0;     // like Bounds' `fused` mode, casts included
  double parallel_ms = 0;  // the longest path through it, casts included
  double casts_ms = 0;     // of bound_ms
  size_t casts = 0;        // values that change their type
  size_t layers = 0;       // computed in the type
  size_t kept = 0;         // with work, kept in their own type: no implementation in the other one, or not worth a cast
  bool is_emulated = false;       // the device is known to lack instructions for it
  bool has_instructions = false;  // it is known to have them
  std::string caveat;
  std::optional<double> coverage_pct;
};
/// What the model takes if all that can compute in the precision does, whether it gains or not, so that a loss shows.
/// `isa`: SystemFacts::instructions; of another system the isa in its key (isa_of_system_key()), "sm_90" of a GPU: to
/// tell what is emulated.
PrecisionBound precision_bound(const Bounds& bounds, const std::string& precision, const Database& database,
                               const LookUp& look_up, const std::string& isa);

/// Each fusion rule that found something; parallel; implementations (with a trace); each precision; all together. Rows
/// that nothing is known of are left out, and where most layers have no time those that depend on how layers stand to
/// one another: fuse, parallel and all.
std::vector<WhatIf> what_ifs(const Bounds& bounds, const std::vector<ImplementationChoice>& choices,
                             const std::vector<PrecisionBound>& precisions);

}  // namespace xsp::bound
