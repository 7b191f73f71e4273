#include "bound/joining/trace_facts.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "analysis/study/analysed_trace.h"
#include "analysis/tables/model_sweeps.h"
#include "analysis/timeline/layer_places.h"
#include "base/units.h"
#include "proto/environment.h"

namespace xsp::bound {
namespace {

using analysis::AnalysedTrace;
using analysis::EvaluationGroup;
using analysis::Kind;
using analysis::Study;

struct FrameworkMark {
  std::string_view mark;
  std::string_view framework;
};

/// Types of model spans begin so.
constexpr FrameworkMark kRootTypes[] = {
    {"TensorFlow", "tensorflow"}, {"MXNet", "mxnet"}, {"JAX", "jax"}, {"XLA", "jax"}};

/// Formats of profiles that are of one framework.
constexpr FrameworkMark kSources[] = {
    {"onnxruntime", "onnxruntime"}, {"kineto", "pytorch"}, {"tensorflow", "tensorflow"}, {"mxnet", "mxnet"}};

/// What names of operators and kernels have in them.
constexpr FrameworkMark kNames[] = {{"aten::", "pytorch"},
                                    {"at::native::", "pytorch"},
                                    {"mxnet::", "mxnet"},
                                    {"tensorflow::", "tensorflow"},
                                    {"onnxruntime::", "onnxruntime"}};

/// Enough names to know a framework by.
constexpr size_t kMostNames = 4096;

std::string_view framework_of_kind(Kind kind) {
  switch (kind) {
    case Kind::kOrtRun:
    case Kind::kOrtNode:
      return "onnxruntime";
    case Kind::kTorchRoot:
    case Kind::kTorchScript:
      return "pytorch";
    default:
      return {};
  }
}

std::string_view framework_by_names(const AnalysedTrace& trace) {
  const auto& spans = trace.trace.spans;
  std::unordered_set<uint32_t> seen;
  for (analysis::Row row = 0; row < spans.size() && seen.size() < kMostNames; ++row) {
    const bool is_work = spans.kind[row] == Kind::kKernel || spans.kind[row] == Kind::kOperator;
    if (!is_work || !seen.insert(spans.name[row]).second) continue;
    const std::string_view name = trace.trace.text(spans.name[row]);
    for (const auto& [mark, framework] : kNames)
      if (name.find(mark) != std::string_view::npos) return framework;
  }
  return {};
}

std::string_view framework_of(const AnalysedTrace& trace, const EvaluationGroup& group) {
  const auto& spans = trace.trace.spans;
  const analysis::Row root = trace.evaluations.root[group.evaluations.front()];
  if (const auto found = framework_of_kind(spans.kind[root]); !found.empty()) return found;
  const std::string_view type = trace.trace.text(spans.type[root]);
  for (const auto& [mark, framework] : kRootTypes)
    if (type.starts_with(mark)) return framework;
  if (trace.trace.text(group.model).starts_with("jit_")) return "jax";
  const std::string& source = trace.trace.segments[trace.trace.processes[group.process].segment].source;
  for (const auto& [mark, framework] : kSources)
    if (source == mark) return framework;
  for (const analysis::JoinedLayer& layer : trace.study->joined.layers)
    if (const auto found = framework_of_kind(spans.kind[layer.row]); !found.empty()) return found;
  return framework_by_names(trace);
}

/// How many threads computed, where the trace tells: the environment of frameworks whose libraries heed it, or a
/// machine with a single core.
std::optional<int> threads_of(const AnalysedTrace& trace, const EvaluationGroup& group, std::string_view framework) {
  const analysis::Process& process = trace.trace.processes[group.process];
  if (trace.trace.segments[process.segment].cpu_count == 1) return 1;
  if (framework != "pytorch" && framework != "mxnet") return {};
  const std::string* value = process.variable("OMP_NUM_THREADS");
  if (value == nullptr) return {};
  int threads = 0;
  const auto [end, failure] = std::from_chars(value->data(), value->data() + value->size(), threads);
  if (failure != std::errc() || end != value->data() + value->size() || threads < 1) return {};
  return threads;
}

/// By layer of A2, the least latency over the evaluations that have it.
std::vector<double> least_latencies_ms(const AnalysedTrace& trace) {
  const Study& study = *trace.study;
  const analysis::LayerPlaces& places = study.joined.places;
  std::vector<double> least(study.joined.layers.size(), std::numeric_limits<double>::infinity());
  const auto latency_ns = [&](size_t layer) {
    return study.latencies.layers.empty() ? trace.trace.spans.duration(trace.evaluations.layers[layer])
                                          : study.latencies.layers[layer].latency_ns;
  };
  std::vector<double> values;
  for (const uint32_t evaluation : study.joined.joined) {
    analysis::layer_values(trace.evaluations, places, evaluation, latency_ns, &values);
    for (size_t i = 0; i < std::min(values.size(), least.size()); ++i)
      if (values[i] != analysis::kAbsent) least[i] = std::min(least[i], values[i] / kNsPerMs);
  }
  return least;
}

void add_layers(const AnalysedTrace& trace, JoinedTrace* joined) {
  const auto& layers = trace.study->joined.layers;
  const std::vector<double> least = least_latencies_ms(trace);
  const auto text = [&](uint32_t id) { return std::string(trace.trace.text(id)); };
  joined->layers.reserve(layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    TraceLayer layer;
    layer.index = i;
    layer.name = text(layers[i].name);
    layer.type = text(layers[i].type);
    if (layers[i].shape != 0 && !layers[i].shape_varies) layer.shape = text(layers[i].shape);
    layer.measured_ms = layers[i].latency_ns / kNsPerMs;
    layer.least_ms = std::min(least[i], layer.measured_ms);
    joined->measured_min_ms += layer.least_ms;
    joined->layers.push_back(std::move(layer));
  }
}

}  // namespace

JoinedTrace facts_of(const AnalysedTrace& trace) {
  const Study& study = *trace.study;
  JoinedTrace joined;
  joined.trace = &trace;
  if (!trace.trace.files.empty()) joined.path = trace.trace.files.front().path;
  if (!study.subject) return joined;
  const EvaluationGroup& group = trace.evaluations.groups[*study.subject];
  joined.subject = analysis::model_label(trace.trace, group);
  if (group.input != 0) joined.subject += ", input " + std::string(trace.trace.text(group.input));
  joined.framework = framework_of(trace, group);
  if (study.latencies.has_kernels) {
    joined.device = analysis::gpus_of(study, group);
    if (joined.device.empty()) joined.device = "a GPU";
  }
  joined.threads = threads_of(trace, group, joined.framework);
  const analysis::GroupLatency latency = analysis::latency_of(study, group);
  joined.measured_ms = latency.ns / kNsPerMs;
  joined.evaluations = study.joined.evaluations != 0 ? study.joined.evaluations : latency.n;
  add_layers(trace, &joined);
  return joined;
}

}  // namespace xsp::bound
