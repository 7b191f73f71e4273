#include "bound/backends/cudnn_legacy.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

using Calls = std::vector<std::shared_ptr<const LegacyCall>>;

/// An object of the library, destroyed with the last who holds it.
template <typename Object>
std::shared_ptr<Object> made(Answer (*create)(Object**), Answer (*destroy)(Object*)) {
  Object* object = nullptr;
  if (create == nullptr || destroy == nullptr || create(&object) != CUDNN_STATUS_SUCCESS) return nullptr;
  return std::shared_ptr<Object>(object, [destroy](Object* last) { destroy(last); });
}

std::vector<int> as_ints(const Dimensions& values) { return std::vector<int>(values.begin(), values.end()); }

/// The form of a tensor; an error is the library's word.
Status describe(const Api& api, const GraphTensor& tensor, std::shared_ptr<TensorObject>* form) {
  *form = made(api.create_tensor, api.destroy_tensor);
  if (*form == nullptr || api.set_tensor == nullptr) return {"this cuDNN has no such call", ""};
  const std::vector<int> dimensions = as_ints(tensor.dimensions), strides = as_ints(tensor.strides);
  return api.status_of(api.set_tensor(form->get(), *cudnn_type_of(tensor.element), static_cast<int>(dimensions.size()),
                                      dimensions.data(), strides.data()));
}

GraphTensor tensor_of(GraphTensor::Role role, ElementType element, Dimensions dimensions, DataLayout layout,
                      size_t operand = 0) {
  GraphTensor tensor{.role = role, .element = element};
  tensor.strides = strides_of(dimensions, layout);
  tensor.plain_strides = strides_of(dimensions, DataLayout::kPlain);
  tensor.dimensions = std::move(dimensions);
  tensor.operand = operand;
  return tensor;
}

/// What every call has: one source, one result, and what these are multiplied by.
struct CallForms {
  std::shared_ptr<TensorObject> source, result;
  double one = 1, zero = 0;
  float single_one = 1, single_zero = 0;
  bool is_double = false;

  const void* alpha() const { return is_double ? static_cast<const void*>(&one) : &single_one; }
  const void* beta() const { return is_double ? static_cast<const void*>(&zero) : &single_zero; }
};

/// A call without its function.
Status begin_call(const Api& api, const ProblemInput& input, const std::string& name, DataLayout layout,
                  Dimensions source, Dimensions result, LegacyCall* call, std::shared_ptr<CallForms>* forms) {
  call->name = name;
  call->layout = name_of(layout);
  call->tensors.push_back(tensor_of(GraphTensor::Role::kOperand, input.element_of(0), std::move(source), layout));
  call->tensors.push_back(tensor_of(GraphTensor::Role::kResult, input.result_element(), std::move(result), layout));
  *forms = std::make_shared<CallForms>();
  (*forms)->is_double = input.inner_element() == ElementType::kF64;
  if (Status status = describe(api, call->tensors[0], &(*forms)->source); !status.ok()) return status;
  return describe(api, call->tensors[1], &(*forms)->result);
}

Status no_such_call() { return {"this cuDNN has no such call", ""}; }

Status add_softmax(const Api& api, Handle, const ProblemInput& input, Calls* calls) {
  if (api.softmax == nullptr) return no_such_call();
  const Dimensions& source = input.dimensions_of(0);
  const auto axis = static_cast<std::ptrdiff_t>(input.problem().integer("axis"));
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
  };
  const int64_t outer = product(source.begin(), source.begin() + axis);
  const int64_t inner = product(source.begin() + axis + 1, source.end());
  const int64_t count = source[static_cast<size_t>(axis)];
  const bool is_log = input.problem().integer("log") != 0;
  const Dimensions image{outer, count, inner, 1};
  for (const int mode : {CUDNN_SOFTMAX_MODE_INSTANCE, CUDNN_SOFTMAX_MODE_CHANNEL}) {
    const bool is_instance = mode == CUDNN_SOFTMAX_MODE_INSTANCE;
    if (is_instance && inner != 1) continue;  // it takes in all that belongs to one image
    LegacyCall call;
    std::shared_ptr<CallForms> forms;
    const std::string name = is_instance ? "cudnnSoftmaxForward instance" : "cudnnSoftmaxForward channel";
    if (Status status = begin_call(api, input, name, DataLayout::kPlain, image, image, &call, &forms); !status.ok())
      return status;
    const int algorithm = is_log ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE;
    call.run = [softmax = api.softmax, forms, mode, algorithm](Handle handle, std::span<void* const> pointers) {
      return softmax(handle, algorithm, mode, forms->alpha(), forms->source.get(), pointers[0], forms->beta(),
                     forms->result.get(), pointers[1]);
    };
    calls->push_back(std::make_shared<const LegacyCall>(std::move(call)));
  }
  return {};
}

/// It is told one padding a dimension, and finds by itself how many windows fit: whether these are those of the
/// problem.
bool fits_call(const Window& window, const Dimensions& source, const Dimensions& result, bool counts_padding) {
  for (size_t i = 0; i < window.rank(); ++i) {
    const int64_t room = source[i + 2] + 2 * window.pads_begin[i] - window.kernel[i];
    if (room < 0 || room / window.strides[i] + 1 != result[i + 2] || window.dilations[i] != 1) return false;
    if (counts_padding && window.pads_begin[i] != window.pads_end[i]) return false;
  }
  return true;
}

