#include "bound/joining/join_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/quantity_text.h"
#include "base/text_encoding.h"

namespace xsp::bound {
namespace {

/// How often each type is there.
class TypeCounts {
 public:
  void add(const std::string& type) {
    ++counts_[type];
    ++all_;
  }
  size_t all() const { return all_; }
  size_t of(const std::string& type) const {
    const auto found = counts_.find(type);
    return found == counts_.end() ? 0 : found->second;
  }
  /// ": Add", ", all of them Add", ", most of them Add", ", most often Add"; of equally frequent ones the first by
  /// name.
  std::string most() const {
    const auto less = [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first > b.first;
    };
    const auto& [type, count] = *std::max_element(counts_.begin(), counts_.end(), less);
    const std::string name = type.empty() ? "without a type" : message_text(type);
    if (all_ == 1) return ": " + name;
    if (count == all_) return ", all of them " + name;
    return (2 * count > all_ ? ", most of them " : ", most often ") + name;
  }

 private:
  std::unordered_map<std::string, size_t> counts_;
  size_t all_ = 0;
};

std::string verb(size_t count, std::string_view one, std::string_view several) {
  return std::string(count == 1 ? one : several);
}

/// Normalizations of the trace that a model exported for inference has in its convolutions' weights.
bool is_folded(const JoinSubject& subject, size_t traced) {
  const TracedEvidence& evidence = subject.traced[traced];
  return evidence.family.name == "batchnorm";
}

std::string traced_note(const JoinSubject& subject, const JoinedTrace& joined) {
  TypeCounts types;
  double ms = 0;
  size_t folded = 0;
  for (size_t i = 0; i < joined.layers.size(); ++i) {
    const TraceLayer& layer = joined.layers[i];
    if (!layer.layers.empty()) continue;
    types.add(layer.type);
    ms += layer.measured_ms;
    folded += is_folded(subject, i) ? 1 : 0;
  }
  if (types.all() == 0) return {};
  const bool has_none = std::ranges::none_of(subject.modelled, [](const ModelledEvidence& evidence) {
    return evidence.has_work && evidence.family.name == "batchnorm";
  });
  std::string note =
      fmt::format("{} of the trace ({} ms) {} no counterpart in the model{}", plural(types.all(), "layer"),
                  four_digits(ms), verb(types.all(), "has", "have"), types.most());
  if (folded != 0 && has_none)
    note += fmt::format(
        "; the model has no batch normalizations of its own: the export put the trace's {} into "
        "convolutions",
        folded);
  return note;
}

std::string modelled_note(const JoinSubject& subject, const JoinedTrace& joined) {
  TypeCounts types;
  for (size_t i = 0; i < subject.modelled.size(); ++i) {
    if (!subject.modelled[i].has_work || joined.trace_layer_of[i] != kNoLayer) continue;
    types.add(subject.model->layers[i].type);
  }
  if (types.all() == 0) return {};
  std::string note = fmt::format("{} of the model with work {} not found in the trace{}", plural(types.all(), "layer"),
                                 verb(types.all(), "was", "were"), types.most());
  const bool has_operators =
      std::ranges::any_of(subject.traced, [](const TracedEvidence& evidence) { return evidence.is_operator; });
  if (std::ranges::any_of(subject.traced, &TracedEvidence::is_call)) {
    note += "; its layers are library calls, and what the framework computes without a library is none of them";
  } else if (subject.framework == "pytorch" && !has_operators) {
    note += ": the trace has no layers for functional operators";
  }
  return note;
}

}  // namespace

std::vector<std::string> join_notes(const JoinSubject& subject, const JoinedTrace& joined) {
  std::vector<std::string> notes;
  if (joined.layers.empty()) {
    notes.emplace_back("the trace has library calls and no layers: nothing of it is compared layer by layer");
    return notes;
  }
  for (std::string note : {traced_note(subject, joined), modelled_note(subject, joined)})
    if (!note.empty()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace xsp::bound
