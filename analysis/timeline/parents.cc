#include "analysis/timeline/parents.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/timeline/containment.h"
#include "analysis/timeline/launches.h"
#include "analysis/timeline/range_roles.h"
#include "analysis/timeline/span_ids.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {
namespace {

/// Profiles that were imported have whole microseconds, or finer ones that were rounded.
constexpr int64_t kImportResolution = 1000;

void link_explicit(const Trace& trace, const SpanIds& ids, Parents* parents) {
  const SpanTable& spans = trace.spans;
  const auto is_imported = [&](Row row) {
    return !trace.segments[trace.processes[trace.process_of(row)].segment].source.empty();
  };
  for (Row row = 0; row < spans.size(); ++row) {
    const Row parent = ids.parent_of(row);
    parents->of[row] = parent;
    // A range may end later than the span that it began in.
    if (parent != kNoRow && !is_range(spans, row) && spans.track[row] == spans.track[parent] &&
        (spans.begin[row] < spans.begin[parent] || spans.end[row] > spans.end[parent])) {
      const int64_t out = std::max(spans.begin[parent] - spans.begin[row], spans.end[row] - spans.end[parent]);
      if (out <= kImportResolution && is_imported(row)) continue;
      ++parents->outside_parent[static_cast<size_t>(spans.level[row])];
    }
  }
}

/// Resolves the forward links of backward work into Parents::forward; one that leads nowhere, or to the span itself, is
/// none. Costs nothing in a trace without such links.
void link_forwards(const Trace& trace, const SpanIds& ids, Parents* parents) {
  const std::vector<uint64_t>& links = trace.spans.forward;
  if (links.empty()) return;
  parents->forward.assign(trace.spans.size(), kNoRow);
  for (Row row = 0; row < links.size(); ++row) {
    if (links[row] == 0) continue;
    const SpanReference reference{static_cast<uint32_t>(links[row] >> 32), static_cast<uint32_t>(links[row])};
    const Row forward = ids.find(trace.process_of(row), reference);
    if (forward != row) parents->forward[row] = forward;
  }
}

void search(const Trace& trace, ContainmentSearch group, const ToldParents& told, Parents* parents) {
  if (!told.of.empty()) {
    group.choose = [&](Row child, std::span<const Row> containing) {
      const auto found = told.of.find(child);
      if (found == told.of.end()) return kAmbiguous;
      for (const Row parent : found->second) {
        if (std::find(containing.begin(), containing.end(), parent) == containing.end()) continue;
        ++parents->resolved[static_cast<size_t>(trace.spans.level[child])];
        return parent;
      }
      return kAmbiguous;
    };
  }
  find_containing(trace, std::move(group), [&](Row child, Row parent) {
    if (parent == kAmbiguous) {
      ++parents->ambiguous[static_cast<size_t>(trace.spans.level[child])];
      parents->doubtful.push_back(child);
    }
    parents->of[child] = parent;
  });
}

/// Whether a span is an executed node of a graph (ONNX Runtime, TensorFlow, XLA), which its scope ties to its run.
bool is_node(const SpanTable& spans, Row row) {
  return spans.level[row] == Level::kLayer &&
         (spans.kind[row] == Kind::kOrtNode || (spans.kind[row] == Kind::kOperator && spans.scope[row] != 0));
}

void link_scopes(const Trace& trace, const ToldParents& told, Parents* parents) {
  const SpanTable& spans = trace.spans;
  std::map<std::pair<uint32_t, uint32_t>, ContainmentSearch> scopes;
  ContainmentSearch* group = nullptr;
  std::pair<uint32_t, uint32_t> last;
  for (Row row = 0; row < spans.size(); ++row) {
    // The scope of a PyTorch root is its instance and ties nothing to it.
    if (spans.scope[row] == 0 || spans.kind[row] == Kind::kTorchRoot) continue;
    const std::pair key(trace.process_of(row), spans.scope[row]);
    if (group == nullptr || key != last) group = &scopes[last = key];
    if (parents->of[row] == kNoRow && is_node(spans, row)) group->children.push_back(row);
    if (!is_node(spans, row)) group->candidates.push_back(row);
  }
  for (auto& [key, scope] : scopes) {
    scope.tolerance_ns = kScopeToleranceNs;
    scope.across_threads = true;
    if (!scope.children.empty()) search(trace, std::move(scope), told, parents);
  }
}

/// Nested control flow stays far below this; damaged input must not make the search slow.
constexpr size_t kMaxNesting = 64;

bool is_inside(const SpanTable& spans, Row inner, Row outer) {
  const bool before = spans.duration(inner) == 0 && spans.begin[inner] == spans.begin[outer];
  return !before && spans.begin[outer] <= spans.begin[inner] && spans.begin[inner] < spans.end[outer] &&
         spans.end[inner] <= spans.end[outer] + kScopeToleranceNs;
}

/// Whether what a node lies in can be told by its times on its thread alone. A kernel that the guest recorded has a
/// parent if it ran inside another one; those that have none may have been done on other threads (async kernels,
/// operations of XLA).
bool may_lie_in_another(const Trace& trace, Row row) {
  if (trace.spans.kind[row] == Kind::kOrtNode) return true;
  return !trace.segments[trace.processes[trace.process_of(row)].segment].source.empty();
}

/// The nodes of the body of a Loop, If or Scan run inside it, on its thread. Gives each node of a run that lies in
/// another node of the same run and thread that node as parent; `parents` (by row) has the runs as parents of the
/// nodes.
///
/// Times are whole microseconds, rounded down at begin and duration: nodes that follow each other never overlap, and a
/// body node ends at most 2 µs after its outer node. A node without duration that begins with another one may as well
/// have run before it and is not in it. Of equal intervals the outer one is the later in the file, since a node is
/// recorded when it ends.
void nest_nodes(const Trace& trace, std::vector<Row>* parents) {
  const SpanTable& spans = trace.spans;
  std::vector<Row> nodes;
  for (Row row = 0; row < spans.size(); ++row) {
    if (!is_node(spans, row) || spans.parent[row] != 0 || !may_lie_in_another(trace, row)) continue;
    const Row run = (*parents)[row];
    if (run < spans.size() && spans.level[run] == Level::kModel) nodes.push_back(row);
  }
  const auto thread_of = [&](Row row) { return trace.tracks[spans.track[row]].thread; };
  // Outer before inner.
  const auto key = [&](Row row) {
    return std::tuple((*parents)[row], thread_of(row), spans.begin[row], -spans.end[row], -int64_t{row});
  };
  const auto before = [&](Row a, Row b) { return key(a) < key(b); };
  if (!std::is_sorted(nodes.begin(), nodes.end(), before)) std::sort(nodes.begin(), nodes.end(), before);

  std::vector<Row> open;
  Row run = kNoRow;
  uint32_t thread = 0;
  for (const Row node : nodes) {
    if ((*parents)[node] != run || thread_of(node) != thread) open.clear();
    run = (*parents)[node];
    thread = thread_of(node);
    while (!open.empty() && spans.end[open.back()] <= spans.begin[node]) open.pop_back();
    const auto outer =
        std::find_if(open.rbegin(), open.rend(), [&](Row candidate) { return is_inside(spans, node, candidate); });
    if (outer != open.rend()) (*parents)[node] = *outer;
    if (open.size() < kMaxNesting) open.push_back(node);
  }
}

/// ONNX Runtime's nodes come from its profile, so that a call made inside one has the run, or nothing, as its explicit
/// parent: it belongs to the node of its thread that it lies in.
void link_calls_of_nodes(const Trace& trace, Parents* parents) {
  const SpanTable& spans = trace.spans;
  std::map<std::pair<uint32_t, uint32_t>, ContainmentSearch> threads;
  const auto thread_of = [&](Row row) {
    const Track& track = trace.tracks[spans.track[row]];
    return std::pair(track.process, track.thread);
  };
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] == Kind::kOrtNode && spans.level[row] == Level::kLayer) {
      threads[thread_of(row)].candidates.push_back(row);
    }
  }
  if (threads.empty()) return;
  for (Row row = 0; row < spans.size(); ++row) {
    const bool is_call = spans.level[row] == Level::kLibrary || spans.level[row] == Level::kRuntime;
    if (!is_call && !is_range(spans, row)) continue;
    const Row parent = parents->of[row];
    if (parent != kNoRow && spans.kind[parent] != Kind::kOrtRun) continue;
    const auto found = threads.find(thread_of(row));
    if (found != threads.end()) found->second.children.push_back(row);
  }
  for (auto& [key, thread] : threads) {
    if (thread.children.empty()) continue;
    thread.tolerance_ns = kScopeToleranceNs;
    thread.across_threads = true;  // of two nodes in turn the one that holds more of the call
    find_containing(trace, std::move(thread), [&](Row call, Row node) {
      if (node != kNoRow && node != kAmbiguous) parents->of[call] = node;
    });
  }
}

