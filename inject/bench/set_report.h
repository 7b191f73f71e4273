#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace xsp::bench {

/// What xsp-report says of a set of traces.
class SetReport {
 public:
  /// `program`: path of xsp-report, may be empty. `choices`: its options for every report.
  SetReport(std::string program, std::string folder, std::vector<std::string> choices);

  /// The report of these analyses as JSON; nothing when there is no program or it prints nothing.
  std::optional<std::string> json(const std::string& analyses) const;

  /// Prints the tables of a sweep on stdout, including those of kernels if there are any, and writes the files that are
  /// named. Reports failures on stderr and returns false.
  bool print(const std::string& json_file, const std::string& csv_file) const;

  /// The same of a sweep over numbers of threads: the curve of the model and the advice. The files have the curves of
  /// the layers, too.
  bool print_threads(const std::string& json_file, const std::string& csv_file) const;

 private:
  bool is_here() const;
  bool write_files(const std::string& analyses, const std::string& json_file, const std::string& csv_file) const;
  std::vector<std::string> command(const std::vector<std::string>& options) const;

  std::string program_;
  std::string folder_;
  std::vector<std::string> choices_;
};

/// Checks before the first run that a file for tables can be written.
Status check_export(const std::string& option, const std::string& path);

}  // namespace xsp::bench
