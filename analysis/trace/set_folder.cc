#include "analysis/trace/set_folder.h"

#include <filesystem>
#include <set>
#include <vector>

#include "analysis/trace/byte_source.h"
#include "analysis/trace/loader.h"
#include "analysis/trace/part_files.h"
#include "analysis/trace/set_index.h"

namespace xsp::analysis {
namespace {

/// A recording that was cut off keeps this behind its name.
constexpr const char* kPartial = ".partial";

bool is_file(const std::string& path) {
  std::error_code failure;
  return std::filesystem::is_regular_file(path, failure);
}

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
    // Why the set was stopped says it already.
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

/// A part may be finished, and named so, or removed, while the folder is read. Null without an error: it was removed.
std::unique_ptr<ByteSource> open_listed(const PartFile& file, Status* status) {
  auto source = open_file(file.path, status);
  if (source != nullptr || !file.part || is_file(file.path)) return source;
  *status = {};
  if (!file.path.ends_with(kPartial)) return nullptr;
  const std::string finished = file.path.substr(0, file.path.size() - std::string_view(kPartial).size());
  return is_file(finished) ? open_file(finished, status) : nullptr;
}

/// All traces of a folder; of a set whose index cannot be read also those that were cut off.
Status load_all(const std::string& folder, bool with_partial, OpenRecordings* recordings, Trace* trace) {
  std::string failure;
  const std::vector<PartFile> files = list_traces(folder, with_partial, &failure);
  if (!failure.empty()) return {"cannot read " + folder + " (" + failure + ")", ""};
  size_t removed = 0;
  for (const PartFile& file : files) {
    Status status;
    const auto source = open_listed(file, &status);
    removed += source == nullptr && status.ok() ? 1 : 0;
    if (source != nullptr) status = load_trace(*source, file.path, recordings, trace);
    if (!status.ok()) return status;
  }
  if (files.size() > removed) return {};
  return {folder + " holds no trace (no *.pb in it)", "record one with: xsp-run -- COMMAND"};
}

}  // namespace

Status load_folder(const std::string& folder, OpenRecordings* recordings, Trace* trace) {
  const std::string path = folder + "/set.json";
  if (!is_file(path)) return load_all(folder, false, recordings, trace);
  SetIndex index;
  const Status status = read_set_index(path, &index);
  if (status.ok()) return SetLoader(folder, std::move(index), trace).load();
  trace->sets.push_back({.folder = folder,
                         .id = "",
                         .stopped = "",
                         .problems = {"set.json is " + status.error + "; the traces are read without it"},
                         .out_of_memory = {}});
  return load_all(folder, true, recordings, trace);
}

}  // namespace xsp::analysis
