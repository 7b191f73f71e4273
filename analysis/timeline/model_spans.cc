#include "analysis/timeline/model_spans.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace xsp::analysis {
namespace {

/// Damaged input could chain spans without end; real nesting stays far below this.
constexpr int kMaxDepth = 1000;

constexpr std::string_view kStep = "ProfilerStep";

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

  std::vector<ModelSource> run() {
    find_matches();
    find_recorded();
    find_steps();
    find_modules();
    link_threads();
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
      // A step with nothing beside it tells of nothing that was evaluated.
      const uint32_t process = trace_.process_of(row);
      if (in_process[process] != trace_.processes[process].spans) add(row, ModelSource::kSteps);
    }
    if (!steps.empty()) name_steps();
  }

  /// After the only outermost module that the steps of a process call, if there is only one.
  void name_steps() {
    std::vector<std::set<TypeAndName>> modules(trace_.processes.size());
    for (Row row = 0; row < spans_.size(); ++row) {
      if (!is_module(spans_, row) || spans_.level[row] != Level::kApplication) continue;
      const uint32_t process = trace_.process_of(row);
      if (source_[process] != ModelSource::kSteps || is_inner_module(row)) continue;
      if (lies_in(row, [&](Row above) { return spans_.level[above] == Level::kModel; })) {
        modules[process].insert({spans_.type[row], spans_.name[row]});
      }
    }
    const uint32_t plain = trace_.strings.intern(kStep);
    for (uint32_t process = 0; process < models_.size(); ++process) {
      if (source_[process] != ModelSource::kSteps) continue;
      const uint32_t name = modules[process].size() == 1 ? name_of(*modules[process].begin()) : plain;
      for (const Row row : models_[process]) spans_.name[row] = name;
    }
  }

  using TypeAndName = std::pair<uint32_t, uint32_t>;

  /// "Linear_0", the only one of its class, is "Linear".
  static uint32_t name_of(const TypeAndName& module) { return module.first != 0 ? module.first : module.second; }

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
    for (const Row row : outermost) instances[{trace_.process_of(row), spans_.type[row]}].insert(spans_.name[row]);
    for (const Row row : outermost) {
      add(row, ModelSource::kModules);
      spans_.kind[row] = Kind::kTorchRoot;
      const bool alone = instances[{trace_.process_of(row), spans_.type[row]}].size() == 1;
      if (alone) spans_.name[row] = name_of({spans_.type[row], spans_.name[row]});
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

  /// The only mark that a span lies in.
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
};

}  // namespace

bool is_step_name(std::string_view name) {
  if (!name.starts_with(kStep) || name.size() < kStep.size() + 2 || name[kStep.size()] != '#') return false;
  return name.find_first_not_of("0123456789", kStep.size() + 1) == std::string_view::npos;
}

std::vector<ModelSource> find_model_spans(RoleChoices* choices, Parents* parents, Trace* trace) {
  return ModelSpans(choices, parents, trace).run();
}

}  // namespace xsp::analysis
