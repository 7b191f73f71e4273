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

  /// Of these analyses, as JSON; nothing when there is no program, or it has nothing to say.
  std::optional<std::string> json(const std::string& analyses) const;

  /// Prints the tables of a sweep on stdout, with the kernels' where there are any, and writes those files that are
  /// named. Says on stderr what does not work; false then.
  bool print(const std::string& json_file, const std::string& csv_file) const;

 private:
  std::vector<std::string> command(const std::vector<std::string>& options) const;

  std::string program_;
  std::string folder_;
  std::vector<std::string> choices_;
};

/// A file for tables can be written: known before the first run.
Status check_export(const std::string& option, const std::string& path);

}  // namespace xsp::bench
