#pragma once

#include <optional>

#include "analysis/trace/call_arguments.h"
#include "bound/joining/product_problem.h"

namespace xsp::bound {

/// The product that a call of BLAS, CBLAS, cuBLAS or cublasLt computes, of matrices as programs that store them by rows
/// see it: what lies by columns is there its transposed matrix, so that operands change places. What BLAS adds to the
/// result is no part of it. Nothing for other routines, and for products of which the arguments do not tell all.
std::optional<Problem> problem_of_blas(std::string_view kind, const analysis::CallArguments& call);

}  // namespace xsp::bound
