#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace xsp::launch {

enum class Summary { kAuto, kNone, kFull };

/// What is done about the number of threads of models.
enum class Concurrency : uint8_t { kNone, kMeasure, kApply };

/// The command line of xsp-run. Options end at the first argument that is not an option, or at `--`: whatever follows
/// belongs to the command, so that `xsp-run python infer.py -o x` never takes the program's `-o`.
struct Options {
  std::string output;             ///< as given, with placeholders; empty: the default name
  bool force = false;             ///< replace an existing output
  bool quiet = false;             ///< errors only
  std::string level;              ///< model, layer, library, kernel; empty: all that can be had
  std::string library_calls;      ///< compute or all; empty: the guest's default
  std::string cuda_api;           ///< list of groups and functions; empty: the guest's default
  std::string activities;         ///< list of kinds; empty: the guest's default
  std::string metrics;            ///< hardware counters of every kernel, by a second run; empty: none
  bool metrics_only = false;      ///< without the first run
  std::string metrics_leave_out;  ///< parts of names of kernels that are not counted, separated by commas
  std::string range;              ///< record while it is open; empty: always
  uint64_t delay_ns = 0;
  uint64_t duration_ns = 0;    ///< 0: to the end
  uint64_t time_limit_ns = 0;  ///< no run of a set is begun after it; 0: none
  std::string input;           ///< standard input of each run of a set; empty: none
  std::string prepare;         ///< shell command before each run of a set; empty: none
  uint32_t runs = 1;           ///< of each level set
  uint32_t warm_ups = 0;       ///< runs before them that are not recorded
  bool leveled = false;        ///< a run for each level set
  bool resolve = false;        ///< a serialised run after them
  bool serialize = false;      ///< one kernel and one thread at a time
  bool continuous = false;     ///< for days, into a folder of bounded size
  std::string max_size;        ///< of the trace or folder, as given; empty: any, or the collector's default
  std::string max_rate;        ///< bytes a second, as given; empty: any
  std::string rotate;          ///< age of a part, as given; empty: the collector's default
  std::string sample;          ///< as the guest reads it: 1/N, NS/NS or auto; empty: all
  std::string max_overhead;    ///< percent; empty: the guest's default
  Concurrency concurrency = Concurrency::kNone;
  std::string advice_set;     ///< trace or folder whose advice is applied; empty: measured first
  bool validate = false;      ///< every number of threads is measured, also beyond the best
  uint32_t interval = 0;      ///< between numbers of threads; 0: by the number of cores
  uint32_t usable_cores = 0;  ///< of the command, for --concurrency; not the user's word
  /// Variables that are set for the command beside all others: a sweep's. Not the user's word.
  std::vector<std::pair<std::string, std::string>> variables;
  bool no_children = false;
  bool audit = false;   ///< audit the loader, too
  std::string on_full;  ///< drop or block; empty: the guest's default
  Summary summary = Summary::kAuto;
  std::string log_level;  ///< empty: info with a log_file, else nothing is logged
  std::string log_file;   ///< empty: standard error
  bool strict = false;
  std::string otlp;              ///< where the trace is sent when it is written; empty: nowhere
  std::string collector_socket;  ///< of a running xsp-collector; empty: a private one
  bool check = false;
  bool help = false;
  bool version = false;
  std::vector<std::string> command;

  /// Several runs, into a folder of traces.
  bool is_set() const { return leveled || runs > 1 || resolve; }
};

Status parse_options(int argc, char** argv, Options* options);

/// One screen, examples first.
std::string help_text();

}  // namespace xsp::launch
