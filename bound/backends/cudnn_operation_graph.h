#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/backends/cudnn_descriptor.h"
#include "bound/backends/cudnn_graph.h"

namespace xsp::bound::cudnn {

/// For which device engines are asked for and plans are made.
struct Target {
  const Api* api = nullptr;
  Handle handle = nullptr;
  /// Without a handle: properties of a device that need not be here (cuDNN 9.8 and newer); finalized.
  std::shared_ptr<const Descriptor> properties;
};

/// Properties from JSON, as cuDNN writes them into plans ("GPUProfile").
Status describe_device(const Api& api, const std::string& json, std::shared_ptr<const Descriptor>* properties);

/// A graph as descriptors of the library. Neither can be copied: descriptors refer to one another.
class OperationGraph {
 public:
  /// `failed`: where it is wanted, what an error is of: "tensors", "operations", "graph".
  static Status make(const Target& target, std::shared_ptr<const Graph> graph, std::shared_ptr<OperationGraph>* made,
                     std::string* failed = nullptr);

  const Graph& graph() const { return *graph_; }
  const Descriptor& descriptor() const { return descriptor_; }
  /// The id that calls know a tensor by.
  static int64_t id_of(size_t tensor) { return static_cast<int64_t>(tensor) + 1; }

 private:
  Status add_tensors();
  /// A finalized descriptor, with those that it refers to kept in `parts_`.
  Status make_descriptor(const Description& description, Descriptor* descriptor);
  void set_value(const AttributeValue& value, AttributeName name, Descriptor* descriptor);

  const Api* api_ = nullptr;
  std::shared_ptr<const Graph> graph_;
  std::vector<Descriptor> tensors_, parts_, operations_;
  Descriptor descriptor_;
};

}  // namespace xsp::bound::cudnn
