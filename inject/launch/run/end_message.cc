#include "inject/launch/run/end_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "base/program_lookup.h"
#include "base/quantity_text.h"
#include "base/shell_words.h"
#include "base/text_encoding.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/unrecordable_program.h"
#include "inject/launch/run/unrecorded_message.h"

namespace xsp::launch {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kMaxLines = 15;
constexpr size_t kMaxNotices = 3;

std::string size_text(uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

uint64_t file_bytes(const std::string& path) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

std::string loss_text(const CollectorStatus::Loss& loss) {
  if (is_on_purpose(loss)) {
    return fmt::format("xsp: counters: {} kernels were not measured, because they may wait for other kernels or ranks",
                       loss.count);
  }
  static const std::map<std::string, const char*> kWords = {
      {"RING_FULL", "the buffer was full: --on-full block waits instead"},
      {"NO_RING", "more threads than can be recorded"},
      {"TOO_DEEP", "calls nested too deep"},
      {"STRINGS_FULL", "names left out: too many different ones"},
      {"CORRUPT", "damaged records refused"},
      {"DISK_FULL", "packets not written: the disk is full"},
      {"PROFILE_FILE", "a framework's own profile was lost or cut short"},
      {"ACTIVITY",
       "records of kernels and copies that CUPTI dropped or had no buffer for: --on-full block makes launches wait "
       "for buffers"},
      {"ZERO_TIME", "kernels and copies for which CUPTI gave no timestamps"},
      {"INVERTED", "kernels and copies that end before they begin, by CUPTI's times"},
      {"GRAPH_NODES", "nodes of CUDA graphs too many to keep: their kernels have a launch, but no layer"},
      {"COUNTERS", "kernels whose hardware counters CUPTI dropped, or that cannot be told apart"},
  };
  const auto found = kWords.find(loss.reason);
  return fmt::format("xsp: lost: {} ({})", loss.count, found != kWords.end() ? found->second : loss.reason);
}

void add_losses(const CollectorStatus& status, Lines* lines) {
  for (const CollectorStatus::Loss& loss : status.losses) lines->push_back(loss_text(loss));
  if (status.losses.empty() && status.dropped > 0) lines->push_back(fmt::format("xsp: lost: {} spans", status.dropped));
  if (status.killed > 0) {
    lines->push_back(
        fmt::format("xsp: {} of {} processes ended without a goodbye; their finished spans are in the trace",
                    status.killed, status.processes));
  }
}

void add_notices(const CollectorStatus& status, Lines* lines) {
  const size_t shown = std::min(status.notices.size(), kMaxNotices);
  for (size_t i = 0; i < shown; ++i) lines->push_back("xsp: note: " + status.notices[i]);
  if (shown < status.notices.size()) {
    lines->push_back(fmt::format("xsp: note: {} more in the report", status.notices.size() - shown));
  }
}

/// The size of a trace: of its file, or of all files in its folder.
uint64_t trace_bytes(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return file_bytes(path);
  uint64_t bytes = 0;
  for (auto entry = std::filesystem::directory_iterator(path, error); !error && entry != end(entry);
       entry.increment(error)) {
    bytes += file_bytes(entry->path());
  }
  return bytes;
}

/// What is said of a continuous recording: which parts there are, what is not in them, and what recording cost.
void add_continuous(const TraceOutcome& outcome, Lines* lines) {
  const CollectorStatus& status = outcome.status;
  std::string what = plural(status.parts, "part");
  if (status.removed_parts > 0) what += fmt::format(", {} older ones removed", status.removed_parts);
  lines->push_back(fmt::format("xsp: wrote {} ({}, {})", outcome.output, what, size_text(status.bytes)));
  if (status.not_stored > 0) {
    lines->push_back(
        fmt::format("xsp: {} spans stored, {} more counted by name only", status.spans, status.not_stored));
  }
  if (status.overhead >= 0) {
    lines->push_back(
        fmt::format("xsp: recording cost {:.2f} % of the CPU time, as measured in the program", status.overhead * 100));
  }
}

/// The path of the trace, or of its unfinished part; empty: there is neither.
std::string readable_trace(const TraceOutcome& outcome) {
  std::error_code error;
  for (const std::string& path : {outcome.output, outcome.output + ".partial"}) {
    if (trace_bytes(path) > 0) return path;
  }
  return {};
}

Lines broken_trace(const TraceOutcome& outcome, const std::string& report) {
  Lines lines;
  if (outcome.end == PrivateCollector::End::kDied) {
    lines.push_back(
        fmt::format("xsp: xsp-collector ended early ({}); the program was not affected", outcome.how_collector_died));
  } else {
    lines.push_back(fmt::format("xsp: the trace is not complete: {}", outcome.status.error));
  }
  if (outcome.is_streamed()) {
    lines.push_back(fmt::format("xsp: what was recorded until then went into {}", outcome.output));
    return lines;
  }
  const std::string left = readable_trace(outcome);
  if (left.empty()) {
    lines.push_back("xsp: nothing was written");
    return lines;
  }
  lines.push_back(fmt::format("xsp: what was recorded until then is in {} ({})", left, size_text(trace_bytes(left))));
  if (!report.empty()) {
    lines.push_back("Next:");
    lines.push_back(report_command(report, left));
  }
  return lines;
}

}  // namespace

void add_summary(const std::string& report, const std::string& trace, size_t room, Lines* lines) {
  const std::optional<std::string> text = captured_output({report, "--summary", trace}, true);
  if (!text) return;
  std::istringstream stream(*text);
  for (std::string line; room > 0 && std::getline(stream, line); --room) {
    if (line.empty()) continue;
    lines->push_back(line.starts_with("xsp:") || line.starts_with(" ") ? line : "xsp: " + line);
  }
}

std::string report_command(const std::string& report, const std::string& trace) {
  const bool on_path = !find_program("xsp-report").empty();
  return "  " + shell_command({on_path ? "xsp-report" : report, trace});
}

Lines end_message(const Options& options, const TraceOutcome& outcome, const std::string& report,
                  const std::string& threads) {
  if (outcome.end == PrivateCollector::End::kBackground) {
    return {fmt::format("xsp: not waiting; {} is being finished in the background", outcome.output)};
  }
  if (outcome.end == PrivateCollector::End::kDied || !outcome.status.error.empty())
    return broken_trace(outcome, report);
  if (options.quiet) return {};

  const bool has_spans = outcome.status.spans > 0;
  const bool is_readable = !report.empty() && !outcome.is_streamed();
  const bool has_summary = has_spans && is_readable && options.summary != Summary::kNone;
  Lines tail;
  // The trace has notices of them, which the summary shows.
  if (has_spans && !has_summary) tail = unrecorded_lines(outcome.status);
  if (!threads.empty()) tail.push_back(threads);
  add_losses(outcome.status, &tail);
  add_notices(outcome.status, &tail);
  if (outcome.status.parts > 0) {
    add_continuous(outcome, &tail);
  } else if (outcome.is_streamed()) {
    tail.push_back(fmt::format("xsp: wrote {} spans into {}", outcome.status.spans, outcome.output));
  } else {
    tail.push_back(fmt::format("xsp: wrote {} ({})", outcome.output, size_text(file_bytes(outcome.output))));
  }
  if (has_spans && is_readable) {
    tail.push_back("Next:");
    tail.push_back(report_command(report, outcome.output));
    tail.push_back(report_command(report, outcome.output) + " --html  # one page with everything drawn");
  }
  Lines lines;
  if (!has_spans) {
    lines = no_spans_lines(outcome, options.command.empty() ? std::nullopt : unrecordable_program(options.command[0]));
  } else if (has_summary) {
    add_summary(report, outcome.output, kMaxLines - std::min(tail.size(), kMaxLines), &lines);
  }
  lines.insert(lines.end(), tail.begin(), tail.end());
  return lines;
}

void print_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += terminal_text(line) + "\n";
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace xsp::launch
