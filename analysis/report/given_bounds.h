#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/report/report.h"
#include "analysis/tables/table.h"
#include "base/status.h"

namespace xsp::analysis {

/// What a layer of the trace takes at least.
struct LayerBound {
  size_t index = 0;  // of A2
  std::string name;
  std::optional<double> measured_ms;
  std::optional<double> bound_ms;        // of its layers of the model, fused where that is faster
  std::optional<double> layer_by_layer;  // ms, of the same without fusion
};

/// What xsp-bound found about a trace and the model that ran: its report, read back.
struct GivenBounds {
  std::string path;
  std::string model;                     // path of the ONNX file
  std::optional<double> model_bound_ms;  // of a call of the model, fused where that is faster
  std::vector<LayerBound> layers;
  std::vector<Finding> findings;  // its own, most important first
  std::vector<Table> tables;      // B1 to B7 as they are; of no definition, since they are not ours
};

/// Reads what `xsp-bound MODEL.onnx --trace TRACE --format json` wrote. Errors: it cannot be read, is something else,
/// is of several models, or was made without a trace.
Status read_given_bounds(const std::string& path, GivenBounds* bounds);

/// An error: the layers are not those of the trace's A2.
Status check_given_bounds(const Study& study, const GivenBounds& bounds);

/// Adds the bounds to a report of the same trace: a column bound_ms to A1 (in the row of the model under study), A2, A3
/// and A6, the tables of xsp-bound behind all others, and its most important findings.
void add_given_bounds(const Study& study, const GivenBounds& bounds, Report* report);

}  // namespace xsp::analysis
