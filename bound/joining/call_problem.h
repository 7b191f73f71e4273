#pragma once

#include <string>

#include "analysis/trace/trace.h"

namespace xsp::bound {

/// What the arguments of a library call tell, in our words.
struct CallProblem {
  std::string problem;         // canonical text; empty: they do not tell
  std::string implementation;  // as rows of benchmarks name it, where that can be told
  std::string layout;
};

/// Of cuDNN (legacy calls and graph plans), cuBLAS, cuBLASLt, oneDNN (its own calls and ITT ranges), BLAS.
CallProblem problem_of_call(const analysis::Trace& trace, analysis::Row row);

/// The same of oneDNN's own text (the lines of ONEDNN_VERBOSE, versions 2 and 3, without the time).
CallProblem problem_of_onednn_text(std::string_view text);

}  // namespace xsp::bound
