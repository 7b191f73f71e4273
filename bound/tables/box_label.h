#pragma once

#include <cstddef>
#include <string>

#include "bound/model/layer.h"
#include "bound/tables/box_graph.h"

namespace xsp::bound {

/// What a box of a drawing says, none of it escaped for markup, all of it printable.

/// "Conv, BatchNorm, Relu": types as often as they occur, in at most `letters` letters.
std::string box_types(const Box& box, const LayeredModel& model, size_t letters);

/// "12–14: 0.33 ms", by the index of B1; with a trace "12–14: 0.33 | 0.61 ms", bound and measured; "3 layers: …" where
/// they do not follow one another; the time alone where there is no more room.
std::string box_time(const Box& box, size_t letters);

/// "3 layers: Conv, BatchNormalization, Relu, 0.33 ms (stem.conv to stem.relu)"; with a trace "0.33 ms, 0.61 measured".
std::string box_title(const Box& box, const LayeredModel& model, size_t letters);

/// A name of a model, made printable and at most `letters` wide.
std::string drawn_name(const std::string& name, size_t letters);

}  // namespace xsp::bound
