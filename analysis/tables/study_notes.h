#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study.h"

/// What several tables say below their rows about the study: what was taken, what is left out, what was lost.
namespace xsp::analysis {

/// What was taken for models and layers, and the options that change it; empty where the trace left no choice.
std::string role_note(const Study& study);

/// What to know about the numbers of A2 to A7 and A13: subject, evaluations that time `level`, statistic, divergence,
/// losses.
std::vector<std::string> subject_notes(const Study& study, Level level = Level::kLayer);

/// What the numbers of `n` joined evaluations of the subject are that time an event of `level`.
std::string subject_note(const Study& study, Level level, size_t n);

/// Of a set: how many of its runs, and in a leveled one which level set, each level is timed by; empty of a recording
/// by itself.
std::string set_note(const Study& study);

/// Where the runs of a set are not alike in one of these levels.
std::vector<std::string> divergence_notes(const Study& study, std::initializer_list<Level> levels);

/// How many calls of models failed and are no evaluations; empty when none did.
std::string failed_note(const Study& study);

/// How many calls are left out because constructors made them, and of which modules; empty: none.
std::string construction_note(const Study& study);

/// How far the latencies reach that do not end with the call; empty where all do.
std::string device_latency_note(const Study& study);

/// That ONNX Runtime's profiler, which gives the layers, costs time; empty when it does not.
std::string own_profiler_note(const Study& study);

/// The share of the model latency that is in no layer, as a note of A2 and A3; empty when there is nothing to say.
std::string coverage_note(const Study& study);

/// ONNX Runtime writes the nodes' times when its profile is closed.
inline constexpr std::string_view kLayersAtRegularExit =
    "the layers of ONNX Runtime exist only once its profile is closed, at a regular exit of the process";

/// Whether a process (that one, or any) that ran ONNX Runtime did not end regularly, so that layers are missing.
bool has_unclosed_profiles(const Study& study, std::optional<uint32_t> process = {});

/// About nodes of ONNX Runtime that lie in no run.
std::string unseen_runs_note(const Trace& trace, uint64_t nodes);

/// Under a table that has no layers: why, and what would give them.
std::string no_layers_note(const Study& study);

}  // namespace xsp::analysis
