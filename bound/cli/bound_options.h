#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cli/options.h"
#include "base/status.h"
#include "bound/shapes/shape_inference.h"
#include "bound/tables/bound_analyses.h"

namespace xsp::bound {

/// The command line of xsp-bound, checked.
struct BoundOptions {
  std::vector<std::string> models;

  // What to show.
  std::vector<const BoundAnalysis*> analyses;
  bool all_analyses = true;  // none was named
  analysis::Format format = analysis::Format::kText;
  std::string output;  // empty: standard output
  std::optional<size_t> top;
  bool open = false;
  bool plain = false;
  analysis::Color color = analysis::Color::kAuto;
  bool verbose = false;
  std::string dot;  // --dot; empty: none

  // What is bound.
  ShapeBindings shapes;
  std::vector<std::string> dtypes;  // --dtype: rows of B7
  std::string trace;                // --trace; empty: none
  std::string trace_model;          // --trace-model; empty: the one that took most time
  std::string times;                // --times; empty: the database

  // What is measured, and with what.
  bool run = true;       // not --no-run
  bool refresh = false;  // measure again
  std::optional<double> time_limit_s;
  double budget_ms = 100;
  std::optional<int> threads;
  std::vector<std::string> backends;                          // empty: all
  std::vector<std::pair<std::string, std::string>> versions;  // --library NAME=VERSION
  bool exact = false;
  std::string work_list;  // --run FILE; empty: the models' problems
  std::string generate;   // --generate FILE; empty: measure here

  // Which database.
  std::string database;
  std::string system;  // --system NAME; empty: this one
  bool list_systems = false;
  std::vector<std::string> merges;
  std::string export_csv;

  bool strict = false;
  bool quiet = false;
  std::string log_level;
  std::string log_file;

  /// Whether there is anything to report, not only a database or a list to look after.
  bool wants_report() const { return (!models.empty() || !trace.empty()) && generate.empty(); }
  bool wants_overview() const { return format == analysis::Format::kText && all_analyses; }
};

enum class BoundRequest { kRun, kPrint, kUsageError };

/// Reads the command line. kPrint: `text` is the help or version to print. kUsageError: `status` says what.
BoundRequest read_bound_options(int argc, char** argv, BoundOptions* options, std::string* text, Status* status);

/// The text of --help, examples first; the man page and the completions are generated from it. At most 100 columns.
std::string bound_help();

}  // namespace xsp::bound
