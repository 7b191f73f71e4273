#pragma once

#include <cstdint>

namespace xsp::bound::fields {

/// Field numbers of the published schema (onnx.proto, IR version 14), as far as they are read or written.
namespace model {
enum : uint32_t { kIrVersion = 1, kProducer = 2, kGraph = 7, kOpset = 8, kFunction = 25 };
}
namespace opset {
enum : uint32_t { kDomain = 1, kVersion = 2 };
}
namespace function {
enum : uint32_t {
  kName = 1,
  kInput = 4,
  kOutput = 5,
  kNode = 7,
  kOpset = 9,
  kDomain = 10,
  kAttribute = 11,
  kOverload = 13,
};
}
namespace graph {
enum : uint32_t { kNode = 1, kName = 2, kInitializer = 5, kInput = 11, kOutput = 12, kSparseInitializer = 15 };
}
namespace node {
enum : uint32_t { kInput = 1, kOutput = 2, kName = 3, kType = 4, kAttribute = 5, kDomain = 7, kOverload = 8 };
}
namespace attribute {
enum : uint32_t {
  kName = 1,
  kNumber = 2,
  kInteger = 3,
  kText = 4,
  kTensor = 5,
  kGraph = 6,
  kNumbers = 7,
  kIntegers = 8,
  kTexts = 9,
  kType = 20,
  kReference = 21,
};
/// AttributeProto.AttributeType.
enum : int32_t {
  kTypeNumber = 1,
  kTypeInteger = 2,
  kTypeText = 3,
  kTypeTensor = 4,
  kTypeGraph = 5,
  kTypeNumbers = 6,
  kTypeIntegers = 7,
  kTypeTexts = 8,
};
}  // namespace attribute
namespace value {
enum : uint32_t { kName = 1, kType = 2 };
}
namespace type {
enum : uint32_t { kTensor = 1, kSequence = 4, kMap = 5, kOpaque = 7, kSparseTensor = 8, kOptional = 9 };
}
namespace tensor_type {
enum : uint32_t { kElement = 1, kShape = 2 };
}
namespace shape {
enum : uint32_t { kDimension = 1 };
}
namespace dimension {
enum : uint32_t { kValue = 1, kName = 2 };
}
namespace tensor {
enum : uint32_t {
  kDimensions = 1,
  kElement = 2,
  kFloatData = 4,
  kInt32Data = 5,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kLocation = 14,
};
/// TensorProto.DataLocation.
enum : int32_t { kLocationExternal = 1 };
}  // namespace tensor
namespace sparse_tensor {
enum : uint32_t { kValues = 1, kDimensions = 3 };
}

}  // namespace xsp::bound::fields
