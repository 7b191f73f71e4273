#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/condition.h"
#include "analysis/export/exporter.h"
#include "analysis/study/study.h"
#include "analysis/tables/registry.h"
#include "analysis/timeline/span_roles.h"

namespace xsp::analysis {

enum class Format { kText, kJson, kCsv, kHtml };
enum class Color { kAuto, kAlways, kNever };

/// One --export.
struct ExportRequest {
  const Exporter* exporter = nullptr;
  std::string path;  // "-": standard output
};

/// The command line of xsp-report, checked.
struct Options {
  std::vector<std::string> traces;
  std::vector<const TableDefinition*> analyses;
  bool all_analyses = true;    // no analysis was named; with --diff: all that can be compared
  bool every_analysis = true;  // the same, or "all" was named: leaves out tables that the input has too little for
  Format format = Format::kText;
  std::string output;  // empty: standard output
  std::optional<size_t> top;
  SpanRoleOptions roles;
  StudyOptions study;
  std::string bounds;   // --bounds: what xsp-bound wrote; empty: none
  std::string graph;    // --graph: an ONNX model; empty: none
  std::string curves;   // --curves: latencies by number of threads; empty: none
  int64_t last_ns = 0;  // of recordings in parts: only parts that reach into this time before the end; 0: all
  bool diff = false;    // the first of `traces` is BASE, the others are NEW
  std::vector<Condition> fail_if;
  std::vector<ExportRequest> exports;
  std::string otlp;                 // --otlp URL; empty: not sent
  std::optional<Level> otlp_level;  // nothing: as deep as receivers can show
  bool open = false;                // show the page when it is written
  bool redact = false;              // remove what tells whose trace it is
  bool plain = false;               // ASCII
  Color color = Color::kAuto;
  bool summary = false;
  bool strict = false;
  bool quiet = false;
  bool verbose = false;
  std::string log_level;  // empty: info with a log_file, else nothing is logged
  std::string log_file;   // empty: standard error
};

/// What the command line asks for.
enum class Request { kReport, kPrint, kUsageError };

/// Whether text, JSON or CSV is asked for: a page contains it already, and an export alone prints nothing.
bool wants_text(const Options& options);

/// Whether that is the overview: text, with no table named.
bool wants_overview(const Options& options);

/// Every option that the command line takes, long names with "--" and short ones with "-": --help has them all.
std::vector<std::string> option_names();

/// Reads the command line. kPrint: `text` is the help or version to print. kUsageError: `status` says what.
Request parse_options(int argc, char** argv, Options* options, std::string* text, Status* status);

}  // namespace xsp::analysis
