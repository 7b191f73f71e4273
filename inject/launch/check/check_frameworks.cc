#include "inject/launch/check/check_frameworks.h"

#include <fmt/format.h>

#include <cstdio>

#include "inject/launch/run/library_file.h"

namespace xsp::launch {
namespace {

using State = CheckRow::State;

/// What the guest registers operators by: inject/torch/torch_library.cc.
constexpr const char* kOperatorFunctions[] = {
    "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE",
    "_ZNK2at14RecordFunction4nameEv",
    "_ZNK2at14RecordFunction7isAsyncEv",
};
/// What it counts allocations by: inject/torch/c10_functions.cc. An underscore and a type may follow.
constexpr const char* kAllocate = "_ZN3c109alloc_cpuEm";
constexpr const char* kReport = "_ZN3c1027reportMemoryUsageToProfilerE";

struct Version {
  int major = 0;
  int minor = 0;
  auto operator<=>(const Version&) const = default;  // NOLINT(modernize-use-nullptr): of its 0
};

Version version_of(const std::string& text) {
  Version version;
  if (std::sscanf(text.c_str(), "%d.%d", &version.major, &version.minor) < 1) return {};
  return version;
}

constexpr TestedVersions kTorch = {"1.13", "2.15"};
constexpr TestedVersions kOrt = {"1.15", "1.31"};

/// What is wrong with a framework that is only half installed; else nothing.
std::string broken_text(const FrameworkFacts& of) {
  return of.broken.empty() ? "" : fmt::format("{}: {}", of.version, of.broken);
}

CheckRow broken_row(const char* title, const char* package, const std::string& what) {
  return {title, State::kDegraded, what, fmt::format("pip install --force-reinstall {}", package)};
}

std::vector<CheckRow> torch_rows(const FrameworkFacts& of) {
  const std::string broken = broken_text(of);
  if (!broken.empty()) return {broken_row("PyTorch", "torch", broken)};
  const char* build = of.is_for_cuda ? "for CUDA" : "for the CPU";
  std::vector<CheckRow> rows = {
      {"PyTorch", State::kOk, fmt::format("{} {} ({})", of.version, build, tested_text(kTorch, of.version))},
      {"  models, layers", State::kOk, "modules, by PyTorch's own hooks"}};
  for (CheckRow& row : torch_library_rows(of.libtorch_cpu, of.libc10)) {
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<CheckRow> ort_rows(const FrameworkFacts& of) {
  const std::string broken = broken_text(of);
  if (!broken.empty()) return {broken_row("ONNX Runtime", "onnxruntime", broken)};
  std::vector<CheckRow> rows = {
      {"ONNX Runtime", State::kOk, fmt::format("{} ({})", of.version, tested_text(kOrt, of.version))}};
  if (of.makes_sessions) {
    rows.push_back({"  models, layers", State::kOk, "runs, and their nodes from the session's own profile"});
  } else {
    rows.push_back({"  models, layers", State::kDegraded, "runs; no nodes: its sessions are made in a way not known"});
  }
  return rows;
}

/// Frameworks of which less is known: what is recorded of them.
struct Other {
  const char* module;
  const char* title;
  const char* gives;
};
constexpr Other kOthers[] = {
    {"keras", "Keras", "models and layers: calls outside of graphs, on TensorFlow, PyTorch and JAX"},
    {"jax", "JAX", "models and layers from XLA's NVTX ranges, on a GPU; library calls and kernels"},
    {"tensorrt", "TensorRT", "models and layers from its NVTX ranges; kernels"},
    {"triton", "Triton", "kernels and their launches"},
    {"numpy", "NumPy", "products, as library calls into its BLAS"},
};

std::vector<CheckRow> whole_rows(const FrameworkFacts& of, const char* title, const char* package,
                                 std::vector<CheckRow> (*rows_of)(const FrameworkFacts& of)) {
  const std::string broken = broken_text(of);
  return broken.empty() ? rows_of(of) : std::vector<CheckRow>{broken_row(title, package, broken)};
}

}  // namespace

std::string tested_text(const TestedVersions& tested, const std::string& version) {
  const Version own = version_of(version);
  const bool is_inside = own >= version_of(tested.oldest) && own <= version_of(tested.newest);
  const std::string range = std::string_view(tested.oldest) == tested.newest
                                ? tested.oldest
                                : fmt::format("{} to {}", tested.oldest, tested.newest);
  return fmt::format("{}: {}", is_inside ? "tested" : "not tested, which are", range);
}

std::vector<CheckRow> torch_library_rows(const std::string& libtorch_cpu, const std::string& libc10) {
  std::vector<CheckRow> rows;
  const LibraryFile torch(libtorch_cpu);
  bool has_operators = torch.is_readable();
  for (const char* function : kOperatorFunctions) has_operators = has_operators && torch.defines(function);
  if (has_operators) {
    rows.push_back(
        {"  operators", State::kOk, "of every thread, forward and backward, by callbacks of at::RecordFunction"});
  } else {
    rows.push_back({"  operators", State::kDegraded,
                    torch.is_readable() ? "none: this libtorch_cpu hides what they are recorded by"
                                        : "none: libtorch_cpu.so cannot be read"});
  }
  const LibraryFile c10(libc10);
  if (c10.calls_through_plt(kReport) && c10.calls_through_plt(kAllocate)) {
    rows.push_back({"  memory", State::kOk, "allocations of CPU and devices: libc10 calls them through its PLT"});
  } else {
    rows.push_back({"  memory", State::kDegraded, "not told: libc10 does not call its allocator through a PLT"});
  }
  bool is_linked = false;
  for (const std::string& name : torch.needed()) is_linked = is_linked || name.starts_with("libdnnl");
  is_linked = is_linked || torch.calls_through_plt("dnnl_primitive_execute");
  rows.push_back(
      {"  library calls", State::kOk,
       is_linked ? "oneDNN and BLAS, by their symbols" : "BLAS by its symbols; oneDNN, where it is linked in, by ITT"});
  return rows;
}

std::vector<CheckRow> framework_rows(const std::map<std::string, FrameworkFacts>& found, bool* any) {
  std::vector<CheckRow> rows;
  const auto add = [&](const char* module, const char* title, auto rows_of) {
    const auto of = found.find(module);
    if (of == found.end()) {
      rows.push_back({title, State::kUnused, "not installed in this Python"});
      return;
    }
    for (CheckRow& row : rows_of(of->second)) rows.push_back(std::move(row));
    *any = *any || of->second.broken.empty();
  };
  add("torch", "PyTorch", torch_rows);
  add("onnxruntime", "ONNX Runtime", ort_rows);
  const auto add_if_there = [&](const char* module, const char* title, auto rows_of) {
    const auto of = found.find(module);
    if (of == found.end()) return;
    for (CheckRow& row : whole_rows(of->second, title, module, rows_of)) rows.push_back(std::move(row));
    *any = *any || of->second.broken.empty();
  };
  add_if_there("tensorflow", "TensorFlow", tensorflow_rows);
  add_if_there("mxnet", "MXNet", mxnet_rows);
  for (const Other& other : kOthers) {
    const auto of = found.find(other.module);
    if (of == found.end()) continue;
    const std::string broken = broken_text(of->second);
    rows.push_back(broken.empty()
                       ? CheckRow{other.title, State::kOk, fmt::format("{}: {}", of->second.version, other.gives)}
                       : broken_row(other.title, other.module, broken));
  }
  return rows;
}

}  // namespace xsp::launch
