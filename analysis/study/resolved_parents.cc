#include "analysis/study/resolved_parents.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/run_processes.h"
#include "analysis/trace/untimed_segments.h"

namespace xsp::analysis {
namespace {

/// What is alike: level, name, type.
using Like = std::tuple<Level, uint32_t, uint32_t>;

Like like(const SpanTable& spans, Row row) { return {spans.level[row], spans.name[row], spans.type[row]}; }

/// Why spans stay in doubt.
struct Unresolved {
  uint64_t differing = 0;  // in number
  std::string example;
  uint64_t contradicted = 0;
  uint64_t doubtful_there = 0;
  uint64_t without_process = 0;

  std::string text() const {
    std::string why;
    const auto add = [&](uint64_t count, const std::string& reason) {
      if (count != 0) why += fmt::format("{}{} {}", why.empty() ? "" : ", ", count, reason);
    };
    add(differing, "whose number differs in the serialised run (" + example + ")");
    add(contradicted, "whose order there contradicts known parents");
    add(doubtful_there, "uncertain there as well");
    add(without_process, "of a process that is not in it");
    return why;
  }
};

/// A process of a run, and the same one of the serialised run.
struct Pair {
  uint32_t here = 0;
  uint32_t there = 0;
};

using Point = std::pair<std::string, std::vector<std::pair<std::string, std::string>>>;

/// By set and point the serialised segment, one that did not fail first.
std::map<Point, uint32_t> serialised_segments(const Trace& trace) {
  std::map<Point, uint32_t> found;
  for (uint32_t i = 0; i < trace.segments.size(); ++i) {
    const Segment& segment = trace.segments[i];
    if (!is_serialised(segment)) continue;
    const auto [at, added] = found.try_emplace({segment.run->set, segment.run->parameters}, i);
    if (!added && trace.segments[at->second].run->failed && !segment.run->failed) at->second = i;
  }
  return found;
}

std::map<ProcessRole, uint32_t> processes_by_role(const Trace& trace, const std::vector<uint32_t>& processes) {
  std::map<ProcessRole, uint32_t> by_role;
  for (const auto& [process, role] : roles_of(trace, processes)) by_role.emplace(role, process);
  return by_role;
}

class Resolution {
 public:
  Resolution(const Trace& trace, const Parents& parents)
      : trace_(trace),
        spans_(trace.spans),
        parents_(parents),
        evaluations_(find_evaluations(trace, parents)),
        is_doubtful_(trace.spans.size()),
        evaluation_of_(trace.spans.size(), kNoEvaluation) {
    for (const Row row : parents.doubtful) is_doubtful_[row] = true;
    for (uint32_t i = 0; i < evaluations_.root.size(); ++i) {
      for (size_t at = evaluations_.first_layer[i]; at < evaluations_.first_layer[i + 1]; ++at) {
        evaluation_of_[evaluations_.layers[at]] = i;
      }
    }
  }

  ToldParents run() {
    const std::vector<Pair> pairs = find_pairs();
    sort_by_likeness(pairs);
    for (const Pair& pair : pairs) {
      for (const Like& kind : doubts_[pair.here]) resolve(pair, kind);
    }
    for (const uint32_t index : tellers_) {
      told_.by += (told_.by.empty() ? (tellers_.size() == 1 ? "run " : "runs ") : ", ") + std::to_string(index);
    }
    told_.why_not = unresolved_.text();
    return std::move(told_);
  }

 private:
  /// The processes with doubts whose run has a serialised one beside it.
  std::vector<Pair> find_pairs() {
    for (const Row row : parents_.doubtful) doubts_[trace_.process_of(row)].insert(like(spans_, row));
    std::vector<std::vector<uint32_t>> processes(trace_.segments.size());
    for (uint32_t i = 0; i < trace_.processes.size(); ++i) processes[trace_.processes[i].segment].push_back(i);
    std::set<uint32_t> in_doubt;
    for (const auto& [process, kinds] : doubts_) in_doubt.insert(trace_.processes[process].segment);
    const auto serialised = serialised_segments(trace_);
    std::vector<Pair> pairs;
    for (const uint32_t number : in_doubt) {
      const Segment& segment = trace_.segments[number];
      if (!segment.run || is_serialised(segment)) continue;
      const auto teller = serialised.find({segment.run->set, segment.run->parameters});
      if (teller == serialised.end()) continue;
      tellers_.insert(trace_.segments[teller->second].run->index);
      const auto there = processes_by_role(trace_, processes[teller->second]);
      for (const auto& [role, process] : processes_by_role(trace_, processes[number])) {
        const auto found = there.find(role);
        if (!doubts_.contains(process)) continue;
        if (found != there.end()) {
          pairs.push_back({process, found->second});
        } else {
          unresolved_.without_process += doubts_of(process);
        }
      }
    }
    return pairs;
  }

  uint64_t doubts_of(uint32_t process) const {
    return static_cast<uint64_t>(std::count_if(parents_.doubtful.begin(), parents_.doubtful.end(),
                                               [&](Row row) { return trace_.process_of(row) == process; }));
  }

