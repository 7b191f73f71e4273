#include "test/bound/support/benanza_model.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "bound/model/layer_work.h"
#include "bound/model/layered_model.h"
#include "test/bound/support/model_folder.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

struct KnownAnswer {
  const char* name;
  size_t layers, unique;
  double multiply_adds, of_convolutions;
};
constexpr KnownAnswer kKnownAnswers[] = {
    {"Squeezenet-v1.1", 66, 38, 349.15e6, 349.15e6},
    {"ResNet050-v1", 175, 47, 3857.97e6, 3855.93e6},
};

}  // namespace

TEST_CASE("layers, unique layers and multiply-adds of Benanza's models are those that its authors print") {
  const auto folder = test::benanza_folder();
  if (folder.empty()) {
    WARN("skipped: no benanza folder (XSP_SHARED_DATA names its parent)");
    return;
  }
  const test::ModelFolder models;
  for (const KnownAnswer& answer : kKnownAnswers) {
    INFO(answer.name);
    const std::string path =
        models.write(std::string(answer.name) + ".onnx",
                     test::benanza_model(folder / (std::string("layer_stats_") + answer.name + ".json")));
    LayeredModel model;
    const Status status = take_apart(path, {}, &model);
    REQUIRE(status.error == "");
    CHECK(model.name == answer.name);
    CHECK(model.layers.size() == answer.layers);
    CHECK(model.unique.size() == answer.unique);
    CHECK(std::abs(model.multiply_adds - answer.multiply_adds) < 0.005e6);

    double of_convolutions = 0;
    for (const Layer& layer : model.layers) {
      if (layer.type == "Conv") of_convolutions += multiply_adds_of(*Problem::parse(layer.problem));
    }
    CHECK(std::abs(of_convolutions - answer.of_convolutions) < 0.005e6);
    const size_t counted = std::accumulate(model.unique.begin(), model.unique.end(), size_t{0},
                                           [](size_t sum, const UniqueLayer& unique) { return sum + unique.layers; });
    CHECK(counted == answer.layers);
  }
}

TEST_CASE("every time that Benanza's authors print is that of a layer") {
  const auto folder = test::benanza_folder();
  if (folder.empty()) return;
  const test::ModelFolder models;
  for (const KnownAnswer& answer : kKnownAnswers) {
    const std::string name = answer.name;
    const std::string path =
        models.write(name + ".onnx", test::benanza_model(folder / ("layer_stats_" + name + ".json")));
    LayeredModel model;
    REQUIRE(take_apart(path, {}, &model).ok());
    std::set<std::string> names;
    for (const Layer& layer : model.layers) names.insert(layer.name);
    for (const char* kind : {"latency", "serial_latency"}) {
      const auto times = test::benanza_times(folder / (std::string(kind) + "_v100_b1_" + name + ".csv"));
      CHECK(times.size() > 80);
      for (const auto& time : times) CHECK(names.contains(time.layer));
    }
  }
}

}  // namespace xsp::bound
