#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace xsp::nvprof {

/// The content of a column, by nvprof's name for it.
enum class Field : uint8_t {
  kStart,
  kDuration,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kSize,
  kDevice,
  kContext,
  kStream,
  kName,
  kCorrelation,
  kIgnored,
  kMetric,
};
inline constexpr size_t kFields = static_cast<size_t>(Field::kMetric) + 1;

/// The columns of one table: a header, usually followed by a row of units.
class Columns {
 public:
  struct Metric {
    size_t column;
    std::string name;
    double factor = 1;
  };

  /// Not ok, with the reason, if it is not a table of individual calls and kernels.
  static Status from_header(const std::vector<std::string>& header, Columns* columns);
  /// Whether a row is the one with the units. It has no name.
  bool is_units(const std::vector<std::string>& row) const;
  Status set_units(const std::vector<std::string>& row);

  size_t count() const { return count_; }
  bool has(Field field) const { return at_[static_cast<size_t>(field)] != kNone; }
  bool has_times() const { return has(Field::kStart) && has(Field::kDuration); }
  /// The metrics and events that nvprof counted for each kernel.
  const std::vector<Metric>& metrics() const { return metrics_; }
  /// Resolution of the times: they are printed with six decimals.
  int64_t resolution_ns() const { return resolution_ns_; }

  /// Empty for a missing column.
  std::string_view text(const std::vector<std::string>& row, Field field) const;
  /// A whole number, 0 or larger.
  std::optional<uint32_t> number(const std::vector<std::string>& row, Field field) const;
  /// In ns and bytes.
  std::optional<double> quantity(const std::vector<std::string>& row, Field field) const;
  /// For "12", "0.5", "37.5%" (37.5), "1.5GB/s" (1.5e9) and "Low (2)" (2).
  static std::optional<double> value(const std::vector<std::string>& row, const Metric& metric);

 private:
  static constexpr size_t kNone = SIZE_MAX;

  size_t count_ = 0;
  size_t at_[kFields];
  double factor_[kFields];
  std::vector<Metric> metrics_;
  int64_t resolution_ns_ = 1;
};

}  // namespace xsp::nvprof
