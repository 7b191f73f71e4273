#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "bound/backends/cudnn_graph.h"
#include "bound/problems/post_steps.h"

namespace xsp::bound::cudnn {

/// A graph that is being drawn. Functions that add an operation return the tensor that it writes.
class Draft {
 public:
  Draft(const ProblemInput& input, DataLayout layout, std::string form = "");

  const ProblemInput& input() const { return input_; }
  const Dimensions& dimensions_of(TensorId tensor) const { return graph_.tensors[tensor.index].dimensions; }

  /// An operand, seen with these dimensions, in the draft's layout. They are those of the problem, reshaped in
  /// row-major order, for the most part with ones added.
  TensorId operand(size_t operand, Dimensions dimensions);
  /// An operand that lies on the device as plainly as the problem has it, seen with these dimensions and strides.
  TensorId view(size_t operand, Dimensions dimensions, Dimensions strides);
  TensorId prepared(Dimensions dimensions, PreparedValues values);
  TensorId scalar(double value, size_t rank);
  TensorId inner(Dimensions dimensions);
  /// Of an inner tensor; it has the type of the sums else.
  void set_element(TensorId tensor, ElementType element) { graph_.tensors[tensor.index].element = element; }

  /// An operation with these attributes and with one more, `output`, a new tensor of these dimensions.
  TensorId add(Description operation, AttributeName output, Dimensions dimensions);
  using Options = std::initializer_list<std::pair<AttributeName, double>>;
  TensorId unary(PointwiseMode mode, TensorId source, Options options = {});
  /// The second operand is broadcast.
  TensorId binary(PointwiseMode mode, TensorId first, TensorId second);
  TensorId binary(PointwiseMode mode, TensorId first, double second);
  TensorId reduce(ReduceOperator mode, TensorId source, Dimensions dimensions);
  TensorId product(TensorId first, TensorId second, Dimensions dimensions);

  /// The function of eltwise and of `post`; an error where cuDNN cannot compute it.
  Status apply(const PostStep& step, TensorId* tensor);
  /// The steps of the field `post`. Addends are seen with the dimensions of the tensor.
  Status apply_post(TensorId* tensor);

  /// The tensor is what the problem asks for. `plain_strides`: where its elements are in the problem's result; empty:
  /// where a reshaping in row-major order has them.
  Graph finish(TensorId tensor, Dimensions plain_strides = {}) &&;

  Enumerator compute_type() const;
  /// Of products and their sums: those of integers are integers.
  Enumerator sum_type(TensorId source) const;

 private:
  TensorId add_tensor(GraphTensor tensor);

  const ProblemInput& input_;
  DataLayout layout_;
  Graph graph_;
};

/// Layouts that are worth asking for: channels last where there are channels, and anything behind them.
std::vector<DataLayout> layouts_for(const Dimensions& dimensions);

/// One graph a layout.
template <typename Draw>
Status draw_each_layout(const ProblemInput& input, const Dimensions& dimensions, std::vector<Graph>* graphs,
                        const Draw& draw) {
  for (const DataLayout layout : layouts_for(dimensions)) {
    if (Status status = draw(input, layout, graphs); !status.ok()) return status;
  }
  return {};
}

/// [N, C, L] as [N, C, 1, L]: images have two dimensions at least.
Dimensions image_dimensions(const Dimensions& dimensions);
Window image_window(Window window);

Status draw_convolution(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_transposed_convolution(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_product(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_attention(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_pooling(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_resizing(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_elementwise(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_binary(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_cast(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_reduction(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_batch_norm(const ProblemInput& input, std::vector<Graph>* graphs);
Status draw_layer_norm(const ProblemInput& input, std::vector<Graph>* graphs);

}  // namespace xsp::bound::cudnn
