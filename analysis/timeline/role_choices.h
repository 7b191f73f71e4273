#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/name_pattern.h"
#include "analysis/timeline/span_roles.h"
#include "analysis/trace/trace.h"
#include "base/status.h"

namespace xsp::analysis {

/// As --model-span: iterations of operations (iterations/iteration_spans.h), not spans of this name.
inline constexpr std::string_view kIterationsAsModels = "iterations";

/// What is to be taken for layers.
enum class LayerChoice : uint8_t { kAuto, kModules, kOperators, kLibraryCalls, kRanges };

/// One pair of --layers and --model-span, and whether it found anything.
struct RoleChoice {
  std::string layers_text;
  std::string model_text;
  LayerChoice layers = LayerChoice::kAuto;
  NamePattern ranges;  // of kRanges
  NamePattern models;  // of model_text, if that is not empty
  bool layers_found = false;
  bool models_found = false;

  bool names_models() const { return !model_text.empty() && !takes_iterations(); }
  bool takes_iterations() const { return model_text == kIterationsAsModels; }
  bool is_chosen() const { return names_models() || layers != LayerChoice::kAuto; }
};

/// The choice for each process: that of the command line, else the one that its segment was imported with.
struct RoleChoices {
  std::vector<RoleChoice> choices;
  std::vector<uint32_t> of_process;  // index in `choices`

  RoleChoice& of(uint32_t process) { return choices[of_process[process]]; }
};

/// An error when a choice cannot be read.
Status read_role_choices(const SpanRoleOptions& options, const Trace& trace, RoleChoices* choices);

/// By process: whether its evaluations are to be iterations.
std::vector<bool> takes_iterations(const SpanRoleOptions& options, const Trace& trace);

/// An error when a choice found nothing in any process it is for; says what the trace has.
Status check_role_choices(const RoleChoices& choices, const Trace& trace);

}  // namespace xsp::analysis