/// Rings of calls that came as activity records (collector/writing/trace_fields.h).
constexpr uint32_t kFirstRecordedRing = 0x20000;
constexpr uint32_t kEndOfRecordedRings = 0x30000;

/// How far the times of CUPTI's clock may be off those of the guest's.
int64_t device_clock_tolerance(const Trace& trace, Row row) {
  constexpr uint64_t kMin = 1000;
  constexpr uint64_t kMax = 1'000'000;
  return static_cast<int64_t>(std::clamp(trace.processes[trace.process_of(row)].device_clock_error_ns, kMin, kMax));
}

/// What the rows of one thread need: the levels that are there, and the deepest that lacks a parent.
struct Thread {
  std::array<uint64_t, kLevelCount> spans = {};
  Level deepest_orphan = Level::kUnspecified;
  bool orphan_without_id = false;

  bool worthwhile() const {
    if (orphan_without_id) return true;
    for (size_t level = 1; level < static_cast<size_t>(deepest_orphan); ++level) {
      if (spans[level] != 0) return true;
    }
    return false;
  }
};

void link_threads(const Trace& trace, const ToldParents& told, Parents* parents) {
  const SpanTable& spans = trace.spans;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
  std::vector<uint32_t> thread_of_track;
  for (const Track& track : trace.tracks) {
    thread_of_track.push_back(
        numbers.try_emplace({track.process, track.thread}, static_cast<uint32_t>(numbers.size())).first->second);
  }
  std::vector<Thread> threads(numbers.size());
  std::vector<bool> executed(trace.executions.size() == 0 ? 0 : spans.size());
  for (const Row row : trace.executions.row) executed[row] = true;
  const auto is_orphan = [&](Row row) { return parents->of[row] == kNoRow && (executed.empty() || !executed[row]); };
  for (Row row = 0; row < spans.size(); ++row) {
    Thread& thread = threads[thread_of_track[spans.track[row]]];
    ++thread.spans[static_cast<size_t>(spans.level[row])];
    if (!is_orphan(row)) continue;
    thread.deepest_orphan = std::max(thread.deepest_orphan, spans.level[row]);
    thread.orphan_without_id |= spans.id[row] == 0 && spans.level[row] == Level::kModel;
  }
  std::vector<ContainmentSearch> searches(threads.size());
  std::vector<ContainmentSearch> of_recorded(threads.size());
  const auto is_recorded = [&](Row row) {
    const uint32_t ring = trace.tracks[spans.track[row]].ring;
    return ring >= kFirstRecordedRing && ring < kEndOfRecordedRings;
  };
  for (Row row = 0; row < spans.size(); ++row) {
    const uint32_t number = thread_of_track[spans.track[row]];
    const Thread& thread = threads[number];
    if (!thread.worthwhile()) continue;
    if (is_orphan(row)) (is_recorded(row) ? of_recorded : searches)[number].children.push_back(row);
    // Spans in a pushed range name it as their parent, and a started one holds nothing.
    if (is_range(spans, row)) continue;
    if (spans.level[row] < thread.deepest_orphan || spans.level[row] == Level::kModel) {
      searches[number].candidates.push_back(row);
    }
  }
  for (size_t i = 0; i < searches.size(); ++i) {
    if (!of_recorded[i].children.empty()) {
      of_recorded[i].candidates = searches[i].candidates;
      of_recorded[i].tolerance_ns = device_clock_tolerance(trace, of_recorded[i].children.front());
      of_recorded[i].by_middle = true;
      search(trace, std::move(of_recorded[i]), told, parents);
    }
    if (!searches[i].children.empty()) search(trace, std::move(searches[i]), told, parents);
  }
}

}  // namespace

