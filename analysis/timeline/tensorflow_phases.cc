#include "analysis/timeline/tensorflow_phases.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/graph_names.h"
#include "analysis/timeline/phased_work.h"

namespace xsp::analysis {
namespace {

/// Of Keras 2 and 3, in small letters; they may be numbered, "adam_1".
constexpr std::array<std::string_view, 14> kOptimizers = {
    "sgd",  "adam", "adamw",   "adamax",  "nadam",    "lion",      "lamb",
    "ftrl", "muon", "rmsprop", "adagrad", "adadelta", "adafactor", "loss_scale_optimizer"};

bool is_optimizer(std::string_view scope) {
  std::string name(scope);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  const size_t last = name.find_last_not_of("0123456789");
  if (last != std::string::npos && last + 1 < name.size() && name[last] == '_') name.resize(last);
  return std::find(kOptimizers.begin(), kOptimizers.end(), name) != kOptimizers.end();
}

bool is_gradient(std::string_view name) {
  return name.starts_with(kGradientScope) || name.starts_with("gradients/") ||
         name.find("/gradients/") != std::string_view::npos;
}

StepPhase phase_of(std::string_view name, std::string_view type, StepPhase before) {
  if (is_gradient(name)) return StepPhase::kBackward;
  if (type.starts_with("ResourceApply") || type.starts_with("ResourceSparseApply") || type.starts_with("Apply")) {
    return StepPhase::kOptimizer;
  }
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return before;
  return is_optimizer(name.substr(0, slash)) ? StepPhase::kOptimizer : StepPhase::kForward;
}

}  // namespace

void find_tensorflow_phases(const Parents& parents, const Trace& trace, PhasesByModel* phases) {
  const SpanTable& spans = trace.spans;
  std::map<Row, std::vector<Row>> kernels;  // by call
  const auto is_call = [&](Row row) {
    return spans.kind[row] == Kind::kRun && trace.text(spans.type[row]) == "TensorFlow";
  };
  const bool has_runs = std::find(spans.kind.begin(), spans.kind.end(), Kind::kRun) != spans.kind.end();
  for (Row row = 0; has_runs && row < spans.size(); ++row) {
    if (spans.kind[row] == Kind::kRun && is_call(row)) kernels.try_emplace(row);
    const Row parent = parents.of[row];
    if (spans.kind[row] != Kind::kOperator || spans.level[row] != Level::kLayer || parent == kNoRow) continue;
    if (is_call(parent)) kernels[parent].push_back(row);
  }
  PhasesByModel found;
  bool any_trains = false;
  for (auto& [call, rows] : kernels) {
    std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) { return spans.begin[a] < spans.begin[b]; });
    std::vector<PhasedWork> work;
    StepPhase before = StepPhase::kForward;
    bool trains = false;
    for (const Row row : rows) {
      before = phase_of(name_in_function(trace.text(spans.name[row])), trace.text(spans.type[row]), before);
      trains |= before == StepPhase::kBackward;
      work.push_back({row, before});
    }
    any_trains |= trains;
    if (trains) {
      found[call] = phases_of_work(spans, spans.begin[call], spans.end[call], &work);
    } else if (!rows.empty()) {
      found[call].kinds.mode = Mode::kInference;
      found[call].forward_ns = spans.duration(call);
    }
  }
  if (any_trains) phases->merge(found);
}

}  // namespace xsp::analysis
