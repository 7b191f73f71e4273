#include "analysis/timeline/layer_spans.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/timeline/bookkeeping_operators.h"
#include "analysis/timeline/model_spans.h"
#include "analysis/timeline/phase_names.h"
#include "analysis/timeline/range_roles.h"
#include "proto/communication_kernels.h"

namespace xsp::analysis {
namespace {

class LayerSpans {
 public:
  LayerSpans(RoleChoices* choices, Parents* parents, Trace* trace)
      : choices_(*choices),
        parents_(*parents),
        trace_(*trace),
        spans_(trace->spans),
        source_(trace->processes.size()),
        is_live_(trace->processes.size()),
        has_models_(trace->processes.size()),
        role_(trace->spans.size(), Role::kNone),
        phases_(*trace) {
    for (uint32_t process = 0; process < is_live_.size(); ++process) {
      is_live_[process] = trace_.segments[trace_.processes[process].segment].source.empty();
    }
  }

  std::vector<uint8_t> run() {
    take_candidates();
    find_containers();
    for (Row row = 0; row < spans_.size(); ++row) {
      if (role_[row] == Role::kOperator && !is_layer_operator(row)) inner_.push_back(row);
    }
    // Only now, because operators are identified by those around them.
    for (const Row row : inner_) role_[row] = Role::kInner;
    leave_backward_work();
    find_work();
    assign();
    take_library_calls();
    return std::move(source_);
  }

 private:
  enum class Role : uint8_t {
    kNone,
    kRecorded,   // a layer of its source
    kModule,     // a layer, unless it becomes a container
    kContainer,  // contains layers
    kOperator,   // a layer, unless it becomes one of these:
    kAround,     // contains modules
    kInner,      // lies in a layer
    kLinked,     // backward work of a layer
    kBackward,   // of none that is known
  };

  LayerChoice choice_of(Row row) { return choices_.of(trace_.process_of(row)).layers; }

  bool is_live(Row row) const { return is_live_[trace_.process_of(row)]; }

  /// Traces of XSP itself have the marks of record_function beside the annotation that they begin and end.
  bool is_operator(Row row) {
    const PhaseName* phase = phases_.of(row);
    if (phase != nullptr && phase->phase == WorkPhase::kMark && is_live(row)) return false;
    return spans_.kind[row] == Kind::kOperator || phase != nullptr;
  }

  bool is_chosen_range(Row row) {
    return (is_range(spans_, row) || spans_.kind[row] == Kind::kAnnotation) &&
           choices_.of(trace_.process_of(row)).ranges.matches(trace_.strings, spans_.name[row]);
  }

  /// Whether a layer of the source stays one. Those that do not are the program's annotations, or candidates for the
  /// role that the choice gives them.
  bool stays(Row row) {
    switch (choice_of(row)) {
      case LayerChoice::kAuto:
      case LayerChoice::kModules:
        return true;
      case LayerChoice::kOperators:
        return !is_module(spans_, row) && spans_.kind[row] != Kind::kApi;
      case LayerChoice::kLibraryCalls:
      case LayerChoice::kRanges:
        return false;
    }
    return true;
  }

  Role candidate(Row row) {
    // A constructor's calls are no evaluation, so they are neither a layer of one nor a container.
    if (spans_.kind[row] == Kind::kTorchConstruction) return Role::kNone;
    const LayerChoice choice = choice_of(row);
    if (choice == LayerChoice::kLibraryCalls) return Role::kNone;
    if (choice == LayerChoice::kRanges) return is_chosen_range(row) ? Role::kOperator : Role::kNone;
    if (is_module(spans_, row)) return choice == LayerChoice::kOperators ? Role::kNone : Role::kModule;
    return is_operator(row) ? Role::kOperator : Role::kNone;
  }

  void take_candidates() {
    for (Row row = 0; row < spans_.size(); ++row) {
      Level& level = spans_.level[row];
      if (level == Level::kModel) has_models_[trace_.process_of(row)] = true;
      if (level == Level::kLayer && !stays(row)) level = Level::kApplication;
      if (level == Level::kLayer) {
        const bool container = spans_.kind[row] == Kind::kTorchContainer;
        role_[row] = container ? Role::kContainer : Role::kRecorded;
        if (is_module(spans_, row)) source_[trace_.process_of(row)] |= kModuleLayers;
        source_[trace_.process_of(row)] |= kRecordedLayers;
      } else if (level == Level::kApplication) {
        role_[row] = candidate(row);
      }
    }
  }

