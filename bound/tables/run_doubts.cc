#include "bound/tables/run_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/problems/problem.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/measured_layers_table.h"
#include "bound/tables/shown_mode.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

constexpr double kNotFoundShare = 0.01;  // of the bound
/// Of the time of calls or layers whose types are known.
constexpr double kMostOfRun = 0.5;
/// Recording a layer of ONNX Runtime costs some 9 µs (158 layers that took 0.2 ms took 1.6 ms recorded): where a layer
/// takes less than this together with its recording, that is about half of the call or more.
constexpr double kShortLayerMs = 0.02;

Finding doubt(const char* id, std::string text, std::string_view table) {
  Finding finding;
  finding.id = id;
  finding.text = std::move(text);
  finding.table = table;
  finding.weight = 1;
  return finding;
}

/// Types that differ in their sign alone are one here.
std::string plain_type(std::string_view type) {
  return type == "u8" || type == "s8" || type == "i8" ? "int8" : std::string(type);
}

bool is_product(const Problem& problem) {
  return problem.kind() == "conv" || problem.kind() == "deconv" || problem.kind() == "matmul";
}

/// "bf16" of "bf16[1,64,56,56]".
std::string type_of_shape(std::string_view shape) {
  const size_t bracket = shape.find('[');
  return bracket == std::string_view::npos ? "" : plain_type(shape.substr(0, bracket));
}

/// Time by type; of products alone, as what is around them can be in another type.
std::map<std::string, double> times_by_type(const JoinedTrace& trace) {
  std::map<std::string, double> times;
  for (const TraceCall& call : trace.calls) {
    const std::optional<Problem> problem = Problem::parse(call.problem);
    if (problem && is_product(*problem))
      times[plain_type(problem->types().source)] += call.kernel_ms.value_or(call.host_ms);
  }
  if (!times.empty()) return times;
  for (const TraceLayer& layer : trace.layers) {
    const std::string type = layer.layers.empty() ? "" : type_of_shape(layer.shape);
    if (!type.empty()) times[type] += layer.measured_ms;
  }
  return times;
}

void find_other_device(const TimesSource& source, const JoinedTrace& trace, std::vector<Finding>* found) {
  const std::string device = printable(trace.device);
  const bool has_benchmarks = !source.libraries.empty();
  Finding finding = doubt(
      "other-device",
      has_benchmarks
          ? fmt::format("The trace is of {}, the benchmarks are of {}: the two cannot be compared", device,
                        printable(source.system))
          : fmt::format("The trace is of {}, of which there are no benchmarks: it cannot be compared with a bound",
                        device),
      "B3");
  finding.advice =
      "measure on that machine: here --generate FILE, there --run FILE --database OTHER, here --merge OTHER; then "
      "--system NAME takes these times";
  found->push_back(std::move(finding));
}

void find_other_threads(const TimesSource& source, const JoinedTrace& trace, std::vector<Finding>* found) {
  if (source.is_given || is_of_gpu(source) || trace.is_on_gpu() || !trace.threads || *trace.threads == source.threads) {
    return;
  }
  Finding finding = doubt("other-threads",
                          fmt::format("The trace is of {}, the benchmarks are of {}",
                                      plural(static_cast<size_t>(std::max(0, *trace.threads)), "thread"),
                                      plural(static_cast<size_t>(std::max(0, source.threads)), "thread")),
                          "B3");
  finding.advice = fmt::format("give --threads {} to compare like with like", *trace.threads);
  found->push_back(std::move(finding));
}

void find_recording(const Bounds& bounds, std::vector<Finding>* found) {
  if (!is_mostly_recording(bounds)) return;
  const JoinedTrace& trace = *bounds.trace;
  const double each_ms = trace.measured_ms / static_cast<double>(trace.layers.size());
  Finding finding =
      doubt("recording-cost",
            fmt::format("A call takes {} for each of its {}: recording layers that short takes a considerable part of "
                        "the {} that were measured",
                        duration(each_ms), plural(trace.layers.size(), "layer"), duration(trace.measured_ms)),
            "B3");
  finding.value = 1000 * each_ms;
  finding.unit = "µs";
  finding.advice = "xsp-run --level model measures the call alone";
  found->push_back(std::move(finding));
}

