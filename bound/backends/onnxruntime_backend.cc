#include "bound/backends/onnxruntime_backend.h"

#include <utility>

#include "bound/backends/node_model.h"
#include "bound/backends/onnxruntime_api.h"
#include "bound/backends/onnxruntime_profile.h"
#include "bound/backends/onnxruntime_session.h"
#include "bound/backends/onnxruntime_timing.h"
#include "bound/backends/python_folders.h"

namespace xsp::bound {
namespace {

/// What all implementations of one process share.
struct OrtProcess {
  OrtApi api;
  int threads = 1;
};

class OrtImplementation : public Implementation {
 public:
  /// `tells_result`: it is that of the problem's operands, or the problem has none.
  OrtImplementation(const OrtProcess& process, NodeModel node, OrtProfile probe, bool tells_result)
      : process_(process), node_(std::move(node)), probe_(std::move(probe)), tells_result_(tells_result) {}

  /// It owns its tensors.
  std::vector<size_t> buffer_sizes() const override { return {}; }
  Status fill(const std::vector<PlainTensor>&, std::span<void* const>) override { return {}; }
  std::unique_ptr<BoundCall> bind(std::span<void* const>) override { return std::make_unique<Nothing>(); }

  std::vector<float> result(std::span<void* const>) override {
    if (!tells_result_) return {};
    std::unique_ptr<OrtSession> session;
    const OrtSession::Plan plan{*node_.bytes, node_.inputs, node_.outputs, process_.threads};
    if (!OrtSession::make(process_.api, plan, &session).ok() || !session->run().ok()) return {};
    return session->first_output();
  }

  std::optional<std::vector<float>> own_samples(double budget_ns) override {
    std::vector<float> samples;
    // It ran while its nodes were looked at: what fails now leaves no samples.
    (void)time_node(process_.api, node_, process_.threads, probe_, budget_ns, &samples).ok();
    return samples;
  }

 private:
  /// Never called: it tells its times itself.
  class Nothing : public BoundCall {
   public:
    void run() override {}
  };

  const OrtProcess& process_;
  NodeModel node_;
  OrtProfile probe_;
  bool tells_result_;
};

class OrtCandidate : public Candidate {
 public:
  OrtCandidate(const OrtProcess& process, NodeModel node, OrtProfile probe, bool tells_result, Measurement facts)
      : process_(process),
        node_(std::move(node)),
        probe_(std::move(probe)),
        tells_result_(tells_result),
        facts_(std::move(facts)) {}

  Measurement facts() const override { return facts_; }
  Status make(std::unique_ptr<Implementation>* implementation) override {
    *implementation = std::make_unique<OrtImplementation>(process_, node_, probe_, tells_result_);
    return {};
  }

 private:
  const OrtProcess& process_;
  NodeModel node_;
  OrtProfile probe_;
  bool tells_result_;
  Measurement facts_;
};

/// "Conv (CPUExecutionProvider)", "MatMul + Add (CPUExecutionProvider)".
std::string implementation_name(const std::vector<OrtNode>& nodes) {
  std::string name;
  for (size_t i = 0; i < nodes.size(); ++i) {
    name += (i == 0 ? "" : " + ") + nodes[i].type;
    const bool is_last_of_provider = i + 1 == nodes.size() || nodes[i + 1].provider != nodes[i].provider;
    if (is_last_of_provider && !nodes[i].provider.empty()) name += " (" + nodes[i].provider + ")";
  }
  return name;
}

/// The problem's; for kinds that only a framework computes, that of its first tensor ("in=f32[1,128];…").
std::string dtype_of(const Problem& problem) {
  std::string_view text = problem.field("dtype");
  if (text.empty()) text = problem.field("in");
  return std::string(text.substr(0, text.find_first_of("[;")));
}

std::string layout_of(const OrtProfile& profile) {
  if (profile.has_blocked_layout) return "any: blocked";
  return profile.has_channels_last ? "channels_last" : "plain";
}

class OrtBackend : public Backend {
 public:
  explicit OrtBackend(std::unique_ptr<OrtProcess> process) : process_(std::move(process)) {
    library_ = {"onnxruntime", "onnxruntime", process_->api.version(), "", process_->api.path()};
  }

  const Library& library() const override { return library_; }

  Status set_threads(int threads) override {
    process_->threads = threads;
    return {};
  }

  Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) override {
    if (item.model.empty()) return {"no node of this type: it runs nodes as the model has them", ""};
    const std::optional<Problem> problem = Problem::parse(item.problem);
    if (!problem) return {"the problem is not of a known form", ""};
    const std::vector<PlainTensor> operands = make_operands(*problem);
    NodeModel node;
    OrtProfile profile;
    // Where one is no index, zero is. Not the other way round: a division by zero would end the process.
    Status status = probe(item.model, operands, 1, &node, &profile);
    if (!status.ok() && has_whole_inputs(node)) {
      node = {};
      profile = {};
      if (probe(item.model, operands, 0, &node, &profile).ok()) status = {};
    }
    if (!status.ok()) return status;
    if (profile.nodes.empty()) return {"ONNX Runtime runs no node for it", ""};
    Measurement facts;
    facts.implementation = implementation_name(profile.nodes);
    facts.layout = layout_of(profile);
    facts.dtype = dtype_of(*problem);
    const bool tells_result = operands.empty() || node.has_operands;
    candidates->push_back(
        std::make_unique<OrtCandidate>(*process_, std::move(node), std::move(profile), tells_result, std::move(facts)));
    return {};
  }

 private:
  /// Runs it once, to see whether it can be and which nodes ONNX Runtime makes of it.
  Status probe(const std::string& model, const std::vector<PlainTensor>& operands, int64_t whole, NodeModel* node,
               OrtProfile* profile) const {
    if (Status status = make_node_model(model, operands, whole, node); !status.ok()) return status;
    return profile_node(process_->api, *node, process_->threads, 0, 1, 0, profile);
  }

  static bool has_whole_inputs(const NodeModel& node) {
    for (const OrtInput& input : node.inputs) {
      if (is_integer(input.element)) return true;
    }
    return false;
  }

  std::unique_ptr<OrtProcess> process_;
  Library library_;
};

}  // namespace

std::vector<std::string> onnxruntime_files() {
  std::vector<std::string> files;
  for (const std::string& packages : python_folders()) {
    for (std::string& file : files_like(packages + "/onnxruntime/capi", "libonnxruntime.so*")) {
      files.push_back(std::move(file));
    }
  }
  for (const std::string& folder : python_library_folders()) {
    for (std::string& file : files_like(folder, "libonnxruntime.so*")) files.push_back(std::move(file));
  }
  files.insert(files.end(), {"libonnxruntime.so.1", "libonnxruntime.so"});
  return files;
}

Status load_onnxruntime(const std::string& path, std::unique_ptr<Backend>* backend) {
  auto process = std::make_unique<OrtProcess>();
  if (Status status = OrtApi::open(path, &process->api); !status.ok()) return status;
  *backend = std::make_unique<OrtBackend>(std::move(process));
  return {};
}

}  // namespace xsp::bound
