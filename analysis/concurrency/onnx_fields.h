#pragma once

#include <cstdint>

namespace xsp::analysis::onnx_fields {

/// Field numbers of the published schema (onnx.proto, IR version 14) of what a model's dependencies are made of.
namespace model {
enum : uint32_t { kIrVersion = 1, kGraph = 7 };
}
namespace graph {
enum : uint32_t { kNode = 1, kInitializer = 5, kInput = 11, kOutput = 12, kSparseInitializer = 15 };
}
namespace node {
enum : uint32_t { kInput = 1, kOutput = 2, kName = 3, kType = 4, kAttribute = 5 };
}
namespace attribute {
enum : uint32_t { kGraph = 6, kGraphs = 11 };
}
namespace value {
enum : uint32_t { kName = 1 };
}
namespace tensor {
enum : uint32_t { kName = 8 };
}
namespace sparse_tensor {
enum : uint32_t { kValues = 1 };
}

}  // namespace xsp::analysis::onnx_fields
