#pragma once

#include <optional>
#include <vector>

#include "analysis/study/study.h"

namespace xsp::analysis {

/// By index of A2: how many elements the inputs of a layer have, together, as its first evaluation tells them: by the
/// arguments of the layer's operator, of a module by those of its first operator, else by the shapes that its span has.
/// Nothing where the trace does not tell. Weights count where they are arguments.
std::vector<std::optional<double>> input_elements_of_layers(const Study& study);

/// The elements of "[8,3,224,224];[8,77]" together; nothing for other text.
std::optional<double> elements_of_shapes(std::string_view shapes);

}  // namespace xsp::analysis