  /// Of each process of a pair its spans by likeness, in order of begin.
  void sort_by_likeness(const std::vector<Pair>& pairs) {
    std::vector<bool> wanted(trace_.processes.size());
    for (const Pair& pair : pairs) wanted[pair.here] = wanted[pair.there] = true;
    for (Row row = 0; row < spans_.size(); ++row) {
      const uint32_t process = trace_.process_of(row);
      if (wanted[process]) alike_[{process, like(spans_, row)}].push_back(row);
    }
    place_.resize(spans_.size());
    for (auto& [key, rows] : alike_) {
      std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) { return spans_.begin[a] < spans_.begin[b]; });
      for (uint32_t i = 0; i < rows.size(); ++i) place_[rows[i]] = i;
    }
  }

  /// The span of a process in the place of that of another one; kNoRow where there is none for certain.
  Row same_place(Row row, uint32_t process) const {
    const Like kind = like(spans_, row);
    if (evaluation_of_[row] != kNoEvaluation) {
      const Row root = same_place(evaluations_.root[evaluation_of_[row]], process);
      if (root == kNoRow || evaluations_.number[root] >= evaluations_.root.size()) return kNoRow;
      const uint32_t evaluation = evaluations_.number[root];
      if (evaluations_.root[evaluation] != root) return kNoRow;
      const size_t ordinal = evaluations_.number[row] - evaluations_.first_layer[evaluation_of_[row]];
      if (ordinal >= evaluations_.layer_count(evaluation)) return kNoRow;
      const Row layer = evaluations_.layer(evaluation, ordinal);
      return like(spans_, layer) == kind ? layer : kNoRow;
    }
    const auto here = alike_.find({process, kind});
    const auto there = alike_.find({trace_.process_of(row), kind});
    if (here == alike_.end() || there == alike_.end() || here->second.size() != there->second.size()) return kNoRow;
    return here->second[place_[row]];
  }

  /// What a span of the serialised run lies in, as spans of the other process; the innermost first.
  std::vector<Row> around(Row there, uint32_t process) const {
    std::vector<Row> rows;
    Row row = parents_.of[there];
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (const Row here = same_place(row, process); here != kNoRow) rows.push_back(here);
    }
    return rows;
  }

  bool contradicts(Row here, const std::vector<Row>& told) const {
    if (is_doubtful_[here] || told.empty() || parents_.of[here] == kNoRow) return false;
    Row row = parents_.of[here];
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (row == told.front()) return false;
    }
    return true;
  }

  void resolve(const Pair& pair, const Like& kind) {
    const std::vector<Row>& here = alike_[{pair.here, kind}];
    const std::vector<Row>& there = alike_[{pair.there, kind}];
    const auto doubts =
        static_cast<uint64_t>(std::count_if(here.begin(), here.end(), [&](Row row) { return is_doubtful_[row]; }));
    if (here.size() != there.size()) {
      if (unresolved_.differing == 0) {
        unresolved_.example =
            fmt::format("{}: {} there, {} here", trace_.text(std::get<1>(kind)), there.size(), here.size());
      }
      unresolved_.differing += doubts;
      return;
    }
    std::vector<std::vector<Row>> told;
    for (size_t i = 0; i < here.size(); ++i) {
      told.push_back(around(there[i], pair.here));
      if (contradicts(here[i], told.back())) {
        unresolved_.contradicted += doubts;
        return;
      }
    }
    for (size_t i = 0; i < here.size(); ++i) {
      if (!is_doubtful_[here[i]]) continue;
      if (is_doubtful_[there[i]]) ++unresolved_.doubtful_there;
      if (!told[i].empty()) told_.of.emplace(here[i], std::move(told[i]));
    }
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations evaluations_;
  std::vector<bool> is_doubtful_;
  std::vector<uint32_t> evaluation_of_;        // by row, of layers
  std::map<uint32_t, std::set<Like>> doubts_;  // by process
  std::map<std::pair<uint32_t, Like>, std::vector<Row>> alike_;
  std::vector<uint32_t> place_;  // by row, in alike_
  std::set<uint32_t> tellers_;   // index of runs
  ToldParents told_;
  Unresolved unresolved_;
};

}  // namespace

ToldParents told_by_serialised_runs(const Trace& trace, const Parents& parents) {
  if (parents.doubtful.empty()) return {};
  return Resolution(trace, parents).run();
}

Parents find_resolved_parents(Trace* trace) {
  Parents parents = find_parents(*trace);
  if (std::none_of(trace->segments.begin(), trace->segments.end(), is_serialised)) return parents;
  ToldParents told = told_by_serialised_runs(*trace, parents);
  const std::vector<Row> new_row = leave_out_spans(is_serialised, trace);
  if (new_row.empty()) return parents;
  ToldParents renumbered{.of = {}, .by = std::move(told.by), .why_not = std::move(told.why_not)};
  for (auto& [row, around] : told.of) {
    for (Row& parent : around) parent = new_row[parent];
    renumbered.of.emplace(new_row[row], std::move(around));
  }
  return find_parents(*trace, renumbered);
}

}  // namespace xsp::analysis
