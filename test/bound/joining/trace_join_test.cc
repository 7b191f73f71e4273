#include <filesystem>
#include <fstream>

#include "test/bound/joining/joined_model.h"
#include "test/bound/support/model_folder.h"

namespace xsp::bound {
namespace {

using namespace test;

LayeredModel two_convolutions(int64_t batch = 1) {
  NamedModel model;
  const std::string x = model.input({batch, 3, 8, 8});
  model.output(model.conv("/conv2/Conv", model.conv("/conv1/Conv", x, 3, 8), 8, 16));
  return model.layers();
}

}  // namespace

TEST_CASE("a joined trace tells what ran, how often, and the least time of each layer") {
  MadeRun run = pytorch_run({{"conv1", "Conv2d", "[1,8,8,8]", {300, 200, 250, 210}},
                             {"conv2", "Conv2d", "[1,16,8,8]", {500, 420, 400, 440}}});
  run.environment = {{"OMP_NUM_THREADS", "4"}};
  const Joined joined(run, two_convolutions());
  const JoinedTrace& trace = joined.joined;
  CHECK(trace.path == "run.pb");
  CHECK(trace.subject == "Net, input [1,3,8,8]");
  CHECK_FALSE(trace.is_on_gpu());
  CHECK(trace.threads == 4);
  CHECK(trace.trace == &*joined.trace);
  REQUIRE(trace.layers.size() == 2);
  // The first call is left out as warm-up, if it is, in A2, too.
  const auto& joined_layers = (*joined.trace).study->joined;
  CHECK(trace.evaluations == joined_layers.evaluations);
  CHECK(trace.layers[0].measured_ms == Approx(joined_layers.layers[0].latency_ns / 1e6));
  CHECK(trace.layers[0].least_ms == Approx(0.2));
  CHECK(trace.layers[1].least_ms == Approx(0.4));
  CHECK(trace.measured_min_ms == Approx(0.6));
  CHECK(trace.measured_ms > 0.6);
  CHECK(trace.layers[1].shape == "[1,16,8,8]");
}

TEST_CASE("threads are not known where the trace does not tell, or the framework does not heed it") {
  MadeRun run = onnxruntime_run({{"/conv1/Conv", "Conv", "[1,8,8,8]"}, {"/conv2/Conv", "Conv", "[1,16,8,8]"}});
  run.environment = {{"OMP_NUM_THREADS", "4"}};
  CHECK_FALSE(Joined(run, two_convolutions()).joined.threads.has_value());
  MadeRun torch = pytorch_run({{"conv1", "Conv2d", "[1,8,8,8]"}, {"conv2", "Conv2d", "[1,16,8,8]"}});
  torch.environment = {{"OMP_NUM_THREADS", "many"}};
  CHECK_FALSE(Joined(torch, two_convolutions()).joined.threads.has_value());
}

TEST_CASE("a trace of another batch names both and the option") {
  MadeRun run = pytorch_run({{"conv1", "Conv2d", "[8,8,8,8]"}, {"conv2", "Conv2d", "[8,16,8,8]"}});
  run.input = "[8,3,8,8]";
  const Status status = failed_join(run, two_convolutions());
  CHECK(status.exit_code == 3);
  CHECK(status.error == "run.pb has a batch of 8 (input [8,3,8,8]), the model one of 1 ([1,3,8,8])");
  CHECK(status.hint.find("--batch 8") != std::string::npos);
  // The same without the shapes of inputs.
  run.input = "";
  const Status by_layers = failed_join(run, two_convolutions());
  CHECK(by_layers.exit_code == 3);
  CHECK(by_layers.error.find("a batch of 8, the model one of 1") != std::string::npos);
}

TEST_CASE("a trace of another model is an error that says how little was found") {
  const Status status =
      failed_join(pytorch_run({{"a", "Linear", "[1,10]"}, {"b", "Linear", "[1,20]"}}), two_convolutions());
  CHECK(status.exit_code == 3);
  CHECK(
      status.error ==
      "run.pb seems to be of another model than model: 0 of the model's 2 convolutions, products and recurrent layers "
      "were found in it, and 0 of its 2 in the model");
  CHECK(status.hint.find("Linear (2)") != std::string::npos);
}

TEST_CASE("a trace of a larger model is none of a smaller one") {
  std::vector<MadeLayer> layers;
  for (int i = 0; i < 4; ++i) layers.push_back({"c" + std::to_string(i), "Conv2d", "[1,8,8,8]"});
  layers.push_back({"d", "Conv2d", "[1,16,8,8]"});
  CHECK(failed_join(pytorch_run(layers), two_convolutions()).exit_code == 3);
  layers.erase(layers.begin() + 1, layers.begin() + 3);
  CHECK(failed_join(pytorch_run(layers), two_convolutions()).ok());
}

TEST_CASE("a trace without layers and calls, or without calls of a model, has nothing to compare") {
  const Status nothing = failed_join(pytorch_run({}), two_convolutions());
  CHECK(nothing.exit_code == 3);
  CHECK(nothing.error.find("neither layers nor library calls") != std::string::npos);
  MadeRun run = pytorch_run({{"conv1", "Conv2d", "[1,8,8,8]"}});
  run.root = Kind::kApi;
  run.calls = 0;
  const Status none = failed_join(run, two_convolutions());
  CHECK(none.exit_code == 3);
  CHECK(none.error.find("no calls of a model") != std::string::npos);
}

TEST_CASE("the shapes of the calls under study are those of their inputs in order") {
  MadeRun run = pytorch_run({{"conv1", "Conv2d", "[1,8,8,8]"}});
  run.input = "[4,128];[4,128];[]";
  CHECK(input_shapes_of(*MadeTrace(run)) == std::vector<std::vector<int64_t>>{{4, 128}, {4, 128}, {}});
}

TEST_CASE("a trace that cannot be read ends with exit code 3") {
  analysis::AnalysedTrace missing;
  CHECK(read_trace({"/there/is/no/such.pb"}, "", &missing).exit_code == 3);
  const ModelFolder folder;
  const std::string path = folder.write("no_trace.pb", ModelBuilder().model());
  analysis::AnalysedTrace other;
  CHECK(read_trace({path}, "", &other).exit_code == 3);
}

}  // namespace xsp::bound
