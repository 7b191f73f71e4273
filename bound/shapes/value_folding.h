#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bound/shapes/operator_call.h"

namespace xsp::bound {

/// Facts of a weight or of what a Constant node holds.
ValueFacts facts_of(const ConstantTensor& tensor);

/// Whether an output has a shape and is small enough that its values are kept.
bool keeps_values(const ValueFacts& output);

/// Gives an output its values, which must be as many as it has elements. Does nothing where one of them is outside what
/// the element type holds: what a program computes then is its own affair.
void set_integers(ValueFacts* output, std::vector<int64_t> values);
/// The same for results of arithmetic in f32 (to which they are rounded) and f64.
void set_numbers(ValueFacts* output, std::vector<double> values);

/// Output 0 takes all values of input 0 in their order.
void copy_values(OperatorCall& call);

/// `output` takes, in its order, the values of `input` at these positions.
void pick_values(const ValueFacts& input, const std::vector<size_t>& positions, ValueFacts* output);

/// base + Σ index·stride for all indices of `dimensions`, the last one first. All of them must be positions.
std::vector<size_t> strided_positions(const Dimensions& dimensions, const std::vector<int64_t>& strides, int64_t base);

/// Steps in row-major order from an element to the next one in each dimension.
std::vector<int64_t> strides_of(const Dimensions& dimensions);

/// Positions in an input of shape `from` for each element of the shape `to`, to which it is broadcast.
std::vector<size_t> broadcast_positions(const Dimensions& from, const Dimensions& to);

}  // namespace xsp::bound
