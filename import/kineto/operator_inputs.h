#pragma once

#include <string>
#include <string_view>

namespace xsp::kineto {

/// Writes 'Input Dims' and 'Input type', two JSON arrays, in the form of OperatorArguments::inputs. What is damaged
/// ends the list. Tensors of a list have no element type there: "?".
void append_operator_inputs(std::string_view dims, std::string_view types, std::string* inputs);

/// The canonical name of a PyTorch element type: "f32" of "float"; empty if it is none that is known.
std::string_view element_type(std::string_view name);

}  // namespace xsp::kineto