Parents find_parents(const Trace& trace, const ToldParents& told) {
  Parents parents;
  parents.told_by = told.by;
  parents.why_not = told.why_not;
  parents.of.assign(trace.spans.size(), kNoRow);
  // What the recording says itself comes first and is never searched for: parents, launches of kernels, and the forward
  // call of backward work. The ids are needed for nothing else and take memory, hence the block.
  {
    const SpanIds ids(trace);
    link_explicit(trace, ids, &parents);
    link_executions(trace, ids, &parents);
    link_forwards(trace, ids, &parents);
  }
  // Nodes of ONNX Runtime come from its profile: by their session they find the run they lie in, on whatever thread.
  link_scopes(trace, told, &parents);
  // Only then nodes inside nodes (If, Loop), since both must be in one run.
  nest_nodes(trace, &parents.of);
  // Calls were recorded live with the run as their parent; now that nodes are placed, the calls move into them.
  link_calls_of_nodes(trace, &parents);
  // Whatever still has no parent is searched for by time on its thread.
  link_threads(trace, told, &parents);
  // If two candidates fit equally well, neither is the parent. Q1 counts these.
  std::replace(parents.of.begin(), parents.of.end(), kAmbiguous, kNoRow);
  return parents;
}

}  // namespace xsp::analysis
