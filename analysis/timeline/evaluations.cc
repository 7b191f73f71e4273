#include "analysis/timeline/evaluations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "analysis/timeline/evaluation_threads.h"

namespace xsp::analysis {
namespace {

/// The outermost model span above a span or the span itself, kNoRow when there is none.
Row outermost_model(const Trace& trace, const Parents& parents, Row row) {
  Row outermost = kNoRow;
  for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth) {
    if (trace.spans.level[row] == Level::kModel) outermost = row;
    row = parents.of[row];
  }
  return outermost;
}

/// The layer that a layer lies in, through the model spans between them (a module that runs another model) and the
/// program's annotations: kNoRow when it lies in none.
Row layer_above(const Trace& trace, const Parents& parents, Row layer) {
  Row row = parents.of[layer];
  for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth) {
    if (trace.spans.level[row] == Level::kLayer) return row;
    if (trace.spans.level[row] > Level::kLayer) return kNoRow;
    row = parents.of[row];
  }
  return kNoRow;
}

/// By row: layer spans that are no layers of the tables, because they contain layers.
std::vector<bool> find_containers(const Trace& trace, const Parents& parents, uint64_t* found) {
  const SpanTable& spans = trace.spans;
  std::vector<bool> container(spans.size());
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.level[row] != Level::kLayer) continue;
    if (spans.kind[row] == Kind::kTorchContainer) container[row] = true;
    const Row parent = layer_above(trace, parents, row);
    if (parent == kNoRow || container[parent]) continue;
    container[parent] = true;
    if (spans.kind[parent] != Kind::kTorchContainer) ++*found;
  }
  return container;
}

/// Calls that were not sampled, by what is known of those that were. What operators tell is not known of them, and
/// their input may not be: where all calls of the model that were recorded in full have the same, it is theirs.
class ShallowCalls {
 public:
  ShallowCalls(const Trace& trace, Evaluations* evaluations) : spans_(trace.spans), evaluations_(*evaluations) {
    if (spans_.shallow.empty()) return;
    for (uint32_t i = 0; i < evaluations_.root.size(); ++i) {
      const Row root = evaluations_.root[i];
      if (!spans_.is_shallow(root)) full_[instance_of(trace, root)].emplace(spans_.input[root], kinds_of(i));
    }
  }

  using Shape = std::pair<uint32_t, EvaluationPhases::Kinds>;  // input and phases

  Shape shape_of(const Trace& trace, uint32_t evaluation) {
    const Row root = evaluations_.root[evaluation];
    const Shape own(spans_.input[root], kinds_of(evaluation));
    const auto full = spans_.is_shallow(root) ? full_.find(instance_of(trace, root)) : full_.end();
    if (full == full_.end() || own.second.mode != Mode::kUnknown) return own;
    const Shape* found = nullptr;
    for (const Shape& shape : full->second) {
      // The time of a call alone is not that of an evaluation in training.
      if ((own.first != 0 && shape.first != own.first) || shape.second.mode == Mode::kTraining) continue;
      if (found != nullptr) return own;
      found = &shape;
    }
    if (found == nullptr) return own;
    if (!evaluations_.phases.empty()) {
      evaluations_.phases[evaluation] = {.kinds = found->second, .forward_ns = spans_.duration(root)};
    }
    return *found;
  }

 private:
  using Instance = std::tuple<uint32_t, uint32_t, uint32_t>;  // process, name, scope

  Instance instance_of(const Trace& trace, Row root) const {
    return {trace.process_of(root), spans_.name[root], spans_.scope[root]};
  }
  EvaluationPhases::Kinds kinds_of(uint32_t evaluation) const {
    return evaluations_.phases.empty() ? EvaluationPhases::Kinds() : evaluations_.phases[evaluation].kinds;
  }

  const SpanTable& spans_;
  Evaluations& evaluations_;
  std::map<Instance, std::set<Shape>> full_;
};

void group_evaluations(const Trace& trace, Evaluations* evaluations) {
  const SpanTable& spans = trace.spans;
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, EvaluationPhases::Kinds, EvaluationThreads>;
  std::map<Key, size_t> numbers;
  ShallowCalls shallow_calls(trace, evaluations);
  const std::vector<EvaluationThreads> threads = find_evaluation_threads(trace, *evaluations);
  for (uint32_t i = 0; i < evaluations->root.size(); ++i) {
    const Row root = evaluations->root[i];
    const auto [input, phases] = shallow_calls.shape_of(trace, i);
    const Key key(trace.process_of(root), spans.name[root], input, spans.scope[root], phases, threads[i]);
    const auto [found, added] = numbers.try_emplace(key, evaluations->groups.size());
    if (added) {
      evaluations->groups.push_back({.process = std::get<0>(key),
                                     .model = spans.name[root],
                                     .input = input,
                                     .scope = spans.scope[root],
                                     .kind = spans.kind[root],
                                     .phases = phases,
                                     .threads = threads[i],
                                     .batch_size = leading_dimension(trace.text(input))});
    }
    EvaluationGroup& group = evaluations->groups[found->second];
    group.evaluations.push_back(i);
    const bool shallow = spans.is_shallow(root);
    auto run = std::find_if(group.runs.begin(), group.runs.end(),
                            [&](const GroupRun& of_group) { return of_group.shallow == shallow; });
    if (run == group.runs.end()) {
      group.runs.push_back({.process = group.process, .evaluations = {}, .shallow = shallow});
      run = group.runs.end() - 1;
    }
    run->evaluations.push_back(i);
    group.total_ns += static_cast<double>(spans.duration(root));
  }
}

