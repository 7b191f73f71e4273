#include "bound/backends/cudnn_backend.h"

#include <utility>

#include "bound/backends/cuda_files.h"
#include "bound/backends/cudnn_engines.h"
#include "bound/backends/cudnn_graph.h"
#include "bound/backends/cudnn_implementation.h"
#include "bound/backends/cudnn_legacy.h"
#include "bound/backends/cudnn_process.h"

namespace xsp::bound {
namespace {

using cudnn::Operands;

/// Hands over an implementation that has run once.
template <typename Made>
Status hand_over(std::unique_ptr<Made> made, std::unique_ptr<Implementation>* implementation) {
  if (Status status = made->start(); !status.ok()) return status;
  *implementation = std::move(made);
  return {};
}

class EngineCandidate : public Candidate {
 public:
  EngineCandidate(std::shared_ptr<cudnn::Process> process, Operands operands, cudnn::EngineConfig config,
                  Measurement facts)
      : process_(std::move(process)),
        operands_(std::move(operands)),
        config_(std::move(config)),
        facts_(std::move(facts)) {}

  Measurement facts() const override { return facts_; }
  Status make(std::unique_ptr<Implementation>* implementation) override {
    cudnn::ExecutionPlan plan;
    if (Status status = make_plan(process_->target(), config_, &plan); !status.ok()) return status;
    return hand_over(std::make_unique<cudnn::PlanImplementation>(process_, operands_, config_.graph, std::move(plan)),
                     implementation);
  }

 private:
  std::shared_ptr<cudnn::Process> process_;
  Operands operands_;
  cudnn::EngineConfig config_;
  Measurement facts_;
};

class LegacyCandidate : public Candidate {
 public:
  LegacyCandidate(std::shared_ptr<cudnn::Process> process, Operands operands,
                  std::shared_ptr<const cudnn::LegacyCall> call, Measurement facts)
      : process_(std::move(process)),
        operands_(std::move(operands)),
        call_(std::move(call)),
        facts_(std::move(facts)) {}

  Measurement facts() const override { return facts_; }
  Status make(std::unique_ptr<Implementation>* implementation) override {
    return hand_over(std::make_unique<cudnn::LegacyImplementation>(process_, operands_, call_), implementation);
  }

 private:
  std::shared_ptr<cudnn::Process> process_;
  Operands operands_;
  std::shared_ptr<const cudnn::LegacyCall> call_;
  Measurement facts_;
};

std::string cudnn_dtype(const Problem& problem) {
  if (problem.kind() == "cast") return std::string(problem.field("from")) + ":" + std::string(problem.field("to"));
  return std::string(problem.field("dtype"));
}

class CudnnBackend : public Backend {
 public:
  explicit CudnnBackend(std::shared_ptr<cudnn::Process> process) : process_(std::move(process)) {
    library_ = {.backend = "cudnn",
                .name = "cudnn",
                .version = process_->api.version(),
                .path = process_->api.path(),
                .device = process_->device->facts()};
  }

  const Library& library() const override { return library_; }
  /// The host only makes the calls.
  Status set_threads(int) override { return {}; }

  Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) override {
    const std::optional<Problem> problem = Problem::parse(item.problem);
    if (!problem) return {"the problem is not of a known form", ""};
    cudnn::ProblemInput input;
    if (Status status = cudnn::ProblemInput::make(*problem, &input); !status.ok()) return status;
    const auto operands = std::make_shared<const std::vector<PlainTensor>>(make_operands(*problem));
    const Status graphs = add_engines(input, operands, candidates);
    const Status calls = add_legacy_calls(input, operands, candidates);
    if (!candidates->empty()) return {};
    // A call that there might be, but not for these arguments, tells more than the lack of a graph.
    return graphs.ok() ? calls : graphs;
  }

 private:
  Status add_engines(const cudnn::ProblemInput& input, const Operands& operands,
                     std::vector<std::unique_ptr<Candidate>>* candidates) {
    std::vector<cudnn::Graph> graphs;
    Status first_error = make_graphs(input, &graphs);
    for (cudnn::Graph& graph : graphs) {
      const Status status = add_engines_of(std::move(graph), input, operands, candidates);
      if (first_error.ok()) first_error = status;
    }
    return first_error;
  }

  Status add_engines_of(cudnn::Graph graph, const cudnn::ProblemInput& input, const Operands& operands,
                        std::vector<std::unique_ptr<Candidate>>* candidates) {
    const cudnn::Target target = process_->target();
    std::shared_ptr<cudnn::OperationGraph> operations;
    std::vector<cudnn::EngineConfig> configs;
    Status status =
        cudnn::OperationGraph::make(target, std::make_shared<const cudnn::Graph>(std::move(graph)), &operations);
    if (status.ok()) status = propose_engines(target, operations, &configs);
    if (!status.ok()) return status;
    for (cudnn::EngineConfig& config : configs) {
      const cudnn::EngineNumerics numerics = numerics_of(config, input.has_single_precision());
      // Others would be measured as f32, and take no part where TF32 is asked for.
      if (input.is_tf32() && numerics.math_mode != "tf32") continue;
      Measurement facts{.implementation = config.name(),
                        .numerics = numerics.numerics,
                        .math_mode = numerics.math_mode,
                        .layout = operations->graph().layout,
                        .dtype = cudnn_dtype(input.problem())};
      candidates->push_back(std::make_unique<EngineCandidate>(process_, operands, std::move(config), std::move(facts)));
    }
    return {};
  }

  Status add_legacy_calls(const cudnn::ProblemInput& input, const Operands& operands,
                          std::vector<std::unique_ptr<Candidate>>* candidates) {
    if (input.is_tf32()) return {"cuDNN has no engine for TF32", ""};
    std::vector<std::shared_ptr<const cudnn::LegacyCall>> calls;
    const Status status = make_legacy_calls(process_->api, process_->handle, input, &calls);
    for (std::shared_ptr<const cudnn::LegacyCall>& call : calls) {
      Measurement facts{.implementation = call->name, .layout = call->layout, .dtype = cudnn_dtype(input.problem())};
      candidates->push_back(std::make_unique<LegacyCandidate>(process_, operands, std::move(call), std::move(facts)));
    }
    return status;
  }

  std::shared_ptr<cudnn::Process> process_;
  Library library_;
};

}  // namespace

std::vector<std::string> cudnn_files() { return cuda_library_files("libcudnn", {9, 8}); }

Status load_cudnn(const std::string& path, std::unique_ptr<Backend>* backend) {
  auto process = std::make_shared<cudnn::Process>();
  bool is_known = false;
  if (Status status = cudnn::Api::open(path, &process->api, &is_known); !status.ok() || !is_known) return status;
  bool is_missing = false;
  if (Status status = CudaDevice::open(&process->device, &is_missing); !status.ok()) return status;
  const cudnn::Api& api = process->api;
  if (Status status = api.status_of(api.create(&process->handle)); !status.ok()) return status;
  if (Status status = api.status_of(api.set_stream(process->handle, process->device->stream())); !status.ok())
    return status;
  *backend = std::make_unique<CudnnBackend>(std::move(process));
  return {};
}

}  // namespace xsp::bound
