#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// "beginning", "middle" or "end": the third of the layers that `index` of `count` is in.
std::string stage_of(size_t index, size_t count);

/// Sums over the layers of one type.
struct LayerType {
  std::string type;
  uint64_t count = 0;  // layers of an evaluation; calls with --per trace
  double latency_ns = 0;
  double backward_ns = 0;
  double wait_ns = 0;
  std::optional<double> bytes;  // nothing when unknown for one of them
};

/// By type, in order of first appearance. A layer without type stands under "(none)".
std::vector<LayerType> layer_types(const Study& study);

/// Without a device, layers that add up to more than this multiple of their call or step run at the same time: a sum of
/// some of them is then no share of it. Both are statistics, and never add up exactly.
inline constexpr double kLayersOverlap = 1.05;

/// Sum of bytes over all layers; nothing when unknown for one.
std::optional<double> allocated_bytes(const Study& study);

/// Share in percent; null where the whole is unknown or zero.
Cell percent(const std::optional<double>& part, const std::optional<double>& whole);

/// Adds what all of A2 to A7 say below the rows. `memory`: of the tables that show allocations. `level`: whose
/// evaluations the numbers are of.
void finish_layer_table(const Study& study, bool memory, Table* table, Level level = Level::kLayer);

}  // namespace xsp::analysis