void mark_instances(Evaluations* evaluations) {
  std::map<uint32_t, std::set<uint32_t>> scopes;
  for (const EvaluationGroup& group : evaluations->groups) scopes[group.model].insert(group.scope);
  for (EvaluationGroup& group : evaluations->groups) group.one_of_several = scopes[group.model].size() > 1;
}

void assign_layers(const Trace& trace, const Parents& parents, Evaluations* evaluations) {
  const SpanTable& spans = trace.spans;
  const std::vector<bool> container = find_containers(trace, parents, &evaluations->layer_containers);
  std::vector<uint32_t>& evaluation_of = evaluations->number;  // until the layers are in order
  evaluation_of.assign(spans.size(), kNoNumber);
  for (uint32_t i = 0; i < evaluations->root.size(); ++i) evaluation_of[evaluations->root[i]] = i;

  const auto is_layer = [&](Row row) { return spans.level[row] == Level::kLayer && !container[row]; };
  std::vector<size_t>& first = evaluations->first_layer;
  first.assign(evaluations->root.size() + 1, 0);
  for (Row row = 0; row < spans.size(); ++row) {
    if (!is_layer(row)) continue;
    const Row root = outermost_model(trace, parents, row);
    if (root == kNoRow || evaluation_of[root] == kNoEvaluation) {
      const bool failed = root != kNoRow && spans.has_failed(root);
      (failed ? evaluations->failed_layers : evaluations->loose_layers).push_back(row);
      continue;
    }
    evaluation_of[row] = evaluation_of[root];
    ++first[evaluation_of[row] + 1];
  }
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];

  evaluations->layers.resize(first.back());
  std::vector<size_t> next(first.begin(), first.end() - 1);
  for (Row row = 0; row < spans.size(); ++row) {
    if (is_layer(row) && evaluation_of[row] != kNoEvaluation) evaluations->layers[next[evaluation_of[row]]++] = row;
  }
  const auto earlier = [&](Row a, Row b) {
    return spans.begin[a] != spans.begin[b] ? spans.begin[a] < spans.begin[b] : a < b;
  };
  for (size_t i = 0; i + 1 < first.size(); ++i) {
    const auto begin = evaluations->layers.begin() + static_cast<ptrdiff_t>(first[i]);
    const auto end = evaluations->layers.begin() + static_cast<ptrdiff_t>(first[i + 1]);
    if (!std::is_sorted(begin, end, earlier)) std::sort(begin, end, earlier);
  }
  uint32_t number = 0;
  for (const auto* rows : {&evaluations->layers, &evaluations->loose_layers, &evaluations->failed_layers}) {
    for (const Row row : *rows) evaluations->number[row] = number++;
  }
}

}  // namespace

std::string instance_label(const Trace& trace, const EvaluationGroup& group) {
  const std::string_view name = trace.text(group.model);
  std::string_view scope = trace.text(group.scope);
  if (group.scope == 0 || scope.empty()) return std::string(name);
  if (group.kind != Kind::kOrtRun) return std::string(scope);
  constexpr std::string_view kFramework = "onnxruntime ";
  if (scope.starts_with(kFramework)) scope.remove_prefix(kFramework.size());
  return std::string(name) + " (" + std::string(scope) + ")";
}

std::string model_label(const Trace& trace, const EvaluationGroup& group) {
  return group.one_of_several ? instance_label(trace, group) : std::string(trace.text(group.model));
}

std::string shapes_of_any_batch(std::string_view shapes) {
  std::string any;
  for (size_t i = 0; i < shapes.size(); ++i) {
    any += shapes[i];
    if (shapes[i] != '[') continue;
    const size_t end = std::min(shapes.find_first_not_of("0123456789", i + 1), shapes.size());
    if (end == i + 1) continue;
    any += 'N';
    i = end - 1;
  }
  return any;
}

std::optional<int64_t> leading_dimension(std::string_view shapes) {
  if (shapes.size() < 2 || shapes[0] != '[') return {};
  int64_t dimension = 0;
  const auto [end, failure] = std::from_chars(shapes.data() + 1, shapes.data() + shapes.size(), dimension);
  const bool whole = end != shapes.data() + shapes.size() && (*end == ',' || *end == ']');
  if (failure != std::errc() || !whole || dimension <= 0) return {};
  return dimension;
}

Evaluations find_evaluations(const Trace& trace, const Parents& parents, const PhasesByModel& phases) {
  const SpanTable& spans = trace.spans;
  Evaluations evaluations;
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.level[row] == Level::kModel && outermost_model(trace, parents, row) == row) {
      (spans.has_failed(row) ? evaluations.failed : evaluations.root).push_back(row);
    } else if (spans.kind[row] == Kind::kTorchConstruction) {
      evaluations.constructions.push_back(row);
    }
  }
  std::stable_sort(evaluations.root.begin(), evaluations.root.end(),
                   [&](Row a, Row b) { return spans.begin[a] < spans.begin[b]; });
  if (!phases.empty()) {
    for (const Row root : evaluations.root) {
      const auto found = phases.find(root);
      evaluations.phases.push_back(found == phases.end() ? EvaluationPhases() : found->second);
    }
  }
  evaluations.threads = find_thread_counts(trace, evaluations.root);
  group_evaluations(trace, &evaluations);
  mark_instances(&evaluations);
  assign_layers(trace, parents, &evaluations);
  return evaluations;
}

}  // namespace xsp::analysis