  /// Modules that contain modules, and what lies between them.
  void find_containers() {
    for (Row row = 0; row < spans_.size(); ++row) {
      const bool recorded = role_[row] == Role::kRecorded && is_module(spans_, row);
      if (role_[row] != Role::kModule && role_[row] != Role::kContainer && !recorded) continue;
      Row above = parents_.of[row];
      for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
        if (role_[above] == Role::kOperator) role_[above] = Role::kAround;
        if (role_[above] == Role::kModule) role_[above] = Role::kContainer;
        if (role_[above] == Role::kContainer || spans_.level[above] == Level::kModel) break;
      }
    }
  }

  /// Outside of models a program prepares data or evaluates results: in a trace of XSP, which saw models being called,
  /// that is no layer.
  bool is_layer_operator(Row row) {
    Row above = parents_.of[row];
    for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
      const Role role = role_[above];
      if (role == Role::kOperator || role == Role::kModule || role == Role::kRecorded) return false;
      if (role == Role::kContainer || spans_.level[above] == Level::kModel) return true;
    }
    const uint32_t process = trace_.process_of(row);
    return !is_live_[process] || choices_.of(process).layers == LayerChoice::kRanges ||
           (choices_.of(process).layers == LayerChoice::kOperators && !has_models_[process]);
  }

