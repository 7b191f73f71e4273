#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inject/bench/decimal.h"
#include "inject/bench/inputs_per_evaluation.h"
#include "inject/bench/sweep_parameter.h"
#include "inject/launch/options/options.h"

namespace xsp::bench {

/// The command line of xsp-bench, checked: hyperfine's words for the sweep, xsp-run's for what is recorded. Options end
/// as those of xsp-run do.
struct Options {
  launch::Options recording;  ///< its command has the parameters in braces
  bool leveled = false;       ///< every level set, not only those that the tables need
  std::vector<SweepParameter> parameters;
  InputsPerEvaluation inputs;
  uint32_t runs = 1;
  uint32_t warm_ups = 0;
  bool automatic = false;       ///< doubling the one parameter from its first value
  std::optional<Decimal> most;  ///< --max: no value above it
  bool threads = false;         ///< the number of threads instead of a parameter
  bool inter = false;           ///< operators side by side, instead of threads within one
  bool validate = false;        ///< every number of threads, also beyond the best
  uint32_t interval = 0;        ///< between numbers of threads; 0: by the number of cores
  std::string prepare;          ///< shell command before each run
  std::string input_file;
  bool show_output = false;
  bool ignore_failure = false;
  std::string optimal;    ///< as of xsp-report; empty: its default
  std::string statistic;  ///< likewise
  std::string json;       ///< files for the tables
  std::string csv;
  bool help = false;
  bool version = false;
};

Status parse_options(int argc, char** argv, Options* options);

/// One screen, examples first.
std::string help_text();

}  // namespace xsp::bench
