#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bound/database/statement.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

/// A row of `measurement`.
struct MeasurementRow {
  int64_t id = 0;
  Measurement facts;  // without problem and samples
  std::string library_build;
};

/// Columns of a row of `measurement m`, its library `l` joined: what read_measurement() takes.
inline constexpr std::string_view kMeasurementColumns =
    "m.id, l.name, l.version, l.build, m.backend, m.implementation, m.numerics, m.math_mode, m.layout, m.dtype, "
    "m.threads, m.cache, m.status, m.n, m.min_ns, m.median_ns, m.p90_ns, m.cpu_min_ns, m.workspace_bytes, "
    "m.load_average, m.started_at, m.xsp_version, m.message";
inline constexpr int kColumnsOfMeasurement = 23;

/// Nothing for a row that we did not write: words that are none of ours, numbers that cannot be.
std::optional<MeasurementRow> read_measurement(const Statement& row);

/// What a row has in common with those that it replaces, or that replace it, except whether it is cold.
std::string implementation_key(const Measurement& row);

/// Adds rows of `measurement`; the ids are those of the other tables.
inline constexpr std::string_view kInsertMeasurement =
    "INSERT INTO measurement (problem, system, library, backend, implementation, numerics, math_mode, layout, dtype, "
    "threads, cache, status, n, min_ns, median_ns, p90_ns, cpu_min_ns, workspace_bytes, load_average, started_at, "
    "xsp_version, message, samples) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)";
struct MeasurementParents {
  int64_t problem = 0;
  int64_t system = 0;
  int64_t library = 0;
};
bool insert_measurement(Statement& insert, const MeasurementParents& parents, const Measurement& row);

}  // namespace xsp::bound
