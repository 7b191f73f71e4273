#include "test/bound/support/benanza_model.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

namespace xsp::bound::test {
namespace {

using Shape = std::vector<int64_t>;

struct PrintedLayer {
  std::string name, type;
  std::vector<std::string> inputs, outputs;
  std::vector<Shape> input_shapes, output_shapes;
};

std::vector<PrintedLayer> printed_layers(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<PrintedLayer> layers;
  for (const auto& entry : nlohmann::json::parse(file)) {
    const auto names = [&entry](const char* key) { return entry.value(key, std::vector<std::string>()); };
    const auto& shapes = entry.at("input_dimensions");
    layers.push_back({entry.at("name"), entry.at("type"), names("inputs"), names("outputs"),
                      shapes.at("input_shapes").get<std::vector<Shape>>(),
                      shapes.at("output_shapes").get<std::vector<Shape>>()});
  }
  return layers;
}

Attribute integers(std::string name, std::vector<int64_t> values) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kIntegers;
  attribute.integers = std::move(values);
  return attribute;
}

Attribute integer(std::string name, int64_t value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kInteger;
  attribute.integer = value;
  return attribute;
}

/// Strides and the least equal paddings with which a window makes one shape of the other.
std::vector<Attribute> window_attributes(const Shape& kernel, const Shape& input, const Shape& output) {
  std::vector<int64_t> strides, pads;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t in = input.at(i + 2);
    const int64_t out = output.at(i + 2);
    const int64_t stride = out == 1 ? kernel[i] : (in + out / 2) / out;
    int64_t pad = 0;
    while ((in + 2 * pad - kernel[i]) / stride + 1 < out) ++pad;
    if ((in + 2 * pad - kernel[i]) / stride + 1 != out) throw std::runtime_error("no window has these shapes");
    strides.push_back(stride);
    pads.push_back(pad);
  }
  const std::vector<int64_t> begins = pads;
  pads.insert(pads.end(), begins.begin(), begins.end());
  return {integers("kernel_shape", kernel), integers("strides", strides), integers("pads", pads)};
}

/// Their names of operators are those of cuDNN's kinds.
Node node_of(const PrintedLayer& layer) {
  static const std::map<std::string, std::string> kTypes = {
      {"BatchNorm", "BatchNormalization"}, {"ElementWise", "Add"}, {"GlobalPooling", "GlobalAveragePool"}};
  Node node;
  node.name = layer.name;
  const auto renamed = kTypes.find(layer.type);
  node.type = renamed == kTypes.end() ? layer.type : renamed->second;
  node.inputs = layer.inputs;
  node.outputs = layer.outputs;
  const Shape& input = layer.input_shapes.at(0);
  const Shape& output = layer.output_shapes.at(0);
  if (layer.type == "Conv") {
    const Shape& weight = layer.input_shapes.at(1);
    node.attributes = window_attributes({weight.begin() + 2, weight.end()}, input, output);
  } else if (layer.type == "Pooling") {
    // Both models have maxima of 3x3; the average is that of a whole image.
    const bool is_global = output.at(2) == 1;
    node.type = is_global ? "AveragePool" : "MaxPool";
    node.attributes = window_attributes(is_global ? Shape{input.at(2), input.at(3)} : Shape{3, 3}, input, output);
  } else if (layer.type == "Concat") {
    node.attributes = {integer("axis", 1)};
  } else if (layer.type == "Gemm") {
    node.attributes = {integer("transB", 1)};
  }
  return node;
}

DeclaredValue declared(const std::string& name, const Shape& shape) {
  DeclaredValue value;
  value.name = name;
  value.element = ElementType::kF32;
  value.has_rank = true;
  for (const int64_t size : shape) value.dimensions.push_back({size, ""});
  return value;
}

/// The new shape that a Reshape reads: its values are printed in the place of its shape.
ConstantTensor shape_constant(const std::string& name, const Shape& values) {
  ConstantTensor tensor;
  tensor.name = name;
  tensor.element = ElementType::kI64;
  tensor.dimensions = {static_cast<int64_t>(values.size())};
  tensor.has_values = true;
  tensor.integers = values;
  return tensor;
}

}  // namespace

std::filesystem::path benanza_folder() {
  const char* named = std::getenv("XSP_SHARED_DATA");
  const auto beside = std::filesystem::absolute(__FILE__).parent_path() / "../../../../shared/data";
  const auto folder = (named != nullptr ? std::filesystem::path(named) : beside) / "benanza";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

Model benanza_model(const std::filesystem::path& layer_stats) {
  const auto layers = printed_layers(layer_stats);
  std::set<std::string> shape_inputs, read;
  for (const PrintedLayer& layer : layers) {
    read.insert(layer.inputs.begin(), layer.inputs.end());
    if (layer.type == "Reshape") shape_inputs.insert(layer.inputs.at(1));
  }
  Model model;
  model.ir_version = 8;
  model.producer = "test";
  model.opsets = {{"", 11}};
  model.graph.name = layer_stats.stem().string();
  for (const PrintedLayer& layer : layers) {
    if (layer.type != "ConstantInput") {
      model.graph.nodes.push_back(node_of(layer));
    } else if (shape_inputs.contains(layer.name)) {
      model.graph.initializers.push_back(shape_constant(layer.name, layer.output_shapes.at(0)));
    } else {
      model.graph.inputs.push_back(declared(layer.name, layer.output_shapes.at(0)));
    }
  }
  for (const PrintedLayer& layer : layers) {
    if (layer.type == "ConstantInput") continue;
    for (const std::string& output : layer.outputs) {
      if (!read.contains(output)) model.graph.outputs.push_back(declared(output, layer.output_shapes.at(0)));
    }
  }
  return model;
}

std::vector<BenanzaTime> benanza_times(const std::filesystem::path& csv) {
  std::ifstream file(csv);
  std::vector<BenanzaTime> times;
  std::string line;
  std::getline(file, line);  // LayerName,LayerType,BenchmarkName,RealTime(ms),Theoretical Flops
  while (std::getline(file, line)) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    // The last row is their total.
    if (fields.size() > 3 && !fields[0].empty()) times.push_back({fields[0], std::stod(fields[3]), fields[2]});
  }
  return times;
}

std::string given_times_csv(const std::vector<BenanzaTime>& times) {
  std::string text = "layer,latency_ms,implementation\n";
  for (const BenanzaTime& time : times)
    text += fmt::format("{},{:.6f},{}\n", time.layer, time.latency_ms, time.implementation);
  return text;
}

}  // namespace xsp::bound::test
