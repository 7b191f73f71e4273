#pragma once

#include "bound/shapes/operator_call.h"

namespace xsp::bound {

/// Values of output 0 by the type of the node, from those of all inputs, in arithmetic of whole numbers or of f32 and
/// f64. Without values stays what a program cannot compute either, or computes by wrapping around: x/0, overflow.
void unary_values(OperatorCall& call);       // Neg Abs Sign Not Relu Floor Ceil Round Sqrt Reciprocal
void binary_values(OperatorCall& call);      // Add Sub Mul Div Mod Pow And Or Xor, and Min Max Sum of any number
void comparison_values(OperatorCall& call);  // Equal Less Greater LessOrEqual GreaterOrEqual
void where_values(OperatorCall& call);
void cast_values(OperatorCall& call);  // Cast CastLike

/// ReduceProd ReduceSum ReduceMin ReduceMax over these dimensions, in order.
void reduction_values(OperatorCall& call, const std::vector<int64_t>& axes);
void cumulative_values(OperatorCall& call);  // CumSum

}  // namespace xsp::bound
