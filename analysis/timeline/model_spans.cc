#include "analysis/timeline/model_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/timeline/module_shares.h"

namespace xsp::analysis {
namespace {

/// What a user may name as a model: everything but calls of libraries and what lies below them.
bool can_be_named(const SpanTable& spans, Row row) {
  switch (spans.kind[row]) {
    case Kind::kApi:
    case Kind::kOrtRun:
    case Kind::kNvtxRange:
    case Kind::kIttTask:
    case Kind::kOperator:
    case Kind::kPythonFunction:
    case Kind::kAnnotation:
    case Kind::kRun:
      return spans.level[row] <= Level::kLayer;
    default:
      return is_module(spans, row);
  }
}

/// "train step 17" and "step#3" count iterations: their names are "train step" and "step".
std::string_view without_count(std::string_view name) {
  size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return name;
  const std::string_view separators = " #:=";
  if (separators.find(name[end]) == std::string_view::npos) return name;
  while (end != std::string_view::npos && separators.find(name[end]) != std::string_view::npos) --end;
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

/// Model spans that stand for what all threads of their process do.
struct Marks {
  struct Mark {
    int64_t begin;
    int64_t end;
    int64_t latest_end;  // of this one and those before it
    Row row;
  };
  std::vector<Mark> marks;    // in order of begin
  std::set<Row> roots;        // the outermost spans around them
  std::set<uint32_t> tracks;  // whose marks alone count for them
};

class ModelSpans {
 public:
  ModelSpans(RoleChoices* choices, Parents* parents, Trace* trace)
      : choices_(*choices),
        parents_(*parents),
        trace_(*trace),
        spans_(trace->spans),
        source_(trace->processes.size(), ModelSource::kNone),
        models_(trace->processes.size()) {}

  std::vector<ModelSource> run(std::vector<std::string>* remarks) {
    remarks_.resize(source_.size());
    find_matches();
    find_recorded();
    find_steps();
    find_modules();
    link_threads();
    *remarks = std::move(remarks_);
    return std::move(source_);
  }

 private:
  bool is_open(uint32_t process) const { return source_[process] == ModelSource::kNone; }

  template <typename Test>
  bool lies_in(Row row, Test&& test) const {
    row = parents_.of[row];
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (test(row)) return true;
    }
    return false;
  }

  void add(Row row, ModelSource source) {
    const uint32_t process = trace_.process_of(row);
    source_[process] = source;
    models_[process].push_back(row);
    spans_.level[row] = Level::kModel;
  }

  void find_matches() {
    if (std::none_of(choices_.choices.begin(), choices_.choices.end(),
                     [](const RoleChoice& choice) { return choice.names_models(); })) {
      return;
    }
    const auto matches = [&](Row row) {
      RoleChoice& choice = choices_.of(trace_.process_of(row));
      return choice.names_models() && can_be_named(spans_, row) &&
             choice.models.matches(trace_.strings, spans_.name[row]);
    };
    std::vector<Row> found;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] != Level::kDevice && matches(row) && !lies_in(row, matches)) found.push_back(row);
    }
    std::vector<bool> has_matches(trace_.processes.size());
    for (const Row row : found) has_matches[trace_.process_of(row)] = true;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] == Level::kModel && has_matches[trace_.process_of(row)]) {
        spans_.level[row] = Level::kApplication;
      }
    }
    for (const Row row : found) {
      choices_.of(trace_.process_of(row)).models_found = true;
      add(row, ModelSource::kMatched);
      spans_.name[row] = trace_.strings.intern(without_count(trace_.text(spans_.name[row])));
    }
  }

  void find_recorded() {
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] != Level::kModel) continue;
      const uint32_t process = trace_.process_of(row);
      if (source_[process] == ModelSource::kNone) source_[process] = ModelSource::kRecorded;
      // A step that the profile itself has marked, as those of XLA.
      if (source_[process] == ModelSource::kRecorded && spans_.kind[row] == Kind::kAnnotation) {
        models_[process].push_back(row);
      }
    }
  }

  void find_steps() {
    const auto is_step = [&](Row row) {
      const Kind kind = spans_.kind[row];
      return (kind == Kind::kAnnotation || kind == Kind::kOperator) && spans_.level[row] == Level::kApplication &&
             is_step_name(trace_.text(spans_.name[row]));
    };
    std::vector<Row> steps;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (is_step(row) && is_open(trace_.process_of(row)) && !lies_in(row, is_step)) steps.push_back(row);
    }
    std::vector<uint64_t> in_process(trace_.processes.size());
    for (const Row row : steps) ++in_process[trace_.process_of(row)];
    for (const Row row : steps) {
      // A step with nothing beside it does not tell what was evaluated.
      const uint32_t process = trace_.process_of(row);
      if (in_process[process] != trace_.processes[process].spans) add(row, ModelSource::kSteps);
    }
    if (!steps.empty()) name_steps();
  }

  /// Named after the outermost module with most time in all steps of the process; a step without it after the module
  /// with most time in this step. A module with too little of the time (layers that the program calls one by one) names
  /// nothing.
  void name_steps() {
    constexpr double kLeastShare = 0.25;
    struct Call {
      Row step;
      Module module;
      int64_t ns;
    };
    std::vector<std::vector<Call>> calls(trace_.processes.size());
    for (Row row = 0; row < spans_.size(); ++row) {
      if (!is_module(spans_, row) || spans_.level[row] != Level::kApplication) continue;
      const uint32_t process = trace_.process_of(row);
      if (source_[process] != ModelSource::kSteps || is_inner_module(row)) continue;
      Row step = kNoRow;
      const auto is_step = [&](Row above) { return spans_.level[step = above] == Level::kModel; };
      if (lies_in(row, is_step)) calls[process].push_back({step, module_of(row), spans_.duration(row)});
    }
    const uint32_t plain = trace_.strings.intern(kProfilerStep);
    for (uint32_t process = 0; process < models_.size(); ++process) {
      if (source_[process] != ModelSource::kSteps) continue;
      ModuleShares shares;
      std::map<Row, ModuleShares> of_step;
      for (const Call& call : calls[process]) {
        shares.add(call.module, call.ns);
        of_step[call.step].add(call.module, call.ns);
      }
      const bool is_named = !shares.empty() && shares.share_of(shares.main()) >= kLeastShare;
      for (const Row row : models_[process]) {
        const auto own = of_step.find(row);
        if (!is_named) {
          spans_.name[row] = plain;
        } else if (own == of_step.end() || own->second.share_of(shares.main()) > 0) {
          spans_.name[row] = shares.main().class_name();
        } else {
          spans_.name[row] = own->second.main().class_name();
        }
      }
      if (shares.size() > 1) {
        remarks_[process] =
            fmt::format("{} (time of outermost modules in them: {})",
                        is_named ? ", named after the outermost module with most time" : "", shares.listing(trace_));
      }
    }
  }

  using Module = ModuleShares::Module;

  Module module_of(Row row) const { return {spans_.type[row], spans_.name[row]}; }

  bool is_inner_module(Row row) const {
    return lies_in(row, [&](Row above) { return is_module(spans_, above); });
  }

  void find_modules() {
    std::vector<Row> outermost;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (is_module(spans_, row) && spans_.level[row] == Level::kApplication && is_open(trace_.process_of(row)) &&
          !is_inner_module(row)) {
        outermost.push_back(row);
      }
    }
    std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> instances;  // names by process and class
    std::vector<ModuleShares> shares(trace_.processes.size());
    for (const Row row : outermost) {
      instances[{trace_.process_of(row), spans_.type[row]}].insert(spans_.name[row]);
      shares[trace_.process_of(row)].add(module_of(row), spans_.duration(row));
    }
    for (const Row row : outermost) {
      const ModuleShares& of_process = shares[trace_.process_of(row)];
      if (of_process.is_part(module_of(row).class_name())) {
        std::string& remark = remarks_[trace_.process_of(row)];
        if (remark.empty()) {
          remark = " (time of them: " + of_process.listing(trace_) + "; those below 5 % are parts and no models)";
        }
        continue;
      }
      add(row, ModelSource::kModules);
      spans_.kind[row] = Kind::kTorchRoot;
      const bool alone = instances[{trace_.process_of(row), spans_.type[row]}].size() == 1;
      if (alone) spans_.name[row] = module_of(row).class_name();
    }
  }

  Row root_of(Row row) const {
    for (int depth = 0; parents_.of[row] != kNoRow && depth < kMaxDepth; ++depth) row = parents_.of[row];
    return row;
  }

  std::vector<Marks> find_marks() const {
    std::vector<Marks> of_process(models_.size());
    for (uint32_t process = 0; process < models_.size(); ++process) {
      Marks& marks = of_process[process];
      const bool matched = source_[process] == ModelSource::kMatched;
      const bool has_steps = source_[process] == ModelSource::kSteps || source_[process] == ModelSource::kRecorded;
      if (!matched && !has_steps) continue;
      for (const Row row : models_[process]) {
        // A call of a module or a session is work of its own thread.
        const bool is_call = is_module(spans_, row) || spans_.kind[row] == Kind::kOrtRun ||
                             spans_.kind[row] == Kind::kRun || spans_.kind[row] == Kind::kPythonFunction;
        if (matched) marks.tracks.insert(spans_.track[row]);
        if (!is_call) marks.marks.push_back({spans_.begin[row], spans_.end[row], 0, row});
      }
      std::sort(marks.marks.begin(), marks.marks.end(),
                [](const auto& a, const auto& b) { return a.begin != b.begin ? a.begin < b.begin : a.row < b.row; });
      int64_t latest = INT64_MIN;
      for (auto& mark : marks.marks) mark.latest_end = latest = std::max(latest, mark.end);
      for (const auto& mark : marks.marks) marks.roots.insert(root_of(mark.row));
    }
    return of_process;
  }

  /// The only mark that contains a span.
  Row mark_around(const Marks& marks, Row row) const {
    const auto& all = marks.marks;
    auto at = std::upper_bound(all.begin(), all.end(), spans_.begin[row],
                               [](int64_t begin, const auto& mark) { return begin < mark.begin; });
    Row found = kNoRow;
    while (at != all.begin() && (--at)->latest_end >= spans_.end[row]) {
      if (at->end < spans_.end[row]) continue;
      if (found != kNoRow) return kNoRow;
      found = at->row;
    }
    return found;
  }

  void link_threads() {
    const std::vector<Marks> marks = find_marks();
    if (std::all_of(marks.begin(), marks.end(), [](const Marks& m) { return m.marks.empty(); })) return;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (parents_.of[row] != kNoRow || spans_.level[row] == Level::kDevice || spans_.level[row] == Level::kModel) {
        continue;
      }
      const Marks& its = marks[trace_.process_of(row)];
      // What encloses a mark cannot lie in one.
      if (its.marks.empty() || its.roots.contains(row)) continue;
      const Row mark = mark_around(its, row);
      if (mark == kNoRow) continue;
      const uint32_t track = spans_.track[row];
      if (spans_.track[mark] == track || !its.tracks.contains(track)) parents_.of[row] = mark;
    }
  }

  RoleChoices& choices_;
  Parents& parents_;
  Trace& trace_;
  SpanTable& spans_;
  std::vector<ModelSource> source_;       // by process
  std::vector<std::vector<Row>> models_;  // by process, those that got their level here
  std::vector<std::string> remarks_;      // by process
};

}  // namespace

bool is_step_name(std::string_view name) {
  if (!name.starts_with(kProfilerStep) || name.size() < kProfilerStep.size() + 2 || name[kProfilerStep.size()] != '#')
    return false;
  return name.find_first_not_of("0123456789", kProfilerStep.size() + 1) == std::string_view::npos;
}

std::vector<ModelSource> find_model_spans(RoleChoices* choices, Parents* parents, Trace* trace,
                                          std::vector<std::string>* remarks) {
  return ModelSpans(choices, parents, trace).run(remarks);
}

}  // namespace xsp::analysis
