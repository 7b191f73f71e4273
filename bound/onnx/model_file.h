#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "bound/onnx/graph.h"

namespace xsp::bound {

/// Reads an ONNX file through a mapping, so that the pages of weights are never touched: a model of 2 GB takes as long
/// as its nodes do. Functions of the model are put in the place of their calls, and nodes come in an order in which
/// each follows what it reads. Errors (exit code 3) name the file and what is wrong: no ONNX, truncated, a cycle, a
/// value that two nodes write, nested too deep (kMostNesting), more than kMostNodes nodes once functions are in place.
Status read_model(const std::string& path, Model* model);

/// The same of bytes in memory; errors do not name a file.
Status parse_model(std::string_view bytes, Model* model);

inline constexpr size_t kMostNesting = 64;       // subgraphs and functions within one another
inline constexpr size_t kMostNodes = 1'000'000;  // of the whole model
inline constexpr size_t kMostDimensions = 64;    // of a tensor

/// The model as the bytes of an ONNX file. Constants without values are not representable: they must be graph inputs.
std::string write_model(const Model& model);

}  // namespace xsp::bound