Status add_pooling(const Api& api, Handle, const ProblemInput& input, Calls* calls) {
  if (api.pooling == nullptr || api.set_pooling == nullptr) return no_such_call();
  const auto plain_window = window_of(input.problem(), input.problem().dimensions("kernel"));
  if (!plain_window) return {"a pooling without a window", ""};
  const Window window = image_window(*plain_window);
  const Dimensions source = image_dimensions(input.dimensions_of(0)), result = image_dimensions(input.result());
  const bool is_max = input.problem().kind() == "maxpool";
  const bool counts_padding = !is_max && input.problem().integer("include_pad") != 0;
  if (!fits_call(window, source, result, counts_padding))
    return {"cudnnPoolingForward has no such padding or dilation", ""};
  const int mode = is_max           ? CUDNN_POOLING_MAX
                   : counts_padding ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                    : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
  const auto pooling = made(api.create_pooling, api.destroy_pooling);
  if (pooling == nullptr) return no_such_call();
  const std::vector<int> kernel = as_ints(window.kernel), pads = as_ints(window.pads_begin),
                         strides = as_ints(window.strides);
  if (Status status =
          api.status_of(api.set_pooling(pooling.get(), mode, CUDNN_PROPAGATE_NAN, static_cast<int>(window.rank()),
                                        kernel.data(), pads.data(), strides.data()));
      !status.ok())
    return status;
  for (const DataLayout layout : layouts_for(result)) {
    LegacyCall call;
    std::shared_ptr<CallForms> forms;
    if (Status status = begin_call(api, input, "cudnnPoolingForward", layout, source, result, &call, &forms);
        !status.ok())
      return status;
    call.run = [run = api.pooling, pooling, forms](Handle handle, std::span<void* const> pointers) {
      return run(handle, pooling.get(), forms->alpha(), forms->source.get(), pointers[0], forms->beta(),
                 forms->result.get(), pointers[1]);
    };
    calls->push_back(std::make_shared<const LegacyCall>(std::move(call)));
  }
  return {};
}

Status add_response_norm(const Api& api, Handle, const ProblemInput& input, Calls* calls) {
  if (api.response_norm == nullptr || api.set_response_norm == nullptr) return no_such_call();
  const auto norm = made(api.create_response_norm, api.destroy_response_norm);
  if (norm == nullptr) return no_such_call();
  const Problem& problem = input.problem();
  if (Status status = api.status_of(
          api.set_response_norm(norm.get(), static_cast<unsigned>(std::min<int64_t>(problem.integer("size"), 1 << 30)),
                                problem.number("alpha", kUsualLrnAlpha), problem.number("beta", kUsualLrnBeta),
                                problem.number("bias", kUsualLrnBias)));
      !status.ok())
    return status;
  const Dimensions image = image_dimensions(input.result());
  for (const DataLayout layout : layouts_for(input.result())) {
    LegacyCall call;
    std::shared_ptr<CallForms> forms;
    if (Status status = begin_call(api, input, "cudnnLRNCrossChannelForward", layout, image, image, &call, &forms);
        !status.ok())
      return status;
    call.run = [run = api.response_norm, norm, forms](Handle handle, std::span<void* const> pointers) {
      return run(handle, norm.get(), CUDNN_LRN_CROSS_CHANNEL_DIM1, forms->alpha(), forms->source.get(), pointers[0],
                 forms->beta(), forms->result.get(), pointers[1]);
    };
    calls->push_back(std::make_shared<const LegacyCall>(std::move(call)));
  }
  return {};
}

constexpr std::pair<std::string_view, ReduceOperator> kReduceOperators[] = {
    {"mean", CUDNN_REDUCE_TENSOR_AVG}, {"sum", CUDNN_REDUCE_TENSOR_ADD},  {"max", CUDNN_REDUCE_TENSOR_MAX},
    {"min", CUDNN_REDUCE_TENSOR_MIN},  {"prod", CUDNN_REDUCE_TENSOR_MUL}, {"l1", CUDNN_REDUCE_TENSOR_NORM1},
    {"l2", CUDNN_REDUCE_TENSOR_NORM2},
};

