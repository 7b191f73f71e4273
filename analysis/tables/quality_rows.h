#pragma once

#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"
#include "analysis/tables/trace_quality.h"

namespace xsp::analysis {

using PerLevel = std::array<uint64_t, kLevelCount>;

/// Adds rows to Q1.
class QualityRows {
 public:
  explicit QualityRows(Table* table) : table_(*table) {}

  void add(std::string_view quantity, std::string_view level, Cell value, std::string note = {}) {
    TableRow row = table_.add_row();
    row.set(kQ1.quantity, std::string(quantity));
    row.set(kQ1.level, std::string(level));
    row.set(kQ1.value, std::move(value));
    row.set(kQ1.note, std::move(note));
  }

  /// One row for each level that occurs in the trace and one for all.
  void add_levels(std::string_view quantity, const PerLevel& counts, const PerLevel& spans, const std::string& note) {
    for (size_t level = 1; level < kLevelCount; ++level) {
      if (spans[level] != 0 || counts[level] != 0) add(quantity, kLevelNames[level], count_cell(counts[level]));
    }
    const uint64_t all = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    add(quantity, "all", count_cell(all), all == 0 ? "" : note);
  }

 private:
  Table& table_;
};

/// What the trace says about the launches and executions that belong together.
void add_match_rows(const Study& study, QualityRows* rows);

/// What recording costs: as the processes measured it, and what the deeper levels cost each model where calls of it
/// were sampled.
void add_overhead(const Study& study, QualityRows* rows);

/// Of continuous recordings: parts and samples; no row of others.
void add_continuous_rows(const Study& study, QualityRows* rows);

/// Of profiles that operators were taken out of, as their importer found; no row of others.
void add_profile_rows(const Trace& trace, QualityRows* rows);

/// Processors that the command could use, and the load as the recording began; no row where the trace does not tell.
void add_processor_rows(const Trace& trace, QualityRows* rows);

/// Gaps that come by the thousand, one row for each reason and level.
bool is_summed_up(GapReason reason);
void add_summed_gaps(const Trace& trace, QualityRows* rows);

/// Devices, times that were not recorded, what was lost of devices: rows only for what there is.
void add_device_rows(const Study& study, QualityRows* rows);

}  // namespace xsp::analysis
