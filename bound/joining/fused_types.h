#pragma once

#include <string_view>

namespace xsp::bound {

/// Whether a layer of a trace of this (plain) type runs, besides its own operator, one of `family` whose result it
/// reads
/// (`kBefore`) or that reads its result (`kAfter`).
enum class FusedSide { kBefore, kAfter };
bool can_fuse(std::string_view framework, std::string_view type, FusedSide side, std::string_view family);

/// Whether a product of this (plain) type adds a bias, too.
bool adds_bias(std::string_view type);

/// What models may have as several layers and frameworks have as one: a normalization, a GELU, attention.
struct Composite {
  std::string_view family;  // of the layer of the trace
  std::string_view parts;   // families of layers of the model
  std::string_view core;    // of these one at least is there
};

/// Null for a family that is a single operator everywhere.
const Composite* composite_of(std::string_view family);

}  // namespace xsp::bound
