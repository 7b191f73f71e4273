#include "analysis/findings/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/study/step_study.h"
#include "analysis/tables/kernels_by_model.h"
#include "analysis/tables/kernels_by_name.h"
#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "base/units.h"

namespace xsp::analysis {

TableCells Evidence::table(const TableDefinition& definition) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const Table& one) { return one.id == definition.id; });
  return TableCells(found == tables.end() ? nullptr : &*found);
}

bool Evidence::has_evaluations() const {
  return study.subject.has_value() && !study.without_models && !study.options.per_trace;
}

std::optional<double> Evidence::step_ms() const {
  if (has_evaluations()) {
    const double ns = step_ns(study, study.evaluations.groups[*study.subject]);
    return ns > 0 ? std::optional(ns / kNsPerMs) : std::nullopt;
  }
  const auto row = subject_kernels();
  return row ? table(kA15).number(*row, kA15.step_ms) : std::nullopt;
}

double Evidence::share_of_step(double ms) const {
  const auto step = step_ms();
  return step ? std::clamp(ms / *step, 0.0, 1.0) : 1;
}

std::string_view Evidence::step_word() const {
  if (!has_evaluations()) return "recording";
  return evaluation_noun(study, study.evaluations.groups[*study.subject]);
}

std::string_view Evidence::each_step() const {
  if (!has_evaluations()) return "the";
  return study.used.size() == 1 ? "the" : "every";
}

std::string Evidence::part_of_step(double ms) const {
  const double step = *step_ms();
  return fmt::format("{} of {} {} {} ({})", short_time(ms), each_step(), short_time(step), step_word(),
                     share_text(100 * ms / step));
}

std::optional<size_t> Evidence::subject_kernels() const {
  constexpr double kSame = 1e-9;
  const TableCells models = table(kA15);
  if (models.rows() == 1) return 0;
  const auto total = table(kA10).sum(kA10.latency_ms);
  if (!total) return {};
  for (size_t row = 0; row < models.rows(); ++row) {
    const auto latency = models.number(row, kA15.kernel_latency_ms);
    if (latency && std::fabs(*latency - *total) <= kSame * *total) return row;
  }
  // Without evaluations the kernels of A10 are of all processes: the busiest stands for them.
  return has_evaluations() ? std::nullopt : models.largest(kA15.kernel_latency_ms);
}

std::string name_in_sentence(std::string_view name) {
  constexpr size_t kWidth = 60;
  // Escapes make text longer: of a name of megabytes only the part that could be shown is read.
  constexpr size_t kMostBytes = 4096;
  return shorten(printable(name.substr(0, kMostBytes)), kWidth);
}

std::string percent_text(double pct) { return fmt::format("{:.1f}", pct); }

std::string share_text(double pct) {
  constexpr double kWhole = 9.95;
  return fmt::format("{:.{}f} %", pct, pct >= kWhole ? 0 : 1);
}

std::string time_text(double ms) {
  constexpr double kUsPerMs = 1e3;
  if (ms != 0 && std::fabs(ms) < 0.1) return fmt::format("{:.1f} µs", ms * kUsPerMs);
  return four_digits(ms) + " ms";
}

std::string short_time(double ms) {
  constexpr double kMsPerSecond = 1e3;
  constexpr double kManyMs = 1e4;
  const auto digits = [](double value) {
    return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
  };
  if (ms >= kManyMs) return digits(ms / kMsPerSecond) + " s";
  if (ms == 0 || ms >= 0.9995) return digits(ms) + " ms";
  return digits(ms * kMsPerSecond) + " µs";
}

std::string times_text(double count) { return count == 1 ? std::string("once") : fmt::format("{:.0f} times", count); }

std::string count_text(double count, std::string_view noun) {
  return fmt::format("{:.0f} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace xsp::analysis