  /// The layer that a span lies in or is, as far as it is known now.
  Row layer_around(Row row) const {
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      const Role role = role_[row];
      if (role == Role::kOperator || role == Role::kModule || role == Role::kRecorded) return row;
      if (role == Role::kContainer || spans_.level[row] == Level::kModel) return kNoRow;
    }
    return kNoRow;
  }

  /// The operator that the engine calls for backward work counts for the layer whose gradient it computes, and so does
  /// everything else in it.
  void leave_backward_work() {
    std::vector<std::pair<Row, Row>> wrappers;
    for (Row row = 0; row < parents_.forward.size(); ++row) {
      const Row forward = parents_.forward[row];
      if (forward >= kUnknownForward) continue;
      const Row layer = layer_around(forward);
      const Row wrapper = layer_around(row);
      if (layer == kNoRow || wrapper == kNoRow || wrapper == layer || role_[wrapper] != Role::kOperator) continue;
      wrappers.emplace_back(wrapper, forward);
    }
    for (const auto& [wrapper, forward] : wrappers) {
      role_[wrapper] = Role::kLinked;
      if (parents_.forward[wrapper] == kNoRow) parents_.forward[wrapper] = forward;
    }
    for (Row row = 0; row < spans_.size(); ++row) {
      if (role_[row] == Role::kOperator && is_live(row) && phases_.is_backward(parents_, row))
        role_[row] = Role::kBackward;
    }
  }

  void assign() {
    for (Row row = 0; row < spans_.size(); ++row) {
      if (const PhaseName* phase = phases_.of(row); phase != nullptr && phase->phase == WorkPhase::kBackward) {
        mark_backward(row);
      }
      const uint32_t process = trace_.process_of(row);
      switch (role_[row]) {
        case Role::kModule:
          spans_.kind[row] = Kind::kTorchModule;
          make_layer(row, kModuleLayers);
          break;
        case Role::kContainer:
          if (spans_.level[row] == Level::kApplication) {
            spans_.kind[row] = Kind::kTorchContainer;
            spans_.level[row] = Level::kLayer;
          }
          break;
        case Role::kOperator:
          if (!name_phase(row) && is_live_[process]) name_functional_layer(row);
          if (choices_.of(process).layers != LayerChoice::kRanges) set_apart(row);
          make_layer(row, choices_.of(process).layers == LayerChoice::kRanges ? kRangeLayers : kOperatorLayers);
          break;
        default:
          break;
      }
    }
    for (uint32_t process = 0; process < source_.size(); ++process) note_found(process);
  }

  /// What is executed in each operator that is a layer.
  void find_work() {
    work_.assign(spans_.size(), kNoWork);
    has_kernels_.assign(trace_.processes.size(), false);
    for (const Row execution : trace_.executions.row) {
      if (spans_.kind[execution] != Kind::kKernel) continue;
      has_kernels_[trace_.process_of(execution)] = true;
      Row row = parents_.of[execution];
      for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
        if (role_[row] != Role::kOperator) continue;
        work_[row] |= kKernels;
        if (wire::is_communication_kernel(trace_.text(spans_.name[execution]))) work_[row] |= kCommunicationKernels;
        break;
      }
    }
    for (Row row = 0; row < spans_.size(); ++row) {
      if (role_[row] == Role::kInner && is_communication(row)) mark_communication(row);
    }
  }

  bool is_communication(Row row) {
    const uint32_t name = spans_.name[row];
    const auto [found, added] = communicates_.try_emplace(name);
    if (added) found->second = is_communication_operator(trace_.text(name));
    return found->second;
  }

  /// An outermost operator is named after an operator inside it that communicates.
  void mark_communication(Row inner) {
    Row row = parents_.of[inner];
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (role_[row] != Role::kOperator) continue;
      communication_in_.try_emplace(row, spans_.name[inner]);
      return;
    }
  }

  /// Communication and bookkeeping are recognised by type. Accumulating a gradient may start the reduction of all that
  /// are ready: then the reduction is what takes the time.
  void set_apart(Row row) {
    // Of a live trace functional layers have the names of the modules around them, and stay where they are called.
    if (is_live(row)) return;
    const uint32_t name = spans_.name[row];
    const auto [known, added] = bookkeeping_.try_emplace(name);
    if (added) known->second = find_bookkeeping(trace_.text(name)) != nullptr;
    const bool bookkeeping = known->second;
    const bool knows_kernels = has_kernels_[trace_.process_of(row)];
    const bool communicates =
        knows_kernels ? (work_[row] & kCommunicationKernels) != 0 : communication_in_.contains(row);
    const bool is_own = is_communication(row);
    if ((bookkeeping && communicates) || (is_own && !bookkeeping && !knows_kernels) ||
        (is_own && (work_[row] & kKernels) != 0)) {
      spans_.type[row] = trace_.strings.intern(kCommunication);
      const auto inner = communication_in_.find(row);
      if (!is_own && inner != communication_in_.end()) spans_.name[row] = inner->second;
    } else if (bookkeeping || is_own) {
      spans_.type[row] = trace_.strings.intern(kBookkeeping);
    }
  }

  void mark_backward(Row row) {
    if (parents_.forward.empty()) parents_.forward.assign(spans_.size(), kNoRow);
    if (parents_.forward[row] == kNoRow) parents_.forward[row] = kUnknownForward;
  }

  void make_layer(Row row, LayerSource source) {
    spans_.level[row] = Level::kLayer;
    source_[trace_.process_of(row)] |= source;
  }

  bool name_phase(Row row) {
    const PhaseName* phase = phases_.of(row);
    if (phase == nullptr || phase->is_name) return false;
    const uint32_t name = trace_.strings.intern(trace_.text(spans_.name[row]).substr(phase->prefix.size()));
    spans_.name[row] = name;
    spans_.type[row] = phase->type.empty() ? name : trace_.strings.intern(phase->type);
    return true;
  }

  /// The module around a span, of which the root has no name that its modules' names begin with.
  Row container_of(Row row) const {
    Row above = parents_.of[row];
    for (int depth = 0; above != kNoRow && depth < kMaxDepth; ++depth, above = parents_.of[above]) {
      if (spans_.level[above] == Level::kModel || spans_.kind[above] == Kind::kTorchRoot) return kNoRow;
      if (is_module(spans_, above)) return is_own_layer(above) ? kNoRow : above;
    }
    return kNoRow;
  }

  /// A model without modules inside, which is recorded as its own layer, too.
  bool is_own_layer(Row row) const {
    const Row model = parents_.of[row];
    return model != kNoRow && spans_.level[model] == Level::kModel && spans_.begin[model] == spans_.begin[row] &&
           spans_.name[model] == spans_.name[row];
  }

  void name_functional_layer(Row row) {
    if (spans_.kind[row] != Kind::kOperator) return;
    const uint32_t name = spans_.name[row];
    if (spans_.type[row] == 0) spans_.type[row] = name;
    const Row container = container_of(row);
    if (container == kNoRow) return;
    const uint64_t key = uint64_t{spans_.name[container]} << 32 | name;
    const auto [found, added] = functional_names_.try_emplace(key);
    if (added) {
      std::string qualified(trace_.text(spans_.name[container]));
      found->second = trace_.strings.intern(qualified.append(".").append(trace_.text(name)));
    }
    spans_.name[row] = found->second;
  }

  void note_found(uint32_t process) {
    RoleChoice& choice = choices_.of(process);
    const uint8_t source = source_[process];
    choice.layers_found |= (choice.layers == LayerChoice::kModules && (source & kModuleLayers) != 0) ||
                           (choice.layers == LayerChoice::kOperators && source != 0) ||
                           (choice.layers == LayerChoice::kRanges && (source & kRangeLayers) != 0);
  }

  bool takes_calls(uint32_t process) {
    const LayerChoice choice = choices_.of(process).layers;
    if (choice == LayerChoice::kLibraryCalls) return true;
    return choice == LayerChoice::kAuto && source_[process] == 0 &&
           !trace_.segments[trace_.processes[process].segment].source.empty();
  }

  Row outermost_call(Row row) const {
    Row call = kNoRow;
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (spans_.level[row] == Level::kLibrary) call = row;
    }
    return call;
  }

  void take_library_calls() {
    std::vector<bool> wanted(trace_.processes.size());
    for (uint32_t process = 0; process < wanted.size(); ++process) wanted[process] = takes_calls(process);
    if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
    std::set<std::pair<uint32_t, uint32_t>> working;  // functions that start kernels, by process and name
    std::vector<bool> knows(wanted.size());
    for (const Row row : trace_.executions.row) {
      const uint32_t process = trace_.process_of(row);
      if (spans_.kind[row] != Kind::kKernel) continue;
      const Row call = wanted[process] ? outermost_call(parents_.of[row]) : kNoRow;
      if (call == kNoRow) continue;
      knows[process] = true;
      working.emplace(process, spans_.name[call]);
    }
    std::vector<Row> layers;
    for (Row row = 0; row < spans_.size(); ++row) {
      const uint32_t process = trace_.process_of(row);
      if (spans_.level[row] != Level::kLibrary || !wanted[process] || outermost_call(parents_.of[row]) != kNoRow) {
        continue;
      }
      if (!knows[process] || working.contains({process, spans_.name[row]})) layers.push_back(row);
    }
    for (const Row row : layers) {
      spans_.kind[row] = Kind::kLibraryCall;
      make_layer(row, kCallLayers);
      choices_.of(trace_.process_of(row)).layers_found = true;
    }
  }

  RoleChoices& choices_;
  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  std::vector<uint8_t> source_;   // by process
  std::vector<bool> is_live_;     // likewise: recorded by XSP
  std::vector<bool> has_models_;  // likewise
  std::vector<Role> role_;        // by row
  std::vector<Row> inner_;

  enum Work : uint8_t { kNoWork = 0, kKernels = 1, kCommunicationKernels = 2 };
  std::vector<uint8_t> work_;                           // by row, flags
  std::vector<bool> has_kernels_;                       // by process
  std::unordered_map<uint32_t, bool> bookkeeping_;      // by string id of an operator
  std::unordered_map<uint32_t, bool> communicates_;     // by string id of an operator
  std::unordered_map<Row, uint32_t> communication_in_;  // by layer: the name of a communication operator in it

  PhaseNames phases_;
  std::unordered_map<uint64_t, uint32_t> functional_names_;  // by string ids of container and operator
};

}  // namespace

std::vector<uint8_t> find_layer_spans(RoleChoices* choices, Parents* parents, Trace* trace) {
  return LayerSpans(choices, parents, trace).run();
}

}  // namespace xsp::analysis
