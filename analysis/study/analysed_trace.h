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

/// Makes everything of `analysed->trace`. An error when the options name what is not there: what the trace has is said.
Status analyse(const SpanRoleOptions& roles, const StudyOptions& options, AnalysedTrace* analysed);

}  // namespace xsp::analysis
