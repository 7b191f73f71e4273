#include "bound/advice/library_settings.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "analysis/study/analysed_trace.h"
#include "analysis/trace/call_arguments.h"
#include "analysis/work/library_work.h"
#include "bound/advice/folded_inefficiencies.h"

namespace xsp::bound {
namespace {

using analysis::CallArguments;
using analysis::Row;

constexpr uint32_t kFirstWithMatrixUnits = 7;  // compute capability, major

bool has_matrix_units(const analysis::Trace& trace) {
  for (const analysis::Device& device : trace.devices) {
    if (device.compute_capability_major >= kFirstWithMatrixUnits) return true;
  }
  return false;
}

/// What in a call's arguments keeps matrix units from 16-bit operands; empty: nothing.
std::string forbidding_setting(const CallArguments& arguments) {
  if (const auto convolution = arguments.text("conv")) {
    const auto x = arguments.text("x").value_or("");
    const bool is_half = x.starts_with("f16") || x.starts_with("bf16");
    return is_half && analysis::word_of(*convolution, "math") == "FMA_MATH" ? "math=FMA_MATH" : "";
  }
  const std::string_view type = analysis::element_of_cuda_type(arguments.text("type_a").value_or(""));
  const auto compute = arguments.text("compute");
  const bool is_half = type == "f16" || type == "bf16";
  return is_half && compute && compute->ends_with("_PEDANTIC") ? fmt::format("compute={}", *compute) : "";
}

/// Whether a function asks cuDNN which algorithm to use.
bool asks_for_algorithm(std::string_view function) {
  return function.starts_with("cudnnFindConvolution") ||
         (function.starts_with("cudnnGetConvolution") && function.find("Algorithm_v7") != std::string_view::npos);
}

/// Whether the program's start is in the recording, and no question for an algorithm is anywhere in it.
bool never_asked(const analysis::Trace& trace) {
  bool has_start = false;
  for (Row row = 0; row < trace.spans.size(); ++row) {
    if (!analysis::is_library_call(trace.spans, row)) continue;
    const std::string_view function = trace.text(trace.spans.name[row]);
    if (asks_for_algorithm(function)) return false;
    has_start |= function == "cudnnCreate";
  }
  return has_start && !analysis::has_imports(trace);
}

std::string place_of(const TraceCall& call) { return fmt::format("call {} ({})", call.call_index, call.function); }

}  // namespace

void find_converted_layouts(const EvaluationWork& work, std::vector<Inefficiency>* found) {
  struct Conversion {
    double ms = 0;
    size_t kernels = 0;
    std::set<size_t> layers;
    std::optional<size_t> first;
    std::set<std::string> names;
  };
  std::map<std::string, Conversion> conversions;  // by the function or kind of layer that they are in
  for (const RanKernel& kernel : work.kernels) {
    const bool is_in_library = !kernel.call.empty() || kernel.meaning.origin == KernelOrigin::kLibrary;
    if (kernel.meaning.action != KernelAction::kLayoutChange || !is_in_library || kernel.is_backward) continue;
    const LayerKind kind = kernel.layer ? work.layer_kinds[*kernel.layer] : LayerKind::kOther;
    const std::string of = !kernel.call.empty()        ? kernel.call
                           : kind != LayerKind::kOther ? fmt::format("the {}", noun_of(kind))
                                                       : "cuDNN";
    Conversion& conversion = conversions[of];
    conversion.ms += kernel.ms;
    ++conversion.kernels;
    if (kernel.layer) conversion.layers.insert(*kernel.layer);
    if (!conversion.first) conversion.first = kernel.layer;
    conversion.names.insert(kernel.name);
  }
  for (const auto& [of, conversion] : conversions) {
    const LayerKind kind = conversion.first ? work.layer_kinds[*conversion.first] : LayerKind::kOther;
    Inefficiency& one = found->emplace_back();
    one.kind = InefficiencyKind::kOtherArguments;
    one.trace_layer = conversion.first;
    one.layer = conversion.layers.size() == 1 ? work.trace->layers[*conversion.first].name
                : conversion.layers.empty()   ? ""
                                              : counted(kind, conversion.layers.size());
    one.expected = fmt::format("tensors in the layout that the kernel of {} reads and writes", of);
    one.seen = "converted between NCHW and NHWC inside the call";
    one.count = conversion.kernels;
    one.time_ms = conversion.ms;
    one.is_kernel_time = true;
    one.evidence = fmt::format("kernel {}", fmt::join(conversion.names, ", "));
  }
}

void find_forbidden_matrix_units(const EvaluationWork& work, std::vector<Inefficiency>* found) {
  const analysis::Trace& trace = work.trace->trace->trace;
  if (!work.has_device || !has_matrix_units(trace)) return;
  FoldedInefficiencies folds;
  for (size_t i = 0; i < work.calls.size(); ++i) {
    const TraceCall& call = work.trace->calls[i];
    if (!work.calls[i].computes()) continue;
    const std::string setting = forbidding_setting(CallArguments(trace, call.row));
    if (setting.empty()) continue;
    Inefficiency one;
    one.kind = InefficiencyKind::kOtherArguments;
    one.trace_layer = call.layer;
    if (call.layer) one.layer = work.trace->layers[*call.layer].name;
    one.expected = "16-bit operands on matrix units, which this GPU has";
    one.seen = fmt::format("{} forbids them", setting);
    one.evidence = place_of(call);
    folds.add(one, work.calls[i].kind);
  }
  folds.move_to(found);
}

void find_forced_algorithm(const EvaluationWork& work, std::vector<Inefficiency>* found) {
  constexpr size_t kFewestCalls = 3;
  const analysis::Trace& trace = work.trace->trace->trace;
  std::set<std::string> algorithms, shapes;
  std::vector<size_t> calls;
  for (size_t i = 0; i < work.calls.size(); ++i) {
    const TraceCall& call = work.trace->calls[i];
    if (call.library != "cudnn" || work.calls[i].kind != LayerKind::kConv) continue;
    const CallArguments arguments(trace, call.row);
    const auto algorithm = arguments.text("algo"), x = arguments.text("x"), w = arguments.text("w");
    if (!algorithm || !x || !w) return;
    algorithms.insert(fmt::format("{} {}", call.function, *algorithm));
    shapes.insert(fmt::format("{} {} {}", *x, *w, arguments.text("conv").value_or("")));
    calls.push_back(i);
  }
  if (calls.size() < kFewestCalls || shapes.size() < 2 || algorithms.size() != 1 || !never_asked(trace)) return;
  const TraceCall& first = work.trace->calls[calls.front()];
  Inefficiency& one = found->emplace_back();
  one.kind = InefficiencyKind::kOtherArguments;
  one.trace_layer = first.layer;
  one.layer = counted(LayerKind::kConv, calls.size());
  one.expected = "for each shape the algorithm that cudnnGetConvolutionForwardAlgorithm_v7 or cudnnFind… names";
  one.seen = fmt::format("algo={} for {} shapes, never asked for",
                         CallArguments(trace, first.row).text("algo").value_or(""), shapes.size());
  one.count = calls.size();
  one.evidence = fmt::format("{} and {} more", place_of(first), calls.size() - 1);
}

}  // namespace xsp::bound
