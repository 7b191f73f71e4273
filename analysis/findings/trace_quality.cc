#include "analysis/findings/trace_quality.h"

#include <utility>

#include "analysis/tables/trace_quality.h"

namespace xsp::analysis {

double TraceQuality::value(std::string_view quantity, std::string_view level) const {
  for (size_t row = 0; row < table_.rows(); ++row) {
    if (table_.text(row, kQ1.quantity) != quantity || table_.text(row, kQ1.level) != level) continue;
    return table_.number(row, kQ1.value).value_or(0);
  }
  return 0;
}

bool is_host_ahead(const TraceQuality& quality) {
  constexpr double kNearlyAll = 0.98;
  const double ahead = quality.value("launched_ahead");
  return ahead > 0 && ahead >= kNearlyAll * quality.value("unmatched_launch");
}

Finding quality_finding(std::string id, std::string_view quantity, double value, double weight, std::string text,
                        std::string advice) {
  return {.id = std::move(id),
          .text = std::move(text),
          .advice = std::move(advice),
          .value = value,
          .unit = "",
          .table = std::string(kQ1.id),
          .column = std::string(kQ1.quantity.name),
          .key = std::string(quantity),
          .weight = weight};
}

}  // namespace xsp::analysis