void find_not_found(const Bounds& bounds, std::vector<Finding>* found) {
  const std::vector<size_t>& trace_layer_of = bounds.trace->trace_layer_of;
  const BoundMode& mode = shown_mode(bounds);
  size_t count = 0;
  double ms = 0;
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    if (!bounds.times[layer].counts) continue;
    if (layer < trace_layer_of.size() && trace_layer_of[layer] != kNoLayer) continue;
    ++count;
    ms += mode.shares[layer].bound_ms.value_or(0);
  }
  if (count == 0) return;
  const bool has_bound = mode.sequential.bound_ms > 0;
  const double share = has_bound ? ms / mode.sequential.bound_ms
                                 : static_cast<double>(count) / static_cast<double>(mode.sequential.layers);
  Finding finding = doubt("layers-not-found",
                          fmt::format("{} of {} with work {} not found in the trace: {} of the {}", count,
                                      plural(mode.sequential.layers, "layer"), count == 1 ? "was" : "were",
                                      percent(share), has_bound ? "bound" : "layers"),
                          kB3Layers.id);
  finding.value = static_cast<double>(count);
  finding.unit = "layers";
  finding.is_note = !has_bound || share < kNotFoundShare;
  found->push_back(std::move(finding));
}

}  // namespace

std::string type_of_model(const Bounds& bounds) {
  std::map<std::string, double> flops;
  for (const Layer& layer : bounds.model->layers) {
    if (layer.layer_class == LayerClass::kCompute && !layer.dtype.empty())
      flops[layer.dtype] += layer.flops.value_or(0);
  }
  const auto most = std::ranges::max_element(flops, {}, [](const auto& type) { return type.second; });
  return most == flops.end() ? "" : most->first;
}

std::optional<std::string> other_type_of_run(const Bounds& bounds) {
  if (bounds.trace == nullptr) return std::nullopt;
  const std::map<std::string, double> times = times_by_type(*bounds.trace);
  double all_ms = 0;
  for (const auto& [type, ms] : times) all_ms += ms;
  const auto most = std::ranges::max_element(times, {}, [](const auto& type) { return type.second; });
  if (most == times.end() || !(most->second > kMostOfRun * all_ms) || most->first.empty()) return std::nullopt;
  std::set<std::string> of_model;
  for (const Layer& layer : bounds.model->layers) {
    if (layer.layer_class == LayerClass::kCompute && !layer.dtype.empty()) of_model.insert(plain_type(layer.dtype));
  }
  if (of_model.empty() || of_model.contains(most->first)) return std::nullopt;
  return most->first;
}

bool is_mostly_recording(const Bounds& bounds) {
  if (bounds.trace == nullptr || bounds.trace->is_on_gpu() || bounds.trace->layers.size() < 2) return false;
  return bounds.trace->measured_ms / static_cast<double>(bounds.trace->layers.size()) < kShortLayerMs;
}

bool is_of_other_device(const TimesSource& source, const Bounds& bounds) {
  return bounds.trace != nullptr && !source.is_given && bounds.trace->is_on_gpu() &&
         (source.libraries.empty() || source.system.find(bounds.trace->device) == std::string::npos);
}

bool can_compare(const TimesSource& source, const Bounds& bounds) {
  return !other_type_of_run(bounds) && !is_mostly_recording(bounds) && !is_of_other_device(source, bounds);
}

void find_comparison_doubts(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  if (bounds.trace == nullptr || bounds.model->layers.empty()) return;
  const JoinedTrace& trace = *bounds.trace;
  const double bound_ms = shown_mode(bounds).sequential.bound_ms;
  if (const auto type = other_type_of_run(bounds)) {
    Finding finding = doubt("other-type",
                            fmt::format("The run computes in {}, the model and its bounds in {}: the two cannot be "
                                        "compared",
                                        printable(*type), type_of_model(bounds)),
                            "B3");
    finding.advice = "export the model in the type of the run; --dtype " + printable(*type) + " tells its bound (B7)";
    // Before all others.
    found->insert(found->begin(), std::move(finding));
  }
  if (is_of_other_device(source, bounds)) {
    find_other_device(source, trace, found);
  } else {
    find_other_threads(source, trace, found);
  }
  find_recording(bounds, found);
  if (trace.measured_ms > 0 && bound_ms > trace.measured_ms) {
    Finding finding = doubt("bound-exceeded",
                            fmt::format("Bound exceeded by {}: a quicker implementation exists than any benchmarked",
                                        percent(bound_ms / trace.measured_ms - 1)),
                            "B3");
    finding.value = 100 * (bound_ms / trace.measured_ms - 1);
    finding.unit = "%";
    finding.column = "mode";
    finding.key = shown_mode(bounds).name;
    finding.advice = "B3.layers shows which layers ran faster than their benchmarks";
    found->push_back(std::move(finding));
  }
  find_not_found(bounds, found);
}

}  // namespace xsp::bound
