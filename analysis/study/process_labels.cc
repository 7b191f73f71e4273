#include "analysis/study/process_labels.h"

#include <map>
#include <string_view>

#include "analysis/study/merged_runs.h"

namespace xsp::analysis {
namespace {

/// Processes that a reader could not tell apart, as separate recordings of one program on machines that count alike.
bool looks_like_another(const Trace& trace, uint32_t process) {
  const Process& p = trace.processes[process];
  const std::string* rank = p.variable("RANK");
  for (uint32_t i = 0; i < trace.processes.size(); ++i) {
    const Process& other = trace.processes[i];
    if (i == process || !other.said_hello || other.pid != p.pid || trace.segments[other.segment].counted) continue;
    const std::string* its_rank = other.variable("RANK");
    if ((rank == nullptr) == (its_rank == nullptr) && (rank == nullptr || *rank == *its_rank)) return true;
  }
  return false;
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// The profile that a segment was imported from, else the trace's file; with the segment where that is not enough.
std::string file_label(const Trace& trace, uint32_t segment) {
  const auto name = [&](uint32_t number) {
    const Segment& of = trace.segments[number];
    return of.source_files.empty() ? std::string_view(trace.files[of.file].path) : std::string_view(of.source_files[0]);
  };
  const std::string_view base = base_name(name(segment));
  std::string label(base);
  for (uint32_t i = 0; i < trace.segments.size(); ++i) {
    if (i == segment || base_name(name(i)) != base) continue;
    if (name(i) != name(segment)) return std::string(name(segment));
    label = std::string(base).append(", part ").append(std::to_string(segment + 1));
  }
  return label;
}

bool has_several_sets(const Trace& trace) {
  const std::string* first = nullptr;
  for (const Segment& segment : trace.segments) {
    if (!segment.run) continue;
    if (first != nullptr && *first != segment.run->set) return true;
    first = &segment.run->set;
  }
  return false;
}

/// The folder of a set, as far as it tells sets apart, else its id.
std::string set_label(const Trace& trace, const std::string& id) {
  std::map<std::string, std::string> folders;  // by id
  for (const RunSet& set : trace.sets) folders.emplace(set.id, set.folder);
  for (const Segment& segment : trace.segments) {
    const std::string& path = trace.files[segment.file].path;
    const size_t end = path.find_last_of('/');
    if (segment.run && end != std::string::npos) folders.emplace(segment.run->set, path.substr(0, end));
  }
  const auto found = folders.find(id);
  if (found == folders.end()) return "set " + id;
  std::string folder = found->second;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  std::string base(base_name(folder));
  for (const auto& [other, its_folder] : folders) {
    if (other == id) continue;
    if (its_folder == found->second) return "set " + id;
    if (base_name(its_folder) == base) return folder;
  }
  return base;
}

}  // namespace

std::string process_label(const Trace& trace, uint32_t process) {
  const Process& p = trace.processes[process];
  const std::string pid = "pid " + std::to_string(p.pid);
  const std::string* rank = p.variable("RANK");
  const std::string file = looks_like_another(trace, process) ? file_label(trace, p.segment) : "";
  if (rank == nullptr) return file.empty() ? pid : pid + " (" + file + ")";
  return "rank " + *rank + " (" + pid + (file.empty() ? "" : ", " + file) + ")";
}

std::string process_label(const Trace& trace, const EvaluationGroup& group) {
  const ExperimentRun* run = run_of(trace, group);
  if (run == nullptr) return process_label(trace, group.process);
  const Process& process = trace.processes[group.process];
  std::string more;
  const auto add = [&](const std::string& part) { more += (more.empty() ? "" : ", ") + part; };
  const std::string* rank = process.variable("RANK");
  const std::string pid = "pid " + std::to_string(process.pid);
  if (rank != nullptr) add(pid);
  if (group.runs.size() > 1) add(std::to_string(group.runs.size()) + " runs");
  if (has_several_sets(trace)) add(set_label(trace, run->set));
  const std::string first = rank == nullptr ? pid : "rank " + *rank;
  return more.empty() ? first : first + " (" + more + ")";
}

}  // namespace xsp::analysis
