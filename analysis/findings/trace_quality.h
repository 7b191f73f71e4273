#pragma once

#include <string>
#include <string_view>

#include "analysis/findings/evidence.h"
#include "analysis/findings/finding.h"
#include "analysis/tables/trace_quality.h"

namespace xsp::analysis {

/// The quantities of Q1.
class TraceQuality {
 public:
  explicit TraceQuality(const Evidence& evidence) : table_(evidence.table(kQ1)) {}

  bool is_there() const { return table_.rows() != 0; }

  /// 0 for what the table does not have.
  double value(std::string_view quantity, std::string_view level = "all") const;

 private:
  TableCells table_;
};

/// Whether the device's work that seems lost is what it had not reached when the recording ended.
bool is_host_ahead(const TraceQuality& quality);

/// About the row of a quantity.
Finding quality_finding(std::string id, std::string_view quantity, double value, double weight, std::string text,
                        std::string advice);

}  // namespace xsp::analysis
