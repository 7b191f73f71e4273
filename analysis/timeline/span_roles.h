#pragma once

#include <string>

#include "analysis/status.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// --layers and --model-span, or what the trace was imported with.
struct SpanRoleOptions {
  std::string layers;      // "auto", "module", "op", "library", "nvtx:REGEX"; empty: as the trace says, else auto
  std::string model_span;  // regular expression (ECMAScript) of ranges and annotations; empty: likewise, else none
};

/// What was taken for models and for layers, for the notes of A1 and A2.
struct SpanRoles {
  std::string models;   // "ProfilerStep", "outermost module", "ranges that match forward.*"
  std::string layers;   // "modules", "operators", "library calls", "ranges that match conv.*"
  bool chosen = false;  // by the user
};

/// Gives spans that their source left at the level application (operators, modules, annotations, ranges) the level of
/// what they stand for. To be called once, before anything is made of the levels; `parents` may gain links from
/// spans of other threads to the step that they lie in.
///
/// Model spans, per process, the first of these that is there: what `model_span` matches; spans that are model spans
/// already (PyTorch roots, runs); ProfilerStep annotations; outermost modules. Layers: modules that contain none, and
/// operators called by a container directly; else outermost operators below a model; else library calls.
Status assign_span_roles(const SpanRoleOptions& options, Parents* parents, Trace* trace, SpanRoles* roles);

}  // namespace xsp::analysis
