#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bound/onnx/graph.h"

namespace xsp::bound::test {

/// Where the recordings of Benanza's authors are: data/benanza of the shared folder beside the source tree, or of
/// XSP_SHARED_DATA. Empty where they are not at hand.
std::filesystem::path benanza_folder();

/// The graph that they printed (layer_stats_NAME.json) as an ONNX model with weights as graph inputs. Attributes, which
/// they did not print, follow from the shapes; a flattened shape is printed there as unflattened. Throws where the file
/// is none of theirs.
Model benanza_model(const std::filesystem::path& layer_stats);

/// A benchmark of theirs: a row of latency_*.csv or serial_latency_*.csv. A layer may have several.
struct BenanzaTime {
  std::string layer;
  double latency_ms = 0;
  std::string implementation;
};
std::vector<BenanzaTime> benanza_times(const std::filesystem::path& csv);

/// The same as a file for --times: `layer,latency_ms,implementation`.
std::string given_times_csv(const std::vector<BenanzaTime>& times);

}  // namespace xsp::bound::test
