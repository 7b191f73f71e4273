#include "analysis/iterations/kind_names.h"

#include <cstddef>
#include <iterator>

#include "analysis/iterations/iteration_spans.h"

namespace xsp::analysis {
namespace {

struct KindName {
  std::string_view kind;
  std::string_view tracer;
};

/// By number of the kind.
constexpr KindName kKindNames[] = {
    {"unspecified", "profile"},   {"api", "api"},
    {"torch_module", "torch"},    {"torch_container", "torch"},
    {"torch_root", "torch"},      {"ort_run", "onnxruntime"},
    {"ort_node", "onnxruntime"},  {"torch_script", "torch"},
    {"library_call", "library"},  {"runtime_call", "cupti"},
    {"nvtx_range", "nvtx"},       {"itt_task", "itt"},
    {"driver_call", "cupti"},     {"kernel", "cupti"},
    {"memcpy", "cupti"},          {"memset", "cupti"},
    {"synchronization", "cupti"}, {"memory", "cupti"},
    {"overhead", "cupti"},        {"stream_interval", "cuda_events"},
    {"operator", "profile"},      {"python_function", "profile"},
    {"annotation", "profile"},    {"run", "profile"},
    {"iteration", "report"},
};
static_assert(std::size(kKindNames) == static_cast<size_t>(kIterationKind) + 1);

const KindName& names_of(Kind kind) {
  const auto number = static_cast<size_t>(kind);
  return kKindNames[number < std::size(kKindNames) ? number : 0];
}

}  // namespace

std::string_view kind_name(Kind kind) { return names_of(kind).kind; }

std::string_view tracer_name(Kind kind) { return names_of(kind).tracer; }

}  // namespace xsp::analysis
