#include "bound/backends/onednn_backend.h"

#include <fmt/format.h>

#include <new>
#include <set>

#include "bound/backends/onednn_primitive.h"
#include "bound/backends/python_folders.h"

namespace xsp::bound {
namespace onednn {
namespace {

class PrimitiveCandidate : public Candidate {
 public:
  PrimitiveCandidate(const Session& session, PrimitiveDescriptor descriptor, std::shared_ptr<const Plan> plan,
                     Measurement facts)
      : session_(session), descriptor_(std::move(descriptor)), plan_(std::move(plan)), facts_(std::move(facts)) {}

  Measurement facts() const override { return facts_; }
  Status make(std::unique_ptr<Implementation>* implementation) override {
    return make_implementation(session_, descriptor_, *plan_, implementation);
  }

 private:
  Session session_;
  PrimitiveDescriptor descriptor_;
  std::shared_ptr<const Plan> plan_;
  Measurement facts_;
};

/// "ref:any", "bnorm_ref:any".
bool is_reference(std::string_view implementation) {
  return implementation.starts_with("ref") || implementation.find("_ref") != std::string_view::npos;
}

bool is_winograd(std::string_view implementation) { return implementation.find("wino") != std::string_view::npos; }

/// Collects the implementations of one problem.
class Finding {
 public:
  Finding(const Session& session, const Problem& problem) : session_(session), problem_(problem) {}

  /// Implementations of the plan that are not there yet.
  Status add(const Plan& plan) {
    if (plan.is_substitute && last_had_code_) return {};
    last_had_code_ = false;
    std::vector<PrimitiveDescriptor> found;
    if (Status status = session_.dialect->implementations(plan.request, &found); !status.ok()) return status;
    const auto shared = std::make_shared<const Plan>(plan);
    for (PrimitiveDescriptor& descriptor : found) {
      const std::string name = implementation_name(*session_.library, descriptor.get());
      last_had_code_ = last_had_code_ || !is_reference(name);
      if (!is_new(plan, name, descriptor.get())) continue;
      auto candidate =
          std::make_unique<PrimitiveCandidate>(session_, descriptor, shared, facts_of(plan, name, descriptor.get()));
      (is_reference(name) ? references_ : candidates_).push_back(std::move(candidate));
    }
    return {};
  }

  /// Reference code, up to a hundred times slower, only where there is nothing else, and then once.
  std::vector<std::unique_ptr<Candidate>> take() {
    if (candidates_.empty() && !references_.empty()) candidates_.push_back(std::move(references_.front()));
    return std::move(candidates_);
  }

 private:
  std::string format_of(const PrimitiveDescriptorObject* descriptor, int argument) const {
    const Description description = argument_description(session_, descriptor, argument);
    return description ? format_text(session_.dialect->facts(description.get())) : "";
  }

  /// The same code on the same layouts, asked for in another way, is the same implementation. Addends of post-ops do
  /// not count: they lie as the result does.
  bool is_new(const Plan& plan, const std::string& name, const PrimitiveDescriptorObject* descriptor) {
    std::string key = fmt::format("{}|{}", static_cast<int>(plan.request.kind), name);
    for (const PlanArgument& argument : plan.arguments) {
      if (argument.kind < kFirstOfPostOps) key += "|" + format_of(descriptor, argument.kind);
    }
    return seen_.insert(std::move(key)).second;
  }

  Measurement facts_of(const Plan& plan, const std::string& name, const PrimitiveDescriptorObject* descriptor) const {
    Measurement facts;
    facts.implementation = name;
    if (is_winograd(name)) facts.numerics = Numerics::kTransform;
    if (loses_weight_bits(session_, descriptor, plan)) facts.numerics = Numerics::kReduced;
    facts.dtype = problem_.has("dtype") ? std::string(problem_.field("dtype"))
                                        : fmt::format("{}:{}", problem_.field("from"), problem_.field("to"));
    facts.layout = plan.layout;
    if (!plan.chosen_argument) return facts;
    const std::string chosen = format_of(descriptor, *plan.chosen_argument);
    const std::string result = format_of(descriptor, kDestination);
    facts.layout += ": " + chosen;
    if (*plan.chosen_argument == kSource && result != chosen) facts.layout += " -> " + result;
    return facts;
  }

  const Session& session_;
  const Problem& problem_;
  std::set<std::string> seen_;
  std::vector<std::unique_ptr<Candidate>> candidates_, references_;
  bool last_had_code_ = false;
};

class OnednnBackend : public Backend {
 public:
  explicit OnednnBackend(Session session) : session_(std::move(session)) {}

  const Library& library() const override { return session_.library->facts(); }
  Status set_threads(int threads) override { return session_.library->set_threads(threads); }

  Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) override {
    try {
      return find(item, candidates);
    } catch (const std::bad_alloc&) {
      return {"not enough memory to look at the weights"};
    }
  }

 private:
  Status find(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) {
    const auto problem = Problem::parse(item.problem);
    if (!problem) return {"not the text of a problem"};
    const Planner planner = planner_of(problem->kind());
    if (planner == nullptr) return {fmt::format("oneDNN has nothing for {}", problem->kind())};
    PlanInput input;
    if (Status status = PlanInput::make(*problem, *session_.dialect, &input); !status.ok()) return status;
    std::vector<Plan> plans;
    if (Status status = planner(input, &plans); !status.ok()) return status;
    Finding finding(session_, *problem);
    Status first_refusal{"oneDNN has no implementation"};
    bool is_first = true;
    for (const Plan& plan : plans) {
      Status status = finding.add(plan);
      if (!status.ok() && is_first) first_refusal = std::move(status);
      is_first = false;
    }
    *candidates = finding.take();
    return candidates->empty() ? first_refusal : Status();
  }

  Session session_;
};

}  // namespace
}  // namespace onednn

std::vector<std::string> onednn_files() {
  std::vector<std::string> files{"libdnnl.so.3", "libdnnl.so.2"};
  for (const std::string& folder : python_library_folders()) {
    for (const char* pattern : {"libdnnl.so.3", "libdnnl.so.2"}) {
      for (std::string& file : files_like(folder, pattern)) files.push_back(std::move(file));
    }
  }
  return files;
}

Status load_onednn(const std::string& path, std::unique_ptr<Backend>* backend) {
  onednn::Session session;
  if (Status status = onednn::LoadedLibrary::open(path, &session.library); !status.ok()) return status;
  const auto make = session.library->major_version() == 2 ? onednn::make_dialect_v2 : onednn::make_dialect_v3;
  if (Status status = make(session.library, &session.dialect); !status.ok()) return status;
  *backend = std::make_unique<onednn::OnednnBackend>(std::move(session));
  return {};
}

}  // namespace xsp::bound
