#include "bound/joining/call_problem.h"

#include <fmt/format.h>

#include "analysis/trace/call_arguments.h"
#include "bound/joining/blas_problem.h"
#include "bound/joining/cudnn_problem.h"
#include "bound/joining/onednn_problem.h"

namespace xsp::bound {
namespace {

using analysis::CallArguments;

std::string text_of(const std::optional<Problem>& problem) { return problem ? problem->text() : ""; }

CallProblem of_primitive(const std::optional<OnednnPrimitive>& primitive) {
  if (!primitive) return {};
  CallProblem call{text_of(problem_of_onednn(*primitive)), std::string(primitive->implementation), ""};
  for (const std::string_view role : {"src", "data", "wei", "dst"}) {
    for (const OnednnTensor* tensor : primitive->all_of(role)) {
      if (tensor->element == ElementType::kUndefined) continue;
      if (!call.layout.empty()) call.layout += ':';
      call.layout += tensor->tag.empty() ? "opaque" : tensor->tag;
    }
  }
  return call;
}

/// Its own calls have a text of ours, its ITT ranges one of its own.
CallProblem of_onednn(const CallArguments& call, std::string_view function) {
  // What is made is not yet computed.
  if (function.ends_with(" create") || function.ends_with(" create_nested")) return {};
  if (const auto line = call.text("problem")) return problem_of_onednn_text(*line);
  const auto description = call.text("primitive");
  return description ? of_primitive(read_onednn_description(*description)) : CallProblem();
}

CallProblem of_cudnn(const CallArguments& call, std::string_view function) {
  CudnnProblem found;
  CallProblem result;
  if (function.starts_with("cudnnBackend")) {
    const auto json = call.text("plan");
    // Shapes given at execution replace those of the plan.
    if (!json || !call.text("override_shapes").value_or("").empty()) return {};
    std::string why;
    const auto plan = analysis::ExecutionPlan::parse(*json, &why);
    if (!plan) return {};
    found = problem_of_plan(*plan);
    if (plan->engine) result.implementation = fmt::format("engine {}", *plan->engine);
  } else {
    found = problem_of_cudnn(function, call);
    const auto algorithm = call.integer("algo");
    if (algorithm && function.starts_with("cudnnConvolution"))
      result.implementation = fmt::format("algo {}", *algorithm);
  }
  result.problem = text_of(found.problem);
  result.layout = std::move(found.layout);
  return result;
}

/// The routine as benchmarks name it: "sgemm" of sgemm_, cblas_sgemm and scipy_cblas_sgemm64_.
std::string routine_of(std::string_view function) {
  for (const std::string_view prefix : {"scipy_", "cblas_"}) {
    if (function.starts_with(prefix)) function.remove_prefix(prefix.size());
  }
  for (const std::string_view suffix : {"_", "_64", "64"}) {
    if (function.ends_with(suffix)) function.remove_suffix(suffix.size());
  }
  return std::string(function);
}

/// cuBLAS chooses its kernel whatever the function is called; of what cublasLt chose the trace does not tell.
std::string routine_of_cublas(const CallArguments& call) {
  const std::string_view algorithm = call.text("algo").value_or("DFALT");
  const std::string_view compute = call.text("compute").value_or("");
  if (!algorithm.starts_with("DFALT") && !algorithm.starts_with("DEFAULT")) return std::string(algorithm);
  if (compute.find("FAST") != std::string_view::npos) return std::string(compute);
  return call.integer("batch").value_or(1) > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx";
}

CallProblem of_blas(const CallArguments& call, std::string_view library, std::string_view function) {
  CallProblem found{text_of(problem_of_blas(call.text("class").value_or(""), call)), "", ""};
  if (found.problem.empty() || library == "cublaslt") return found;
  found.implementation = library == "cublas" ? routine_of_cublas(call) : routine_of(function);
  return found;
}

}  // namespace

CallProblem problem_of_call(const analysis::Trace& trace, analysis::Row row) {
  const CallArguments call(trace, row);
  if (!call.any()) return {};
  const std::string_view library = trace.text(trace.spans.type[row]);
  const std::string_view function = trace.text(trace.spans.name[row]);
  if (library == "onednn") return of_onednn(call, function);
  if (library == "cudnn") return of_cudnn(call, function);
  const bool is_blas = library == "blas" || library == "cblas" || library == "cublas" || library == "cublaslt";
  return is_blas ? of_blas(call, library, function) : CallProblem();
}

CallProblem problem_of_onednn_text(std::string_view text) { return of_primitive(read_onednn_line(text)); }

}  // namespace xsp::bound
