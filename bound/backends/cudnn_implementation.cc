#include "bound/backends/cudnn_implementation.h"

#include <utility>

namespace xsp::bound::cudnn {
namespace {

/// Where elements are that have the row-major positions 0, 1, … of `dimensions`.
class StridedPositions {
 public:
  StridedPositions(const Dimensions& dimensions, const Dimensions& strides)
      : dimensions_(dimensions), strides_(strides), indices_(dimensions.size()) {}

  size_t position() const { return static_cast<size_t>(position_); }
  void advance() {
    for (size_t i = dimensions_.size(); i-- > 0;) {
      position_ += strides_[i];
      if (++indices_[i] < dimensions_[i]) return;
      position_ -= dimensions_[i] * strides_[i];
      indices_[i] = 0;
    }
  }

 private:
  const Dimensions& dimensions_;
  const Dimensions& strides_;
  Dimensions indices_;
  int64_t position_ = 0;
};

/// Elements that lie in `values` with strides of one kind, as they lie with the other ones.
std::vector<float> relaid(const std::vector<float>& values, const Dimensions& dimensions, const Dimensions& from,
                          const Dimensions& to, size_t size) {
  std::vector<float> result(size);
  const auto elements = static_cast<size_t>(elements_in(dimensions).value_or(0));
  StridedPositions source(dimensions, from), destination(dimensions, to);
  for (size_t i = 0; i < elements; ++i, source.advance(), destination.advance()) {
    if (source.position() < values.size() && destination.position() < size) {
      result[destination.position()] = values[source.position()];
    }
  }
  return result;
}

bool is_in_memory(const GraphTensor& tensor) {
  return tensor.role != GraphTensor::Role::kInner && tensor.role != GraphTensor::Role::kScalar;
}

}  // namespace

TensorImplementation::TensorImplementation(std::shared_ptr<Process> process, Operands operands,
                                           const std::vector<GraphTensor>& tensors, uint64_t workspace_bytes)
    : DeviceImplementation(process->device),
      process_(std::move(process)),
      operands_(std::move(operands)),
      tensors_(tensors),
      workspace_bytes_(workspace_bytes) {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    if (is_in_memory(tensors_[i])) in_memory_.push_back(i);
  }
}

std::vector<size_t> TensorImplementation::device_sizes() const {
  std::vector<size_t> sizes;
  for (const size_t tensor : in_memory_) {
    sizes.push_back(tensors_[tensor].span() * static_cast<size_t>(bytes_of(tensors_[tensor].element)));
  }
  sizes.push_back(workspace_bytes_);
  return sizes;
}

Status TensorImplementation::fill(const GraphTensor& tensor, cuda::DevicePointer address) {
  const bool is_operand = tensor.role == GraphTensor::Role::kOperand;
  if (is_operand && tensor.operand >= operands_->size()) return {"the operands are not those of the problem", ""};
  std::vector<float> prepared;
  if (!is_operand) prepared = tensor.prepared(*operands_);
  const std::vector<float>& plain = is_operand ? (*operands_)[tensor.operand].values : prepared;
  if (std::cmp_not_equal(plain.size(), elements_in(tensor.dimensions).value_or(-1)))
    return {"an operand has another size", ""};
  return device().upload(relaid(plain, tensor.dimensions, tensor.plain_strides, tensor.strides, tensor.span()),
                         tensor.element, address);
}

Status TensorImplementation::fill_device(std::span<const cuda::DevicePointer> buffers) {
  for (size_t i = 0; i < in_memory_.size(); ++i) {
    const GraphTensor& tensor = tensors_[in_memory_[i]];
    if (tensor.role == GraphTensor::Role::kResult) continue;
    if (Status status = fill(tensor, buffers[i]); !status.ok()) return status;
  }
  return {};
}

Status TensorImplementation::read_device(std::span<const cuda::DevicePointer> buffers, std::vector<float>* result) {
  for (size_t i = 0; i < in_memory_.size(); ++i) {
    const GraphTensor& tensor = tensors_[in_memory_[i]];
    if (tensor.role != GraphTensor::Role::kResult) continue;
    std::vector<float> values;
    if (Status status = device().download(buffers[i], tensor.span(), tensor.element, &values); !status.ok())
      return status;
    const auto elements = static_cast<size_t>(elements_in(tensor.dimensions).value_or(0));
    *result = relaid(values, tensor.dimensions, tensor.strides, tensor.plain_strides, elements);
    return {};
  }
  return {"a graph without a result", ""};
}

PlanImplementation::PlanImplementation(std::shared_ptr<Process> process, Operands operands,
                                       std::shared_ptr<const OperationGraph> graph, ExecutionPlan plan)
    : TensorImplementation(std::move(process), std::move(operands), graph->graph().tensors, plan.workspace_bytes),
      graph_(std::move(graph)),
      plan_(std::move(plan)) {
  // Packs point at them: as many as there are tensors, so that they never move.
  for (const GraphTensor& tensor : graph_->graph().tensors) {
    scalars_.push_back(static_cast<float>(tensor.scalar));
    wide_scalars_.push_back(tensor.scalar);
  }
}

Status PlanImplementation::make_variant_pack(std::span<const cuda::DevicePointer> buffers, Descriptor* pack) {
  const std::vector<GraphTensor>& tensors = graph_->graph().tensors;
  std::vector<int64_t> ids;
  std::vector<void*> pointers;
  for (size_t i = 0; i < in_memory().size(); ++i) {
    ids.push_back(OperationGraph::id_of(in_memory()[i]));
    pointers.push_back(pointer(buffers[i]));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].role != GraphTensor::Role::kScalar) continue;
    ids.push_back(OperationGraph::id_of(i));
    const bool is_wide = tensors[i].element == ElementType::kF64;
    pointers.push_back(is_wide ? static_cast<void*>(&wide_scalars_[i]) : &scalars_[i]);
  }
  void* workspace = pointer(buffers[in_memory().size()]);
  *pack = Descriptor(process().api, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack->set_integers(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  pack->set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, static_cast<int64_t>(pointers.size()),
            pointers.data());
  pack->set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  return pack->finalize();
}

Status PlanImplementation::enqueue(std::span<const cuda::DevicePointer> buffers) {
  auto found = packs_.find(buffers[0]);
  if (found == packs_.end()) {
    Descriptor pack;
    if (Status status = make_variant_pack(buffers, &pack); !status.ok()) return status;
    found = packs_.emplace(buffers[0], std::move(pack)).first;
  }
  const Api& api = process().api;
  return api.status_of(api.execute(process().handle, plan_.descriptor.object(), found->second.object()));
}

LegacyImplementation::LegacyImplementation(std::shared_ptr<Process> process, Operands operands,
                                           std::shared_ptr<const LegacyCall> call)
    : TensorImplementation(std::move(process), std::move(operands), call->tensors, call->workspace_bytes),
      call_(std::move(call)) {}

Status LegacyImplementation::enqueue(std::span<const cuda::DevicePointer> buffers) {
  std::vector<void*> pointers;
  for (const cuda::DevicePointer buffer : buffers) pointers.push_back(pointer(buffer));
  return process().api.status_of(call_->run(process().handle, pointers));
}

}  // namespace xsp::bound::cudnn
