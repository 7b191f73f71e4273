#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

/// What oneDNN's C API has, as far as this back end calls it: names and numbers of its published headers (dnnl_types.h
/// of 2.6 and 3.2 to 3.13; numbers do not change within a major version). No header of the library is needed to build.
namespace xsp::bound::onednn {

// Objects of the library, known by their addresses.
struct EngineObject;
struct StreamObject;
struct PrimitiveDescriptorObject;
struct IteratorObject;  // version 2
struct PrimitiveObject;
struct AttributeObject;
struct PostOpsObject;
struct MemoryObject;

enum class Answer : int {
  kSuccess = 0,
  kOutOfMemory = 1,
  kInvalidArguments = 2,
  kUnimplemented = 3,
  kRuntimeError = 5,
};
/// "unimplemented", as the library's log calls it.
const char* name_of(Answer answer);

enum class DataType : int { kUndefined = 0, kF16 = 1, kBf16 = 2, kF32 = 3, kS32 = 4, kS8 = 5, kU8 = 6 };

inline constexpr size_t kMostDimensions = 12;
using DimensionArray = std::array<int64_t, kMostDimensions>;

inline constexpr int kCpuEngine = 1;
inline constexpr unsigned kInOrderStream = 1;
inline constexpr int kForwardInference = 96;
inline constexpr int kScratchpadOfUser = 1;
inline constexpr int kStrictMath = 0;

// Of format_kind.
inline constexpr int kBlockedFormat = 2;

// Of format_tag.
inline constexpr int kAnyTag = 1;

// Of alg_kind, those that are equal in both versions.
inline constexpr int kDirectConvolution = 0x1;
inline constexpr int kWinogradConvolution = 0x2;
inline constexpr int kDirectDeconvolution = 0xa;
inline constexpr int kMaxPooling = 0x1ff;
inline constexpr int kAveragePoolingWithPads = 0x2ff;
inline constexpr int kAveragePoolingWithoutPads = 0x3ff;
inline constexpr int kLrnAcrossChannels = 0xaff;
inline constexpr int kBinaryAdd = 0x1fff0;
inline constexpr int kBinaryMultiply = 0x1fff1;
inline constexpr int kBinaryMaximum = 0x1fff2;
inline constexpr int kBinaryMinimum = 0x1fff3;
inline constexpr int kBinaryDivide = 0x1fff4;
inline constexpr int kBinarySubtract = 0x1fff5;
inline constexpr int kNearestResampling = 0x2fff0;
inline constexpr int kLinearResampling = 0x2fff1;
inline constexpr int kReductionMaximum = 0x2fff2;
inline constexpr int kReductionMinimum = 0x2fff3;
inline constexpr int kReductionSum = 0x2fff4;
inline constexpr int kReductionProduct = 0x2fff5;
inline constexpr int kReductionMean = 0x2fff6;
inline constexpr int kReductionNorm = 0x2fff8;  // (Σ |x|^p)^(1/p)
inline constexpr int kAccurateSoftmax = 0x30000;
inline constexpr int kLogSoftmax = 0x30001;

// Of query.
inline constexpr int kQueryImplementationName = 8;
inline constexpr int kQueryScratchpad = 136;
inline constexpr int kQueryArgument = 255;

// What an argument of a call is.
inline constexpr int kSource = 1;  // also the first of several
inline constexpr int kSecondSource = 2;
inline constexpr int kDestination = 17;
inline constexpr int kWeights = 33;
inline constexpr int kBias = 41;
inline constexpr int kMean = 49;
inline constexpr int kVariance = 50;
inline constexpr int kScale = 51;
inline constexpr int kShift = 52;
inline constexpr int kScratchpad = 80;
inline constexpr int kManySources = 1024;  // + index: of concat
inline constexpr int kFirstOfPostOps = 1 << 14;

struct CallArgument {
  int kind;
  MemoryObject* memory;
};

// Of a build.
inline constexpr unsigned kRuntimeSequential = 1;
inline constexpr unsigned kRuntimeOpenMp = 2;
inline constexpr unsigned kRuntimeTbb = 4;
inline constexpr unsigned kRuntimeThreadPool = 8;
inline constexpr unsigned kRuntimeSycl = 512;

struct VersionFacts {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime;
  unsigned gpu_runtime;
};

/// A memory descriptor. In version 2 a struct of the caller, in version 3 an object of the library: functions of both
/// take its address, so that most of them look the same.
using Description = std::shared_ptr<const void>;

/// Functions that both versions have with the same arguments.
struct Functions {
  const VersionFacts* (*version)();
  Answer (*engine_create)(EngineObject**, int kind, size_t index);
  Answer (*stream_create)(StreamObject**, EngineObject*, unsigned flags);
  Answer (*stream_wait)(StreamObject*);
  Answer (*stream_destroy)(StreamObject*);
  Answer (*engine_destroy)(EngineObject*);
  Answer (*attribute_create)(AttributeObject**);
  Answer (*attribute_destroy)(AttributeObject*);
  Answer (*attribute_set_scratchpad_mode)(AttributeObject*, int mode);
  Answer (*attribute_set_math_mode)(AttributeObject*, int mode);  // may be null: before 2.4
  Answer (*attribute_set_post_ops)(AttributeObject*, const PostOpsObject*);
  Answer (*post_ops_create)(PostOpsObject**);
  Answer (*post_ops_destroy)(PostOpsObject*);
  Answer (*post_ops_append_binary)(PostOpsObject*, int algorithm, const void* description);
  size_t (*description_size)(const void* description);
  Answer (*memory_create)(MemoryObject**, const void* description, EngineObject*, void* bytes);
  Answer (*memory_destroy)(MemoryObject*);
  Answer (*reorder_create)(PrimitiveDescriptorObject**, const void* source, EngineObject* source_engine,
                           const void* destination, EngineObject* destination_engine, const AttributeObject*);
  Answer (*descriptor_query)(const PrimitiveDescriptorObject*, int what, int index, void* result);
  const void* (*descriptor_query_memory)(const PrimitiveDescriptorObject*, int what, int index);
  Answer (*descriptor_destroy)(PrimitiveDescriptorObject*);
  Answer (*primitive_create)(PrimitiveObject**, const PrimitiveDescriptorObject*);
  Answer (*primitive_execute)(const PrimitiveObject*, StreamObject*, int count, const CallArgument*);
  Answer (*primitive_destroy)(PrimitiveObject*);
};

}  // namespace xsp::bound::onednn
