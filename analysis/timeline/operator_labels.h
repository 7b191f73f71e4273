#pragma once

#include <string>
#include <string_view>

#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What a person calls an operator that reads tensors of these shapes ("[32,64,56,56];[256,64,1,1]", as tensor_shapes
/// writes them). Empty where the shapes say nothing.
///
///   aten::conv2d              conv2d 64→256 1×1 /56²          channels, kernel, size of the image
///   aten::addmm               addmm 788×768·768×3072          rows × columns of both factors
///   aten::linear              linear 768→3072 /4×197          features, and over what
///   aten::add                 add 32×256×56×56                others: each shape once, later vectors left out
std::string operator_label(std::string_view name, std::string_view shapes);

/// Labels the layers of imported profiles that are operators and have nothing but the operator's name, with the
/// innermost module around in front. To be called when layers have their shapes.
void label_operators(const Parents& parents, Trace* trace);

}  // namespace xsp::analysis
