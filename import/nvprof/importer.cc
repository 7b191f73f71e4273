/// Reads what `nvprof --csv` prints with --print-gpu-trace, --print-api-trace, --metrics and --events, line by line. An
/// input may contain several such tables in a row (https://docs.nvidia.com/cuda/profiler-users-guide/, "GPU-Trace and
/// API-Trace Modes").

#include "import/frame/importer.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "import/nvprof/columns.h"
#include "import/nvprof/csv_lines.h"
#include "import/nvprof/tables.h"

namespace xsp {
namespace nvprof {
namespace {

constexpr int kSure = 100;
constexpr int kProbable = 60;

/// The number between the two rows of "=" that begin nvprof's own lines ("==2119== "), 0 if they are "======== ". False
/// for any other line.
bool is_message(std::string_view line, uint32_t* pid, std::string_view* message) {
  size_t at = line.find_first_not_of('=');
  if (at < 2 || at == std::string_view::npos) return false;
  *pid = 0;
  if (const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), *pid);
      error == std::errc()) {
    at = static_cast<size_t>(end - line.data());
    const size_t equals = std::min(line.find_first_not_of('=', at), line.size());
    if (equals - at < 2) return false;
    at = equals;
  }
  if (at >= line.size() || line[at] != ' ') return false;
  *message = line.substr(at + 1);
  return true;
}

bool is_header(const std::vector<std::string>& fields) {
  constexpr std::string_view kFirst[] = {"Start", "Duration", "Device", "Time(%)", "Type"};
  for (const std::string_view first : kFirst) {
    if (fields.front() == first) return fields.size() > 2;
  }
  return false;
}

int recognise(std::string_view head) {
  if (head.find("\"Start\",\"Duration\",") != std::string_view::npos) return kSure;
  if (head.find("NVPROF is profiling process") != std::string_view::npos) return kSure;
  const bool is_printed = head.find("== Profiling result:") != std::string_view::npos ||
                          head.find("\"Time(%)\",") != std::string_view::npos;
  if (is_printed || head.find("\"Device\",\"Context\",\"Stream\",") != std::string_view::npos) return kProbable;
  return head.find("Start;Duration;") != std::string_view::npos ? kProbable : 0;
}

class Reader {
 public:
  Reader(ProfileInput& input, ProfileTimeline* timeline)
      : input_(input), timeline_(*timeline), lines_(input), tables_(timeline) {}

  Status read() {
    while (lines_.next()) read_line();
    if (lines_.is_too_long()) refuse("line that is longer than any of nvprof's");
    if (!input_.error().ok()) {
      if (!tables_.has_times()) return input_.error();
      timeline_.note(input_.error().error);
    }
    if (!tables_.has_times()) return nothing();
    tables_.finish();
    timeline_.set_resolution(resolution_ns_);
    timeline_.know_launching_processes();
    for (const auto& [why, rows] : refused_) {
      timeline_.note(why + " (first: row " + std::to_string(rows.first) + ")", rows.count);
    }
    return Status();
  }

 private:
  struct Refused {
    uint64_t first = 0;
    uint64_t count = 0;
  };

  void read_line() {
    const std::string_view line = lines_.line();
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    std::string_view message;
    uint32_t pid = 0;
    if (is_message(line, &pid, &message)) {
      read_message(pid, message);
      return;
    }
    const bool is_whole = split_fields(line, &fields_);
    if (is_whole && is_header(fields_)) {
      begin_table();
      return;
    }
    if (!is_table_) {
      note_other(line);
      return;
    }
    if (!is_whole || fields_.size() != columns_.count()) {
      refuse(lines_.is_cut() ? "row that is cut off" : "row with another number of fields than the header");
      return;
    }
    const bool is_first = at_first_row_;
    at_first_row_ = false;
    if (is_first && columns_.is_units(fields_)) {
      read_units();
      return;
    }
    if (is_first && columns_.has_times()) {
      refuse("table without a row of units");
      is_table_ = false;
      return;
    }
    if (Status status = tables_.add(columns_, fields_); !status.ok()) refuse(status.error);
  }

  void read_message(uint32_t pid, std::string_view message) {
    constexpr std::string_view kProcess = "NVPROF is profiling process ";
    constexpr std::string_view kCommand = ", command: ";
    constexpr std::string_view kWarning = "Warning: ";
    pid_ = pid;
    if (message.starts_with(kProcess)) {
      const size_t command = message.find(kCommand);
      if (command == std::string_view::npos) return;
      const std::string_view program = message.substr(command + kCommand.size());
      tables_.set_program(pid, program.substr(0, program.find(' ')));
    } else if (message.starts_with(kWarning)) {
      timeline_.note("nvprof warns: " + std::string(message.substr(kWarning.size())));
    }
  }

  void begin_table() {
    is_table_ = false;
    if (Status status = Columns::from_header(fields_, &columns_); !status.ok()) {
      refuse("table that " + status.error);
      return;
    }
    is_table_ = true;
    at_first_row_ = true;
    tables_.begin_table(pid_);
  }

  void read_units() {
    if (Status status = columns_.set_units(fields_); !status.ok()) {
      refuse("table whose " + status.error);
      is_table_ = false;
      return;
    }
    resolution_ns_ = std::max(resolution_ns_, columns_.resolution_ns());
  }

  /// Outside tables there may be the program's own output; some of nvprof's messages explain why nothing else is there.
  void note_other(std::string_view line) {
    if (line.find("Start;Duration;") != std::string_view::npos) {
      refuse("table whose columns are separated by ';', not by ',' as nvprof does");
    } else if (line.find("Start  Duration") != std::string_view::npos ||
               line.find("Time(%)      Time") != std::string_view::npos) {
      refuse("table that is not in CSV (nvprof --print-gpu-trace --csv writes it)");
    } else if (line.starts_with("No kernels were profiled") || line.starts_with("No API activities were profiled")) {
      refuse("nvprof says: " + std::string(line));
    }
  }

  /// Records the message and where it first occurred; as a note, unless there is nothing else.
  void refuse(const std::string& why) {
    constexpr size_t kMaxReasons = 64;
    if (refused_.size() >= kMaxReasons && !refused_.contains(why)) return;
    Refused& rows = refused_[why];
    if (rows.count++ == 0) rows.first = lines_.number();
  }

  Status nothing() {
    if (!refused_.empty()) {
      const auto first = std::min_element(refused_.begin(), refused_.end(),
                                          [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
      return Status{"row " + std::to_string(first->second.first) + ": " + first->first};
    }
    if (tables_.has_counters()) {
      return Status{
          "counters, but no times of kernels: put it behind the output of a run with "
          "nvprof --print-gpu-trace --csv, in one file"};
    }
    return Status{"no row of nvprof's (" + std::to_string(lines_.number()) + " lines)"};
  }

  ProfileInput& input_;
  ProfileTimeline& timeline_;
  Lines lines_;
  Tables tables_;
  Columns columns_;
  std::vector<std::string> fields_;
  std::map<std::string, Refused> refused_;
  uint32_t pid_ = 0;
  bool is_table_ = false;
  bool at_first_row_ = false;
  int64_t resolution_ns_ = 1;
};

Status read(ProfileInput& input, ProfileTimeline* timeline) { return Reader(input, timeline).read(); }

}  // namespace
}  // namespace nvprof

const Importer kNvprofImporter = {
    "nvprof",
    "what nvprof --csv prints with --print-gpu-trace or --print-api-trace",
    nvprof::recognise,
    nvprof::read,
};

}  // namespace xsp
