#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bound/bounds/bounds.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

/// Where the authors' recordings are, where they are at hand.
std::filesystem::path recordings() {
  const char* folder = std::getenv("XSP_SHARED_DATA");
  const std::filesystem::path source = std::filesystem::path(__FILE__).parent_path();
  return (folder != nullptr ? folder : source / "../../../../shared/data") / std::filesystem::path("benanza");
}

/// The graph that they printed, with names, classes and edges alone.
LayeredModel printed_graph(const std::filesystem::path& path) {
  static const std::set<std::string> kZero = {"Dropout", "Flatten", "Reshape"};
  std::ifstream file(path);
  LayeredModel model;
  std::map<std::string, size_t> producer_of;
  for (const auto& node : nlohmann::json::parse(file)) {
    const std::string type = node["type"];
    if (type == "ConstantInput") continue;
    Layer layer = layer_after(node["name"], {});
    layer.type = type;
    if (kZero.count(type) > 0) layer.layer_class = LayerClass::kZero;
    if (type == "Concat") layer.layer_class = LayerClass::kMovement;
    std::set<size_t> producers;
    for (const std::string input : node["inputs"]) {
      if (const auto found = producer_of.find(input); found != producer_of.end()) producers.insert(found->second);
    }
    layer.producers.assign(producers.begin(), producers.end());
    for (const std::string output : node["outputs"]) producer_of[output] = model.layers.size();
    model.layers.push_back(layer);
  }
  return model;
}

/// Their benchmarks of its layers; of some layers there are several, which follow one another.
GivenTimes printed_times(const std::filesystem::path& path) {
  std::ifstream file(path);
  GivenTimes times;
  std::string line;
  std::getline(file, line);  // LayerName,LayerType,BenchmarkName,RealTime(ms),Theoretical Flops
  while (std::getline(file, line)) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    if (fields.size() > 3 && !fields[0].empty()) times[fields[0]].latency_ms += std::stod(fields[3]);
  }
  return times;
}

struct PrintedBound {
  std::string model;
  std::string times;
  size_t layers;
  size_t missing;
  double sequential_ms;
  double parallel_ms;
  size_t path_layers;
};

}  // namespace

TEST_CASE("the bounds of SqueezeNet and ResNet-50 are those of Benanza's authors") {
  if (!std::filesystem::is_directory(recordings())) {
    WARN("skipped: " << recordings().string() << " is not there (XSP_SHARED_DATA names its parent)");
    return;
  }
  // The two kinds of files are two look-ups; they printed the sum of one and the path of both of SqueezeNet.
  const PrintedBound printed =
      GENERATE(PrintedBound{"Squeezenet-v1.1", "serial_latency", 66, 8, 1.137591, 0.880299, 49},
               PrintedBound{"Squeezenet-v1.1", "latency", 66, 8, 0, 0.880736, 49},
               PrintedBound{"ResNet050-v1", "serial_latency", 175, 13, 4.096527, 0, 167},
               PrintedBound{"ResNet050-v1", "latency", 175, 13, 0, 3.774908, 167});
  const LayeredModel model = printed_graph(recordings() / ("layer_stats_" + printed.model + ".json"));
  REQUIRE(model.layers.size() == printed.layers);
  std::vector<LayerTime> times;
  const auto csv = recordings() / (printed.times + "_v100_b1_" + printed.model + ".csv");
  REQUIRE(take_given_times(model, printed_times(csv), &times).error == "");

  const Bounds bounds = make_bounds(model, times);
  if (printed.sequential_ms > 0) CHECK(std::abs(bounds.sequential.bound_ms - printed.sequential_ms) < 2e-6);
  if (printed.parallel_ms > 0) CHECK(std::abs(bounds.parallel.bound_ms - printed.parallel_ms) < 2e-6);
  CHECK(bounds.sequential.missing == printed.missing);
  CHECK(bounds.parallel.path.size() == printed.path_layers);
  CHECK(bounds.contradiction.empty());
  // One layer without work, the flattening, has no time, and none of the others.
  CHECK(bounds.sequential.layers == printed.layers - 1);
}
