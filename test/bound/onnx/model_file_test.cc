#include "bound/onnx/model_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include <protozero/pbf_writer.hpp>

#include "base/owned_fd.h"
#include "bound/onnx/model_budget.h"
#include "bound/onnx/model_reader.h"
#include "bound/onnx/schema_fields.h"
#include "test/bound/onnx/small_models.h"
#include "test/catch.h"
#include "test/temporary_folder.h"

namespace xsp::bound {
namespace {

using namespace std::string_literals;
using protozero::pbf_writer;
using test::models::model_of;
using test::models::node_of;
using test::models::reread;

Status parse_fault(std::string_view bytes) {
  Model model;
  return parse_model(bytes, &model);
}

std::string small_model() { return write_model(model_of({"x"}, {node_of("Neg", {"x"}, {"y"}, "n")})); }

/// Serialised by the Python package onnx: Conv (kernel_shape, pads) and Relu, x f32[batch,3,8,8], y f32 without a
/// shape, w i64[2] in int64_data, operator set 17, IR version 8.
constexpr std::string_view kPublishedModel =
    "080812046f6e6e783a98010a3f0a01780a01771201631a04636f6e762204436f6e762a150a0c6b65726e656c5f736861706540034003a00107"
    "2a"
    "110a04706164734001400140014001a001070a0c0a0163120179220452656c75120474696e792a14080210073a0b05ffffffffffffffffff01"
    "42"
    "01775a200a0178121b0a19080112150a07120562617463680a0208030a0208080a02080862090a017912040a02080142040a001011";

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST_CASE("A model that the published library wrote is read whole") {
  Model model;
  REQUIRE(parse_model(bytes_of_hex(kPublishedModel), &model).ok());
  CHECK(model.ir_version == 8);
  CHECK(model.producer == "onnx");
  CHECK(model.opset("ai.onnx") == 17);
  CHECK(model.graph.name == "tiny");
  CHECK(test::models::lines_of(model.graph) == std::vector<std::string>{"c=Conv(x,w)", "y=Relu(c)"});
  CHECK(model.graph.nodes[0].name == "conv");
  CHECK(model.graph.nodes[0].integers("kernel_shape") == std::vector<int64_t>{3, 3});
  CHECK(model.graph.nodes[0].integers("pads") == std::vector<int64_t>{1, 1, 1, 1});
  REQUIRE(model.graph.inputs.size() == 1);
  const DeclaredValue& input = model.graph.inputs[0];
  CHECK(input.name == "x");
  CHECK(input.element == ElementType::kF32);
  REQUIRE(input.dimensions.size() == 4);
  CHECK(input.dimensions[0].size == -1);
  CHECK(input.dimensions[0].name == "batch");
  CHECK(input.dimensions[3].size == 8);
  REQUIRE(model.graph.outputs.size() == 1);
  CHECK_FALSE(model.graph.outputs[0].has_rank);
  REQUIRE(model.graph.initializers.size() == 1);
  CHECK(model.graph.initializers[0].name == "w");
  CHECK(model.graph.initializers[0].integers == std::vector<int64_t>{5, -1});
}

TEST_CASE("Every beginning of a model is an error of one line, with exit code and hint") {
  const std::string whole = bytes_of_hex(kPublishedModel);
  size_t truncated = 0;
  for (size_t size = 0; size < whole.size() - 6; ++size) {  // without the operator set it is a model still
    const Status status = parse_fault(std::string_view(whole).substr(0, size));
    CAPTURE(size);
    REQUIRE_FALSE(status.ok());
    CHECK(status.exit_code == 3);
    CHECK_FALSE(status.hint.empty());
    CHECK(status.error.find('\n') == std::string::npos);
    truncated += status.error.starts_with("truncated") ? 1 : 0;
  }
  CHECK(truncated > 150);
  CHECK(parse_fault(std::string_view(whole).substr(0, 100)).error ==
        "truncated: it has 100 bytes, and goes on for more than 152");
}

TEST_CASE("Damage inside the graph is told from a missing end, by the node where it is") {
  std::string bytes = small_model();
  const size_t at = bytes.find("Neg");
  REQUIRE(at != std::string::npos);
  bytes[at - 1] = '\x60';  // the operator's name is longer than its node
  CHECK(parse_fault(bytes).error == "damaged in or behind its 1. node");
}

TEST_CASE("Bytes of something else are no ONNX model") {
  CHECK(parse_fault("").error == "no ONNX model: it has no graph");
  CHECK(parse_fault("<html><body>Not found</body></html>").error == "no ONNX model");
  CHECK(parse_fault("{\"nodes\": []}").error.starts_with("no ONNX model"));
  CHECK(parse_fault(std::string(1000, '\0')).error.starts_with("no ONNX model"));
  CHECK(parse_fault(std::string(1000, '\xff')).error.starts_with("no ONNX model"));
  CHECK(parse_fault("").hint == "xsp-bound reads ONNX models: is this one?");
}

TEST_CASE("Fields that are unknown, or known with another type, are skipped") {
  constexpr uint32_t kUnknownField = 1000;
  std::string bytes = small_model();
  pbf_writer model(bytes);
  model.add_string(kUnknownField, "what is to come");
  model.add_fixed64(fields::model::kProducer, 7);
  Model read;
  REQUIRE(parse_model(bytes, &read).ok());
  CHECK(read.graph.nodes.size() == 1);
}

TEST_CASE("A dimension below zero is open, and of two declarations the last counts") {
  Model model = model_of({"x"}, {});
  std::string bytes;
  {
    pbf_writer written(bytes);
    written.add_int64(fields::model::kIrVersion, 8);
    pbf_writer graph(written, fields::model::kGraph);
    pbf_writer input(graph, fields::graph::kInput);
    input.add_string(fields::value::kName, "x");
    pbf_writer type(input, fields::value::kType);
    pbf_writer tensor(type, fields::type::kTensor);
    tensor.add_int32(fields::tensor_type::kElement, 1);
    pbf_writer shape(tensor, fields::tensor_type::kShape);
    {
      pbf_writer dimension(shape, fields::shape::kDimension);
      dimension.add_int64(fields::dimension::kValue, -7);
    }
    {
      pbf_writer dimension(shape, fields::shape::kDimension);
      dimension.add_int64(fields::dimension::kValue, 4);
      dimension.add_string(fields::dimension::kName, "length");
    }
  }
  REQUIRE(parse_model(bytes, &model).ok());
  REQUIRE(model.graph.inputs[0].dimensions.size() == 2);
  CHECK(model.graph.inputs[0].dimensions[0].size == -1);
  CHECK(model.graph.inputs[0].dimensions[1].size == -1);
  CHECK(model.graph.inputs[0].dimensions[1].name == "length");
}

TEST_CASE("An attribute without a type is what its value is, as in the first version of the format") {
  std::string bytes;
  {
    pbf_writer model(bytes);
    model.add_int64(fields::model::kIrVersion, 1);
    pbf_writer graph(model, fields::model::kGraph);
    pbf_writer node(graph, fields::graph::kNode);
    node.add_string(fields::node::kType, "Conv");
    pbf_writer attribute(node, fields::node::kAttribute);
    attribute.add_string(fields::attribute::kName, "pads");
    const std::vector<int64_t> packed = {1, 2};
    attribute.add_packed_int64(fields::attribute::kIntegers, packed.begin(), packed.end());
    attribute.add_int64(fields::attribute::kIntegers, 3);
  }
  Model model;
  REQUIRE(parse_model(bytes, &model).ok());
  CHECK(model.graph.nodes[0].integers("pads") == std::vector<int64_t>{1, 2, 3});
}

/// Graphs within graphs.
Model nested_model(size_t levels) {
  std::vector<Node> nodes = {node_of("Neg", {"x"}, {"y"})};
  for (size_t i = 0; i < levels; ++i) {
    Node node = node_of("If", {"x"}, {"y"});
    node.attributes.push_back(test::models::graph_attribute("then_branch", std::move(nodes), {"y"}));
    nodes.assign(1, std::move(node));
  }
  return model_of({"x"}, std::move(nodes));
}

TEST_CASE("Graphs may be nested 64 deep, not deeper") {
  Model read;
  CHECK(reread(nested_model(kMostNesting), &read).ok());
  CHECK(reread(nested_model(kMostNesting + 1), &read).error == "graphs are nested more than 64 deep");
  // Deeper than any stack, as bytes alone.
  std::string graph;
  for (int i = 0; i < 3000; ++i) {
    std::string attribute;
    pbf_writer(attribute).add_message(fields::attribute::kGraph, graph);
    std::string node;
    pbf_writer(node).add_message(fields::node::kAttribute, attribute);
    graph.clear();
    pbf_writer(graph).add_message(fields::graph::kNode, node);
  }
  std::string bytes;
  pbf_writer(bytes).add_int64(fields::model::kIrVersion, 8);
  pbf_writer(bytes).add_message(fields::model::kGraph, graph);
  CHECK(reread(nested_model(kMostNesting + 1), &read).exit_code == 3);
  CHECK(parse_fault(bytes).error == "graphs are nested more than 64 deep");
}

TEST_CASE("More than a million nodes, or more than a gigabyte, are an error wherever they come from") {
  Model model;
  ModelBudget of_nodes;
  bool enough = true;
  for (size_t i = 0; i < kMostNodes - 1; ++i) enough = enough && of_nodes.take_node();
  CHECK(enough);
  CHECK(read_messages(small_model(), of_nodes, &model).ok());
  const Status nodes = read_messages(small_model(), of_nodes, &model);
  CHECK(nodes.error == "it has more than 1,000,000 nodes");
  CHECK(nodes.exit_code == 3);

  // How much is left decides where the reading ends.
  const std::string bytes = bytes_of_hex(kPublishedModel);
  size_t left = 0;
  for (bool good = false; !good; ++left) {
    ModelBudget budget;
    REQUIRE(budget.take_bytes(kMostModelBytes - left));
    const Status status = read_messages(bytes, budget, &model);
    good = status.ok();
    if (!good && status.error != "it takes more than 1 GiB without its weights") FAIL(status.error);
  }
  CHECK(left > sizeof(Model));
}

TEST_CASE("A length that no file has is an error") {
  std::string bytes;
  pbf_writer(bytes).add_int64(fields::model::kIrVersion, 8);
  // The graph's length modulo 2^32 is 0.
  bytes += "\x3a\x80\x80\x80\x80\x80\x01"s;
  CHECK(parse_fault(bytes).error == "truncated: it has 9 bytes, and goes on for more than 34359738368");
}

uint64_t kibibytes_in_status(const std::string& field) {
  std::istringstream status(test::read_file("/proc/self/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::stoull(line.substr(field.size() + 1));
  }
  return 0;
}

TEST_CASE("A model of 2 GB is read without its weights") {
  constexpr uint64_t kWeightBytes = uint64_t{2} << 30;
  const test::TemporaryFolder folder;
  const std::string path = folder / "large.onnx";

  std::string tensor;
  {
    pbf_writer written(tensor);
    written.add_int64(fields::tensor::kDimensions, int64_t{kWeightBytes / sizeof(float)});
    written.add_int32(fields::tensor::kElement, 1);
    written.add_string(fields::tensor::kName, "w");
  }
  const auto add_length = [](std::string* to, uint32_t field, uint64_t length) {
    protozero::add_varint_to_buffer(to, protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited));
    protozero::add_varint_to_buffer(to, length);
  };
  add_length(&tensor, fields::tensor::kRawData, kWeightBytes);
  std::string head;  // of the graph, up to the weights
  {
    pbf_writer graph(head);
    pbf_writer node(graph, fields::graph::kNode);
    node.add_string(fields::node::kInput, "w");
    node.add_string(fields::node::kOutput, "y");
    node.add_string(fields::node::kType, "Neg");
  }
  add_length(&head, fields::graph::kInitializer, tensor.size() + kWeightBytes);
  head += tensor;
  std::string tail;  // of the graph, behind them
  {
    pbf_writer graph(tail);
    pbf_writer output(graph, fields::graph::kOutput);
    output.add_string(fields::value::kName, "y");
  }
  std::string file;
  pbf_writer(file).add_int64(fields::model::kIrVersion, 8);
  add_length(&file, fields::model::kGraph, head.size() + kWeightBytes + tail.size());
  file += head;
  {
    const OwnedFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(fd);
    REQUIRE(::write(fd.get(), file.data(), file.size()) == static_cast<ssize_t>(file.size()));
    // What lies between is a hole, which takes no room.
    const auto end = static_cast<off_t>(file.size() + kWeightBytes);
    REQUIRE(::pwrite(fd.get(), tail.data(), tail.size(), end) == static_cast<ssize_t>(tail.size()));
  }

  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
  const uint64_t before = kibibytes_in_status("VmRSS");
  const auto begin = std::chrono::steady_clock::now();
  Model model;
  const Status status = read_model(path, &model);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const uint64_t peak = kibibytes_in_status("VmHWM");
  CHECK(status.error.empty());
  REQUIRE(model.graph.initializers.size() == 1);
  CHECK(model.graph.initializers[0].dimensions == std::vector<int64_t>{int64_t{1} << 29});
  CHECK_FALSE(model.graph.initializers[0].has_values);
  CHECK(model.graph.outputs.size() == 1);
  CHECK(time.count() < 0.5);
  CHECK(peak < std::max(before, kibibytes_in_status("VmRSS")) + 50'000);
}

TEST_CASE("Files that cannot be read say why") {
  const test::TemporaryFolder folder;
  Model model;
  const auto fault = [&](const std::string& path) {
    const Status status = read_model(path, &model);
    CHECK(status.exit_code == 3);
    CHECK_FALSE(status.hint.empty());
    return status.error;
  };
  const std::string absent = folder / "absent.onnx";
  CHECK(fault(absent) == "cannot open " + absent + " (No such file or directory)");
  CHECK(fault(folder.path()) == folder.path() + " is a directory");
  const std::string empty = test::write_file(folder / "empty.onnx", "");
  CHECK(fault(empty) == empty + " is empty");
  const std::string fifo = folder / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(fault(fifo) == fifo + " is no regular file");
  const std::string text = test::write_file(folder / "text.onnx", "hello there");
  CHECK(fault(text).starts_with(text + ": no ONNX model"));
  const std::string good = test::write_file(folder / "good.onnx", small_model());
  CHECK(read_model(good, &model).ok());
  CHECK(model.graph.nodes.size() == 1);
}

TEST_CASE("Other kinds of models are named, with what to do with them") {
  const test::TemporaryFolder folder;
  const auto status_of = [&](const std::string& bytes) {
    Model model;
    return read_model(test::write_file(folder / "m", bytes), &model);
  };
  const std::string path = folder / "m";
  CHECK(status_of("\x18\0\0\0ORTM and more"s).error == path + " is a model in ORT format, no ONNX model");
  CHECK(status_of("PK\x03\x04 and more").error ==
        path + " is a zip archive, such as a PyTorch checkpoint, no ONNX model");
  CHECK(status_of("PK\x03\x04 and more").hint == "export the model: torch.onnx.export(model, inputs, \"model.onnx\")");
  CHECK(status_of("\x80\x02}q").error.find("pickle") != std::string::npos);
  CHECK(status_of("\x40\0\0\0\0\0\0\0{\"w\": {}}"s).error.find("safetensors") != std::string::npos);
  CHECK(status_of("version https://git-lfs.github.com/spec/v1\n").hint == "fetch it: git lfs pull");
  CHECK(status_of("\x1f\x8b\x08\0\0"s).error.find("gzip") != std::string::npos);
}

}  // namespace
}  // namespace xsp::bound
