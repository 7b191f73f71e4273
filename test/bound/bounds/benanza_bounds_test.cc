#include <cmath>
#include <filesystem>
#include <fstream>

#include "bound/bounds/bounds.h"
#include "bound/database/given_times.h"
#include "bound/model/layered_model.h"
#include "test/bound/support/benanza_model.h"
#include "test/bound/support/model_folder.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::bound {
namespace {

struct PrintedBound {
  std::string model;
  std::string times;
  size_t layers;
  size_t missing;
  double sequential_ms;
  double parallel_ms;
  size_t path_layers;
};

/// From the model's file and a file of times to the bounds, as the program goes.
void check_bound(const std::filesystem::path& recordings, const PrintedBound& printed) {
  const test::ModelFolder models;
  const std::string path = models.write(printed.model + ".onnx",
                                        test::benanza_model(recordings / ("layer_stats_" + printed.model + ".json")));
  LayeredModel model;
  REQUIRE(take_apart(path, {}, &model).error == "");
  REQUIRE(model.layers.size() == printed.layers);

  const xsp::test::TemporaryFolder folder;
  const std::string csv = folder / "times.csv";
  std::ofstream(csv) << test::given_times_csv(
      test::benanza_times(recordings / (printed.times + "_v100_b1_" + printed.model + ".csv")));
  GivenTimes given;
  REQUIRE(read_given_times(csv, &given).error == "");
  std::vector<LayerTime> times;
  REQUIRE(take_given_times(model, given, &times).error == "");

  const Bounds bounds = make_bounds(model, times);
  if (printed.sequential_ms > 0) CHECK(std::abs(bounds.layers().sequential.bound_ms - printed.sequential_ms) < 2e-6);
  if (printed.parallel_ms > 0) CHECK(std::abs(bounds.layers().parallel.bound_ms - printed.parallel_ms) < 2e-6);
  CHECK(bounds.layers().sequential.missing == printed.missing);
  CHECK(bounds.layers().parallel.path.size() == printed.path_layers);
  CHECK(bounds.contradiction.empty());
}

}  // namespace

TEST_CASE("the bounds of SqueezeNet and ResNet-50 are those of Benanza's authors") {
  const auto recordings = test::benanza_folder();
  if (recordings.empty()) {
    WARN("skipped: no benanza folder (XSP_SHARED_DATA names its parent)");
    return;
  }
  // The two kinds of files are two look-ups; they printed the sum of one and the path of both of SqueezeNet.
  check_bound(recordings, {"Squeezenet-v1.1", "serial_latency", 66, 8, 1.137591, 0.880299, 49});
  check_bound(recordings, {"Squeezenet-v1.1", "latency", 66, 8, 0, 0.880736, 49});
  check_bound(recordings, {"ResNet050-v1", "serial_latency", 175, 13, 4.096527, 0, 167});
  check_bound(recordings, {"ResNet050-v1", "latency", 175, 13, 0, 3.774908, 167});
}

}  // namespace xsp::bound
