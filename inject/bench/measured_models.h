#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsp::bench {

/// A row of A1 in a sweep.
struct MeasuredModel {
  std::string value;  ///< of the swept parameter
  std::string model;
  double latency_ms = 0;
  std::optional<double> throughput_per_s;  ///< nothing where the inputs of an evaluation are not known
  double evaluations = 0;
};

/// The rows of A1 in what `xsp-report --format json -a A1` prints of a set, by the names of their columns. Nothing
/// where the text is no such report, or has no column of the parameter.
std::optional<std::vector<MeasuredModel>> read_models(const std::string& json, const std::string& parameter);

/// The model whose throughput a sweep is about: the one that took most of the time where the parameter was `value`.
/// With `name`, of its rows only. Null when there is none.
const MeasuredModel* chosen_model(const std::vector<MeasuredModel>& models, const std::string& value,
                                  const std::string& name = {});

/// Whether such a report has rows of A15 with kernels.
bool has_kernels(const std::string& json);

}  // namespace xsp::bench
