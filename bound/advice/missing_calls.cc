#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "bound/advice/folded_inefficiencies.h"
#include "bound/advice/inefficiency_detectors.h"

namespace xsp::bound {
namespace {

constexpr LayerKind kKinds[] = {LayerKind::kConv, LayerKind::kProduct, LayerKind::kBatchNormalization,
                                LayerKind::kPooling, LayerKind::kSoftmax};

Inefficiency missing(LayerKind kind, std::string_view library, const std::string& seen, double ms) {
  Inefficiency one;
  one.kind = InefficiencyKind::kMissingCall;
  one.expected = fmt::format("a {} of {}", noun_of(kind), library);
  one.seen = seen;
  one.time_ms = ms;
  return one;
}

/// Libraries of which a call computes a layer of this kind.
bool computes(LayerKind kind, std::string_view library) {
  if (kind == LayerKind::kProduct) return true;
  return library == "onednn" || library == "cudnn";
}

std::string_view name_of_library(std::string_view library) {
  if (library == "onednn") return "oneDNN";
  return library == "cudnn" ? "cuDNN" : library;
}

/// By layer of the trace, its calls by index.
std::vector<std::vector<size_t>> calls_by_layer(const JoinedTrace& trace) {
  std::vector<std::vector<size_t>> calls(trace.layers.size());
  for (size_t i = 0; i < trace.calls.size(); ++i) {
    if (trace.calls[i].layer) calls[*trace.calls[i].layer].push_back(i);
  }
  return calls;
}

/// What some calls compute with: "sgemm_", "sgemm_ and sgemv_".
std::string functions_of(const EvaluationWork& work, const std::vector<size_t>& calls) {
  std::set<std::string> functions;
  for (const size_t call : calls) {
    if (work.calls[call].computes()) functions.insert(work.trace->calls[call].function);
  }
  return functions.empty() ? "no library call" : fmt::format("{}", fmt::join(functions, " and "));
}

/// Whether the kernel computes gradients.
bool runs_in_training(const RanKernel& kernel) {
  if (kernel.is_backward) return true;
  return std::ranges::any_of(std::array{"Backward", "backward", "wgrad", "dgrad"},
                             [&](const char* text) { return kernel.name.find(text) != std::string::npos; });
}

/// A framework's own batch normalization may be as fast as the library's; in inference none is needed.
void fold_away(Inefficiency* one) {
  one->expected = "folded into the convolutions before them";
  one->advice =
      "in inference a batch normalization right after a convolution can be folded into the convolution's weights, "
      "which removes it";
}

/// On the processor: layers without a call of the library that others of their kind have.
void find_on_processor(const EvaluationWork& work, std::vector<Inefficiency>* found) {
  const JoinedTrace& trace = *work.trace;
  const std::vector<std::vector<size_t>> calls = calls_by_layer(trace);
  FoldedInefficiencies folds;
  for (const LayerKind kind : kKinds) {
    std::set<size_t> with_call;
    std::string library;
    for (size_t i = 0; i < trace.calls.size(); ++i) {
      const TraceCall& call = trace.calls[i];
      if (!call.layer || work.calls[i].kind != kind || work.layer_kinds[*call.layer] != kind) continue;
      if (!computes(kind, call.library)) continue;
      with_call.insert(*call.layer);
      if (library.empty()) library = call.library;
    }
    if (with_call.empty()) continue;
    for (size_t i = 0; i < trace.layers.size(); ++i) {
      if (work.layer_kinds[i] != kind || with_call.contains(i)) continue;
      Inefficiency one =
          missing(kind, name_of_library(library), functions_of(work, calls[i]), trace.layers[i].measured_ms);
      one.trace_layer = i;
      one.layer = trace.layers[i].name;
      one.evidence = one.layer;
      if (!calls[i].empty()) {
        const TraceCall& call = trace.calls[calls[i].front()];
        one.evidence = fmt::format("call {} ({}) in {}", call.call_index, call.function, one.layer);
      }
      folds.add(one, kind);
    }
  }
  folds.move_to(found);
}

/// On a GPU: the framework's own kernels.
void find_on_device(const EvaluationWork& work, std::vector<Inefficiency>* found) {
  std::set<LayerKind> by_library;  // computed by cuDNN somewhere
  std::set<size_t> with_library;   // layers that ran a library's kernel or call
  for (const RanKernel& kernel : work.kernels) {
    const bool is_library = kernel.meaning.origin == KernelOrigin::kLibrary || !kernel.call.empty();
    if (!is_library) continue;
    if (kernel.layer) with_library.insert(*kernel.layer);
    if (!kernel.call.empty()) by_library.insert(meaning_of_call(kernel.call_library, kernel.call).kind);
    if (kernel.layer) by_library.insert(work.layer_kinds[*kernel.layer]);
  }
  const bool trains = std::ranges::any_of(work.kernels, runs_in_training);
  FoldedInefficiencies folds;
  std::map<size_t, Inefficiency> of_layers;
  for (const RanKernel& kernel : work.kernels) {
    const LayerKind kind = kernel.meaning.computes;
    if (kind == LayerKind::kOther || kernel.is_backward || !kernel.call.empty()) continue;
    const bool is_expected = kind == LayerKind::kBatchNormalization ? work.uses_cudnn : by_library.contains(kind);
    if (!is_expected || (kernel.layer && with_library.contains(*kernel.layer))) continue;
    Inefficiency one = missing(kind, "cuDNN", kernel.name, kernel.ms);
    one.trace_layer = kernel.layer;
    if (kernel.layer) one.layer = work.trace->layers[*kernel.layer].name;
    one.is_kernel_time = true;
    one.evidence = fmt::format("kernel {}", kernel.name);
    if (kind == LayerKind::kBatchNormalization && !trains) fold_away(&one);
    if (!kernel.layer || work.is_call[*kernel.layer]) {
      folds.add(one, kind);
    } else if (const auto [of, is_new] = of_layers.try_emplace(*kernel.layer, one); !is_new) {
      of->second.time_ms += kernel.ms;
    }
  }
  for (const auto& [layer, one] : of_layers) folds.add(one, work.layer_kinds[layer]);
  folds.move_to(found);
}

}  // namespace

void find_missing_calls(const EvaluationWork& work, const LayeredModel*, std::vector<Inefficiency>* found) {
  if (work.has_device) {
    find_on_device(work, found);
  } else {
    find_on_processor(work, found);
  }
}

}  // namespace xsp::bound
