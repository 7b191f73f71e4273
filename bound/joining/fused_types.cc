#include "bound/joining/fused_types.h"

#include "bound/joining/operator_family.h"

namespace xsp::bound {
namespace {

struct FusedType {
  std::string_view framework;  // empty: all
  std::string_view types;
  std::string_view before;
  std::string_view after;
};

#define XSP_ACTIVATIONS "relu clip sigmoid tanh leakyrelu elu hardsigmoid hardswish silu gelu prelu softplus mish"

constexpr FusedType kFusedTypes[] = {
    {"onnxruntime", "conv fusedconv nhwcfusedconv nhwcconv", "pad", "batchnorm add mul sub div " XSP_ACTIVATIONS},
    {"onnxruntime", "convtranspose", "pad", "batchnorm"},
    {"onnxruntime", "gemm", "transpose", "add batchnorm"},
    {"onnxruntime", "fusedgemm", "transpose", "add " XSP_ACTIVATIONS},
    {"onnxruntime", "matmul", "", "batchnorm"},
    {"onnxruntime", "fusedmatmul transposematmul", "transpose mul div", "mul div"},
    {"onnxruntime", "maxpool averagepool", "pad", ""},
    {"onnxruntime",
     "qlinearconv qlinearmatmul qgemm qlinearadd qlinearmul qlinearaveragepool qlinearglobalaveragepool "
     "qlinearconcat qlinearsigmoid qlinearleakyrelu qlinearsoftmax qattention",
     "dequantizelinear", "quantizelinear " XSP_ACTIVATIONS},
    {"onnxruntime", "convinteger matmulinteger dynamicquantizematmul matmulintegertofloat", "quantizelinear",
     "cast mul add dequantizelinear"},
    {"onnxruntime",
     "layernormalization skiplayernormalization embedlayernormalization simplifiedlayernormalization "
     "skipsimplifiedlayernormalization",
     "add cast", "cast"},
    {"onnxruntime", "biasgelu fastgelu", "add", ""},
    {"onnxruntime", "biassoftmax", "add", ""},
    {"onnxruntime", "relu", "", "clip"},
    {"tensorflow", "fusedconv padwithfusedconv fuseddepthwiseconvnative fusedmatmul", "pad",
     "add batchnorm " XSP_ACTIVATIONS},
    // Layers of Keras have their bias and their activation inside.
    {"tensorflow", "conv dense depthwiseconv separableconv convtranspose", "", "add softmax " XSP_ACTIVATIONS},
    {"", "sgonednnconv sgmkldnnconv sgonednnfullyconnected sgmkldnnfullyconnected", "",
     "add batchnorm " XSP_ACTIVATIONS},
    {"", "cudnnconvolutionbiasactivationforward", "", "add " XSP_ACTIVATIONS},
};

#undef XSP_ACTIVATIONS

constexpr Composite kComposites[] = {
    {"layernorm", "reducemean sub pow mul add sqrt div cast reciprocal layernorm", "reducemean layernorm"},
    {"batchnorm", "sub mul add sqrt div reciprocal batchnorm", "batchnorm sqrt reciprocal"},
    {"groupnorm", "instancenorm mul add groupnorm", "instancenorm groupnorm"},
    {"gelu", "div mul erf add tanh pow sigmoid cast gelu", "erf tanh sigmoid gelu"},
    {"silu", "sigmoid mul silu", "sigmoid silu"},
    {"hardswish", "hardsigmoid clip mul add div hardswish", "hardsigmoid clip hardswish"},
    {"mish", "softplus tanh mul mish", "softplus tanh mish"},
    {"spacetodepth", "slice concat transpose spacetodepth", "slice spacetodepth"},
    {"attention",
     "attention matmul mul div add sub softmax transpose where cast sqrt slice concat gather split expand pad equal",
     "softmax attention"},
};

}  // namespace

bool adds_bias(std::string_view type) {
  return has_word(
      "gemm fusedgemm linear nondynamicallyquantizablelinear lazylinear addmm addbmm baddbmm addmv dense "
      "fullyconnected innerproduct sgonednnfullyconnected sgmkldnnfullyconnected",
      type);
}

bool can_fuse(std::string_view framework, std::string_view type, FusedSide side, std::string_view family) {
  for (const FusedType& row : kFusedTypes) {
    if (!row.framework.empty() && row.framework != framework) continue;
    if (!has_word(row.types, type)) continue;
    return has_word(side == FusedSide::kBefore ? row.before : row.after, family);
  }
  return false;
}

const Composite* composite_of(std::string_view family) {
  for (const Composite& composite : kComposites) {
    if (composite.family == family) return &composite;
  }
  return nullptr;
}

}  // namespace xsp::bound
