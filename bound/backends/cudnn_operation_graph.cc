#include "bound/backends/cudnn_operation_graph.h"

#include <utility>

namespace xsp::bound::cudnn {
namespace {

/// What device memory is aligned to is more; engines ask for no more than this.
constexpr int64_t kByteAlignment = 16;

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

Status describe_device(const Api& api, const std::string& json, std::shared_ptr<const Descriptor>* properties) {
  auto made = std::make_shared<Descriptor>(api, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  made->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, static_cast<int64_t>(json.size()), json.data());
  const Status status = made->finalize();
  *properties = std::move(made);
  return status;
}

Status OperationGraph::make(const Target& target, std::shared_ptr<const Graph> graph,
                            std::shared_ptr<OperationGraph>* made, std::string* failed) {
  auto result = std::make_shared<OperationGraph>();
  result->api_ = target.api;
  result->graph_ = std::move(graph);
  const auto fail = [failed](const char* of, Status status) {
    if (failed != nullptr) *failed = of;
    return status;
  };
  if (Status status = result->add_tensors(); !status.ok()) return fail("tensors", status);
  std::vector<BackendObject*> objects;
  for (const Description& operation : result->graph_->operations) {
    Descriptor descriptor;
    if (Status status = result->make_descriptor(operation, &descriptor); !status.ok())
      return fail("operations", status);
    objects.push_back(descriptor.object());
    result->operations_.push_back(std::move(descriptor));
  }
  Descriptor descriptor(*target.api, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  descriptor.set_descriptors(CUDNN_ATTR_OPERATIONGRAPH_OPS, objects);
  if (target.handle != nullptr) descriptor.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &target.handle);
  if (Status status = descriptor.finalize(); !status.ok()) return fail("graph", status);
  result->descriptor_ = std::move(descriptor);
  *made = std::move(result);
  return {};
}

Status OperationGraph::add_tensors() {
  for (size_t i = 0; i < graph_->tensors.size(); ++i) {
    const GraphTensor& tensor = graph_->tensors[i];
    Descriptor descriptor(*api_, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    descriptor.set_enumerator(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, *cudnn_type_of(tensor.element));
    descriptor.set_integers(CUDNN_ATTR_TENSOR_DIMENSIONS, tensor.dimensions);
    descriptor.set_integers(CUDNN_ATTR_TENSOR_STRIDES, tensor.strides);
    descriptor.set_integer(CUDNN_ATTR_TENSOR_UNIQUE_ID, id_of(i));
    descriptor.set_integer(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kByteAlignment);
    const bool is_true = true;
    if (tensor.role == GraphTensor::Role::kInner)
      descriptor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_true);
    if (tensor.role == GraphTensor::Role::kScalar)
      descriptor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &is_true);
    if (Status status = descriptor.finalize(); !status.ok()) return status;
    tensors_.push_back(std::move(descriptor));
  }
  return {};
}

Status OperationGraph::make_descriptor(const Description& description, Descriptor* descriptor) {
  Descriptor made(*api_, description.type);
  for (const auto& [name, value] : description.attributes) {
    const auto* const part = std::get_if<std::shared_ptr<const Description>>(&value);
    if (part == nullptr) {
      set_value(value, name, &made);
      continue;
    }
    Descriptor inner;
    if (Status status = make_descriptor(**part, &inner); !status.ok()) return status;
    made.set_descriptor(name, inner);
    parts_.push_back(std::move(inner));
  }
  const Status status = made.finalize();
  *descriptor = std::move(made);
  return status;
}

void OperationGraph::set_value(const AttributeValue& value, AttributeName name, Descriptor* descriptor) {
  std::visit(Overloaded{
                 [&](const std::vector<int64_t>& integers) { descriptor->set_integers(name, integers); },
                 [&](const Enumerator& number) { descriptor->set_enumerator(name, number.type, number.value); },
                 [&](const Real& real) {
                   const auto single = static_cast<float>(real.value);
                   const bool is_double = real.type == CUDNN_TYPE_DOUBLE;
                   const void* const bytes = is_double ? static_cast<const void*>(&real.value) : &single;
                   descriptor->set(name, real.type, 1, bytes);
                 },
                 [&](const Fractions& fractions) {
                   std::vector<Fraction> values;
                   for (const auto& [above, below] : fractions.values) values.push_back({above, below});
                   descriptor->set(name, CUDNN_TYPE_FRACTION, static_cast<int64_t>(values.size()), values.data());
                 },
                 [&](const std::vector<TensorId>& tensors) {
                   std::vector<BackendObject*> objects;
                   for (const TensorId tensor : tensors) objects.push_back(tensors_[tensor.index].object());
                   descriptor->set_descriptors(name, objects);
                 },
                 [](const std::shared_ptr<const Description>&) {},
             },
             value);
}

}  // namespace xsp::bound::cudnn
