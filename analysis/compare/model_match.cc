#include "analysis/compare/model_match.h"

#include <algorithm>
#include <utility>

#include "analysis/study/merged_runs.h"
#include "analysis/timeline/evaluation_threads.h"

namespace xsp::analysis {
namespace {

/// Whether two models that are not equal may be the same: but for the rank, and for shapes that one recording lacks.
bool may_be_same(const ModelIdentity& a, const ModelIdentity& b, bool shapes_may_lack) {
  if (a.name != b.name || a.point != b.point) return false;
  return a.input == b.input || (shapes_may_lack && (a.input.empty() || b.input.empty()));
}

/// Pairs the models left on both sides. The alignment never renames one to another: kinds are never equal.
class ModelMatch {
 public:
  ModelMatch(const Study& base, const Study& fresh) : base_(base), fresh_(fresh) {
    for (const uint32_t number : base.groups) of_base_.push_back(identity_of(base, number));
    for (const uint32_t number : fresh.groups) of_fresh_.push_back(identity_of(fresh, number));
    places_ = align_sequences(places(of_base_), places(of_fresh_));
    for (AlignedPlace& model : places_) {
      if (model.how == Alignment::kMoved) model.how = Alignment::kSame;  // their order means nothing
    }
  }

  std::vector<AlignedPlace> find() {
    pair_subjects();
    for (uint32_t a = 0; a < of_base_.size(); ++a) {
      for (uint32_t b = 0; b < of_fresh_.size(); ++b) {
        if (may_be_same(of_base_[a], of_fresh_[b], false)) pair(a, b);
      }
    }
    for (uint32_t a = 0; a < of_base_.size(); ++a) {
      for (uint32_t b = 0; b < of_fresh_.size(); ++b) {
        if (may_be_same(of_base_[a], of_fresh_[b], true) && are_only_candidates(a, b)) pair(a, b);
      }
    }
    return std::move(places_);
  }

 private:
  /// Equal models have equal keys, whichever side they are of.
  std::vector<SequencePlace> places(const std::vector<ModelIdentity>& models) {
    std::vector<SequencePlace> places;
    for (const ModelIdentity& model : models) {
      const auto found = std::find(known_.begin(), known_.end(), model);
      places.push_back({.key = static_cast<uint64_t>(found - known_.begin())});
      if (found == known_.end()) known_.push_back(model);
    }
    return places;
  }

  /// Of several ranks, those whose layers and kernels are compared.
  void pair_subjects() {
    if (!base_.subject || !fresh_.subject) return;
    const auto place = [](const Study& study) {
      return static_cast<uint32_t>(std::find(study.groups.begin(), study.groups.end(), *study.subject) -
                                   study.groups.begin());
    };
    const uint32_t a = place(base_);
    const uint32_t b = place(fresh_);
    if (a < of_base_.size() && b < of_fresh_.size() && may_be_same(of_base_[a], of_fresh_[b], false)) pair(a, b);
  }

  bool is_left_in_base(uint32_t a) const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const AlignedPlace& model) { return model.a == a && model.b == kNoPlace; });
  }
  bool is_left_in_fresh(uint32_t b) const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const AlignedPlace& model) { return model.b == b && model.a == kNoPlace; });
  }

  bool are_only_candidates(uint32_t a, uint32_t b) const {
    size_t candidates = 0;
    for (uint32_t i = 0; i < of_base_.size(); ++i) {
      candidates += is_left_in_base(i) && may_be_same(of_base_[i], of_fresh_[b], true) ? 1 : 0;
    }
    for (uint32_t i = 0; i < of_fresh_.size(); ++i) {
      candidates += is_left_in_fresh(i) && may_be_same(of_base_[a], of_fresh_[i], true) ? 1 : 0;
    }
    return candidates == 2;
  }

  void pair(uint32_t a, uint32_t b) {
    if (!is_left_in_base(a) || !is_left_in_fresh(b)) return;
    std::erase_if(places_, [&](const AlignedPlace& model) { return model.a == a; });
    for (AlignedPlace& model : places_) {
      if (model.b == b) model = {a, b, Alignment::kSame};
    }
  }

  const Study& base_;
  const Study& fresh_;
  std::vector<ModelIdentity> of_base_;
  std::vector<ModelIdentity> of_fresh_;
  std::vector<ModelIdentity> known_;
  std::vector<AlignedPlace> places_;
};

}  // namespace

std::string group_point(const Trace& trace, const EvaluationGroup& group) {
  const auto& run = trace.segments[trace.processes[group.process].segment].run;
  std::string point = run ? point_label(*run) : std::string();
  // The program's own number is what a recording without other ones has.
  if (group.threads.setting == ThreadCountsSetting::kOwn) return point;
  const std::string threads = threads_text(group.threads);
  return point.empty() || threads.empty() ? point + threads : point + ", " + threads;
}

ModelIdentity identity_of(const Study& study, uint32_t number) {
  const EvaluationGroup& group = study.evaluations.groups[number];
  const Process& process = study.trace.processes[group.process];
  const std::string* rank = process.variable("RANK");
  return {std::string(study.trace.text(group.model)), std::string(study.trace.text(group.input)),
          group_point(study.trace, group), rank == nullptr ? std::string() : *rank};
}

std::optional<SubjectWish> same_subject(const Study& study) {
  if (!study.subject) return {};
  const ModelIdentity identity = identity_of(study, *study.subject);
  return SubjectWish{identity.name, identity.input, identity.rank};
}

std::vector<AlignedPlace> match_models(const Study& base, const Study& fresh) { return ModelMatch(base, fresh).find(); }

}  // namespace xsp::analysis
