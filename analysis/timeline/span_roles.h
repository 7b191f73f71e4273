#pragma once

#include <string>

#include "analysis/timeline/evaluation_phases.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"
#include "base/status.h"

namespace xsp::analysis {

/// --layers and --model-span, or what the trace was imported with.
struct SpanRoleOptions {
  std::string layers;      // "auto", "module", "op", "library", "nvtx:REGEX"; empty: as the trace says, else auto
  std::string model_span;  // regular expression (ECMAScript) of whole names; empty: likewise, else none
};

/// What was taken for models and for layers, for the notes of A1 and A2; empty where nothing had to be chosen.
struct SpanRoles {
  std::string models;       // "ProfilerStep annotations", "outermost modules", "what matches forward.*"
  std::string layers;       // "modules and operators outside of them", "outermost operators", "library calls"
  bool chosen = false;      // by the user
  uint64_t iterations = 0;  // where no model is known: how many iterations are the evaluations; 0: others are
  PhasesByModel phases;     // of evaluations whose framework tells of its operators
};

/// Gives spans that their source left at the level application (operators, modules, annotations, ranges) the level of
/// what they stand for; doc/analysis.md has the rules. To be called once, before anything is made of the levels. An
/// error when an option matches nothing in the trace.
///
/// Changes `parents`: Python functions without a role are nobody's parent any more, outermost spans of other threads
/// get the step as parent that they lie in, and the engine's wrappers around backward work its forward link. In
/// training the model spans of live traces end with their evaluations (training_evaluations.h).
Status assign_span_roles(const SpanRoleOptions& options, Parents* parents, Trace* trace, SpanRoles* roles);

}  // namespace xsp::analysis
