#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xsp::bound {

/// What compute libraries have calls for.
enum class LayerKind : uint8_t { kOther, kConv, kProduct, kBatchNormalization, kPooling, kSoftmax };

/// Of a type of layer in a trace: an operator of ONNX ("Conv"), PyTorch ("aten::conv2d"), TensorFlow or MXNet, or a
/// class of torch.nn ("Conv2d"). Attention is no product here: it is more than one.
LayerKind layer_kind(std::string_view type);

/// "convolution"; "layer" of kOther.
std::string_view noun_of(LayerKind kind);

/// "1 convolution", "53 convolutions".
std::string counted(LayerKind kind, size_t count);

}  // namespace xsp::bound
