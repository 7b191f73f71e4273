#include "analysis/trace/set_folder.h"

#include <filesystem>
#include <set>
#include <vector>

#include "analysis/trace/byte_source.h"
#include "analysis/trace/loader.h"
#include "analysis/trace/part_files.h"
#include "analysis/trace/set_index.h"
#include "base/shell_words.h"

namespace xsp::analysis {
namespace {

Status load_file(const std::string& path, Trace* trace) {
  Status status;
  const auto source = open_file(path, &status);
  return source == nullptr ? status : load_trace(*source, path, trace);
}

std::string run_label(const IndexedRun& run) {
  return "run " + std::to_string(run.index) + (run.point.empty() ? "" : " (" + run.point + ")");
}

/// Reads the runs of one set.
class SetLoader {
 public:
  SetLoader(const std::string& folder, SetIndex index, Trace* trace)
      : folder_(folder), index_(std::move(index)), trace_(*trace) {}

  Status load() {
    set_.folder = folder_;
    set_.id = index_.id;
    set_.stopped = index_.stopped;
    set_.problems = std::move(index_.problems);
    for (const IndexedRun& run : index_.runs) {
      if (run.is_dropped()) continue;
      ++set_.planned;
      if (run.was_made()) set_.last = run.index;
      set_.done += run.is_done() ? 1 : 0;
    }
    for (const IndexedRun& run : index_.runs) {
      if (!run.is_dropped()) take(run);
    }
    if (loaded_ == 0) return nothing();
    trace_.sets.push_back(std::move(set_));
    return {};
  }

 private:
  void take(const IndexedRun& run) {
    const bool loaded = load_run(run);
    if (loaded) ++loaded_;
    if (run.is_out_of_memory()) {
      set_.out_of_memory.push_back(run.point.empty() ? "run " + std::to_string(run.index) : run.point);
      return;
    }
    set_.missing += loaded ? 0 : 1;
    // Already told as the reason why the set was stopped.
    if (run.state != "failed" || (!set_.stopped.empty() && run.index == set_.last)) return;
    problem(run, "failed" + (run.ending.empty() ? "" : " (" + run.ending + ")") +
                     (loaded ? "; what it recorded is used" : " and left no trace"));
  }

  bool load_run(const IndexedRun& run) {
    if (run.trace.empty()) {
      if (run.is_done()) problem(run, "has no trace");
      return false;
    }
    std::string path = folder_ + "/" + run.trace;
    if (!is_file(path)) path += kPartial;
    if (!is_file(path)) {
      if (run.is_done()) problem(run, run.trace + " is not there");
      return false;
    }
    if (!taken_.insert(path).second) {
      problem(run, run.trace + " is that of another run");
      return false;
    }
    const size_t first = trace_.segments.size();
    if (const Status status = load_file(path, &trace_); !status.ok()) {
      problem(run, status.error);
      if (error_.ok()) error_ = status;
      return false;
    }
    mark(run, first);
    return true;
  }

  void mark(const IndexedRun& run, size_t first) {
    for (size_t i = first; i < trace_.segments.size(); ++i) {
      auto& described = trace_.segments[i].run;
      if (!described || described->set != index_.id || described->index != run.index) {
        problem(run, run.trace + " is of something else");
        return;
      }
      described->failed = !run.is_done();
    }
  }

  void problem(const IndexedRun& run, const std::string& what) {
    set_.problems.push_back(run_label(run) + ": " + what);
  }

  Status nothing() const {
    if (!error_.ok()) return error_;
    const std::string why = !set_.stopped.empty() ? set_.stopped : !set_.problems.empty() ? set_.problems.front() : "";
    return {folder_ + " holds no trace of its set" + (why.empty() ? "" : " (" + why + ")"),
            "the logs in the folder say what the runs printed"};
  }

  const std::string& folder_;
  SetIndex index_;
  Trace& trace_;
  RunSet set_;
  size_t loaded_ = 0;
  std::set<std::string> taken_;
  Status error_;
};

}  // namespace

Status list_folder(const std::string& folder, std::vector<PartFile>* files, Trace* trace) {
  const std::string path = folder + "/" + set_index::kFileName;
  const bool is_set = is_file(path);
  if (is_set) {
    SetIndex index;
    const Status status = read_set_index(path, &index);
    if (status.ok()) {
      files->push_back({.path = folder, .part = {}});
      return {};
    }
    trace->sets.push_back({.folder = folder,
                           .id = "",
                           .stopped = "",
                           .problems = {"set.json is " + status.error + "; the traces are read without it"},
                           .out_of_memory = {}});
  }
  std::string failure;
  std::vector<PartFile> listed = list_traces(folder, is_set, &failure);
  if (!failure.empty())
    return {"cannot read " + folder + " (" + failure + ")",
            "check its permissions: " + shell_command({"ls", "-ld", folder})};
  if (listed.empty())
    return {folder + " holds no trace (no *.pb in it)",
            "record one into it: " + shell_command({"xsp-run", "-o", folder + "/run.pb", "--", "COMMAND"})};
  for (PartFile& file : listed) files->push_back(std::move(file));
  return {};
}

Status load_set(const std::string& folder, Trace* trace) {
  SetIndex index;
  if (Status status = read_set_index(folder + "/" + set_index::kFileName, &index); !status.ok()) {
    return {folder + "/" + set_index::kFileName + " is " + status.error, "it was changed while it was read"};
  }
  return SetLoader(folder, std::move(index), trace).load();
}

}  // namespace xsp::analysis
