#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp::bound {

enum class LayerClass : uint8_t {
  kCompute,
  kMovement,  // bytes move: Concat, Transpose, Gather, Slice, Pad
  kZero,      // nothing at run time: Reshape, what is computed from constants alone, what no output needs
  kControl,   // If, Loop, Scan
  kUnknown,   // an operator that is not known, or what lies behind one
};
std::string_view name_of(LayerClass layer_class);  // "compute"

/// Whether layers of the class take time that a benchmark can tell.
bool has_work(LayerClass layer_class);

/// A node of the model.
struct Layer {
  std::string name;  // the node's, else its first output's
  std::string type;  // "Conv"; "com.microsoft.FusedConv"
  LayerClass layer_class = LayerClass::kUnknown;
  std::string inputs;  // "f32[1,3,224,224];f32[64,3,7,7];;" (doc/import.md); long lists are cut (short_text.h)
  std::string outputs;
  std::string dtype;    // element type that it computes in: "f32", "u8"
  std::string problem;  // canonical text; empty where shapes are not known
  size_t unique = 0;    // ordinal of the problem among LayeredModel::unique; kNoProblem without one
  std::optional<double> flops;
  std::optional<double> bytes;
  std::string reason;             // why there can be no time: "the operator acme.Foo is unknown"; else empty
  std::vector<size_t> producers;  // layers whose outputs it reads, in order, once each
};
inline constexpr size_t kNoProblem = SIZE_MAX;

/// Layers with one problem.
struct UniqueLayer {
  std::string problem;
  size_t first = 0;   // the first of its layers, of those with work if there are any
  size_t layers = 0;  // how many there are
  std::string model;  // the node as an ONNX model of its own (bytes); empty for layers without work
};

struct ModelSource;

/// A model taken apart.
struct LayeredModel {
  std::string path;
  std::string name;           // of the file, without its folder and extension
  std::vector<Layer> layers;  // in an order in which each follows its producers
  std::vector<UniqueLayer> unique;
  double multiply_adds = 0;  // of convolutions and products
  std::vector<std::string> notes;
  std::shared_ptr<const ModelSource> source;  // what layers were made of
};

}  // namespace xsp::bound
