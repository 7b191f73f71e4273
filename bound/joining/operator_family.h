#pragma once

#include <string>
#include <string_view>

namespace xsp::bound {

/// What computes the same under the names that frameworks, runtimes and libraries have for it: "Conv", "Conv2d",
/// "aten::convolution", "_FusedConv2D" and "cudnnConvolutionForward" are of the family "conv".
struct OperatorFamily {
  std::string_view name;     // empty: nothing that a model has, such as a change of layouts
  std::string_view general;  // the family by which libraries know it that do not tell more: "pooling"; else its name
  bool is_general = false;   // the type itself tells no more than that: "Pooling", "cudnnActivationForward"
};

/// Of a type of an ONNX node or of a layer of a trace. Types that the table lacks are families of their own.
OperatorFamily family_of(std::string_view type);

/// The type as the table has it: "aten::max_pool2d" and "MaxPooling2D" are "maxpool" and "maxpooling".
std::string plain_type(std::string_view type);

/// Convolutions, products, recurrent layers and attention: what a model spends its time in, and a trace of it must
/// have.
bool is_heavy(std::string_view family);

/// What takes no time to speak of, or none in some frameworks: changes of shape, Dropout, Identity.
bool is_light(std::string_view family);

/// Whether a list of words, separated by blanks, has the word.
bool has_word(std::string_view words, std::string_view word);

}  // namespace xsp::bound
