#pragma once

#include <optional>

#include "analysis/study/study.h"
#include "analysis/timeline/span_roles.h"
#include "base/status.h"

namespace xsp::analysis {

/// A loaded trace and all that is made of it. It stays where it is: the study refers to the rest.
struct AnalysedTrace {
  Trace trace;
  Parents parents;
  Evaluations evaluations;
  Executions executions;
  std::optional<Study> study;

  AnalysedTrace() = default;
  AnalysedTrace(const AnalysedTrace&) = delete;
  AnalysedTrace& operator=(const AnalysedTrace&) = delete;
};

/// Analyses `analysed->trace`. If the options name something that does not exist, the error says what the trace has.
Status analyse(const SpanRoleOptions& roles, const StudyOptions& options, AnalysedTrace* analysed);

}  // namespace xsp::analysis
