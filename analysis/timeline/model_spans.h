#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/parents.h"
#include "analysis/timeline/role_choices.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Where the models of a process come from.
enum class ModelSource : uint8_t { kNone, kRecorded, kMatched, kSteps, kModules };

/// Gives spans the level of models, per process by the first source that is there: what the choice's pattern matches
/// (then nothing else is a model), spans that are models already, ProfilerStep annotations, outermost modules. Returns
/// the source by process.
///
/// Modules that a constructor called evaluate nothing: they are models only where a process has none else, as where all
/// of a program runs inside the constructor of its module.
///
/// Steps are named after the outermost module with most time in them. An outermost module that takes little time beside
/// another (module_shares.h) is no model. `remarks` get, by process, how the time is divided where several modules are
/// outermost, to be put behind the name of the source.
///
/// A step is a mark of the whole process: outermost spans of any of its threads that lie wholly inside exactly one get
/// it as parent. The same for matches, but only on threads that have no model span themselves.
std::vector<ModelSource> find_model_spans(RoleChoices* choices, Parents* parents, Trace* trace,
                                          std::vector<std::string>* remarks);

/// The name of evaluations that are steps of PyTorch's profiler in which no module is known.
inline constexpr std::string_view kProfilerStep = "ProfilerStep";

/// Whether an annotation is a step of PyTorch's profiler: "ProfilerStep#17".
bool is_step_name(std::string_view name);

/// True for spans of the kinds that PyTorch's modules have.
inline bool is_module(const SpanTable& spans, Row row) {
  const Kind kind = spans.kind[row];
  return kind == Kind::kTorchModule || kind == Kind::kTorchContainer || kind == Kind::kTorchRoot ||
         kind == Kind::kTorchScript || kind == Kind::kTorchConstruction;
}

}  // namespace xsp::analysis