Status add_reduction(const Api& api, Handle handle, const ProblemInput& input, Calls* calls) {
  const auto* const found = std::ranges::find(kReduceOperators, input.problem().field("alg"),
                                              &std::pair<std::string_view, ReduceOperator>::first);
  if (api.reduction == nullptr || api.set_reduction == nullptr || api.reduction_workspace == nullptr)
    return no_such_call();
  if (found == std::end(kReduceOperators)) return {"cuDNN has no such reduction", ""};
  const auto reduction = made(api.create_reduction, api.destroy_reduction);
  if (reduction == nullptr) return no_such_call();
  if (Status status =
          api.status_of(api.set_reduction(reduction.get(), found->second, *cudnn_type_of(input.inner_element()),
                                          CUDNN_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES));
      !status.ok())
    return status;
  LegacyCall call;
  std::shared_ptr<CallForms> forms;
  const Dimensions source = image_dimensions(input.dimensions_of(0)), result = image_dimensions(input.result());
  if (Status status = begin_call(api, input, "cudnnReduceTensor", DataLayout::kPlain, source, result, &call, &forms);
      !status.ok())
    return status;
  size_t workspace = 0;
  if (handle != nullptr) {
    if (Status status = api.status_of(
            api.reduction_workspace(handle, reduction.get(), forms->source.get(), forms->result.get(), &workspace));
        !status.ok())
      return status;
  }
  call.workspace_bytes = workspace;
  call.run = [run = api.reduction, reduction, forms, workspace](Handle with, std::span<void* const> pointers) {
    return run(with, reduction.get(), nullptr, 0, pointers[2], workspace, forms->alpha(), forms->source.get(),
               pointers[0], forms->beta(), forms->result.get(), pointers[1]);
  };
  calls->push_back(std::make_shared<const LegacyCall>(std::move(call)));
  return {};
}

Status add_batch_norm(const Api& api, Handle, const ProblemInput& input, Calls* calls) {
  if (api.batch_norm == nullptr) return no_such_call();
  const Dimensions image = image_dimensions(input.result());
  Dimensions channels(image.size(), 1);
  channels[1] = image[1];
  const double epsilon = input.problem().number("eps", kUsualEpsilon);
  for (const DataLayout layout : layouts_for(input.result())) {
    LegacyCall call;
    std::shared_ptr<CallForms> forms;
    if (Status status =
            begin_call(api, input, "cudnnBatchNormalizationForwardInference", layout, image, image, &call, &forms);
        !status.ok())
      return status;
    // Whatever the type of the images, these are of the type of the sums.
    for (const size_t operand : {1, 2, 3, 4}) {
      call.tensors.push_back(tensor_of(GraphTensor::Role::kOperand, input.inner_element(), channels, layout, operand));
    }
    std::shared_ptr<TensorObject> factors;
    if (Status status = describe(api, call.tensors.back(), &factors); !status.ok()) return status;
    call.run = [run = api.batch_norm, forms, factors, epsilon](Handle handle, std::span<void* const> pointers) {
      return run(handle, CUDNN_BATCHNORM_SPATIAL, forms->alpha(), forms->beta(), forms->source.get(), pointers[0],
                 forms->result.get(), pointers[1], factors.get(), pointers[2], pointers[3], pointers[4], pointers[5],
                 epsilon);
    };
    calls->push_back(std::make_shared<const LegacyCall>(std::move(call)));
  }
  return {};
}

/// A copy between two tensors of the same dimensions that lie differently.
Status add_transposition(const Api& api, Handle, const ProblemInput& input, Calls* calls) {
  if (api.transform == nullptr) return no_such_call();
  const Dimensions order = input.problem().list("perm");
  const Dimensions strides = strides_of(input.dimensions_of(0), DataLayout::kPlain);
  Dimensions dimensions = input.result(), source_strides;
  for (const int64_t from : order) source_strides.push_back(strides[static_cast<size_t>(from)]);
  while (dimensions.size() < 4) {
    dimensions.insert(dimensions.begin(), 1);
    source_strides.insert(source_strides.begin(), elements_in(input.result()).value_or(1));
  }
  LegacyCall call;
  std::shared_ptr<CallForms> forms;
  if (Status status =
          begin_call(api, input, "cudnnTransformTensor", DataLayout::kPlain, dimensions, dimensions, &call, &forms);
      !status.ok())
    return status;
  call.tensors[0].strides = source_strides;
  call.tensors[0].plain_strides = source_strides;
  if (Status status = describe(api, call.tensors[0], &forms->source); !status.ok()) return status;
  call.run = [run = api.transform, forms](Handle handle, std::span<void* const> pointers) {
    return run(handle, forms->alpha(), forms->source.get(), pointers[0], forms->beta(), forms->result.get(),
               pointers[1]);
  };
  calls->push_back(std::make_shared<const LegacyCall>(std::move(call)));
  return {};
}

using AddCalls = Status (*)(const Api& api, Handle handle, const ProblemInput& input, Calls* calls);
constexpr std::pair<std::string_view, AddCalls> kLegacyKinds[] = {
    {"softmax", add_softmax},         {"maxpool", add_pooling},  {"avgpool", add_pooling},
    {"lrn", add_response_norm},       {"reduce", add_reduction}, {"batchnorm", add_batch_norm},
    {"transpose", add_transposition},
};

}  // namespace

Status make_legacy_calls(const Api& api, Handle handle, const ProblemInput& input, Calls* calls) {
  const auto* const found = std::ranges::find(kLegacyKinds, std::string_view(input.problem().kind()),
                                              &std::pair<std::string_view, AddCalls>::first);
  if (found == std::end(kLegacyKinds)) return {"cuDNN has no call for this kind of problem", ""};
  return found->second(api, handle, input, calls);
}

}  // namespace xsp::bound::cudnn
