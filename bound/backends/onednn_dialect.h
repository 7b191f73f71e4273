#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bound/backends/onednn_api.h"
#include "bound/backends/onednn_library.h"
#include "bound/problems/geometry.h"

namespace xsp::bound::onednn {

/// What a memory descriptor says.
struct DescriptionFacts {
  DataType type = DataType::kUndefined;
  Dimensions dimensions;
  int format_kind = 0;
  Dimensions strides;                              // of a blocked format, in elements
  std::vector<std::pair<size_t, int64_t>> blocks;  // dimension, size; the innermost last
};

enum class PrimitiveKind {
  kConvolution,
  kDeconvolution,
  kMatmul,
  kInnerProduct,
  kPooling,
  kEltwise,
  kBinary,
  kSoftmax,
  kBatchNormalization,
  kLayerNormalization,
  kLrn,
  kReduction,
  kResampling,
  kConcat,
  kReorder,
};

/// Something that is computed on a result before it is written.
struct PostOp {
  enum class Kind { kEltwise, kSum, kAddend } kind = Kind::kEltwise;
  int algorithm = 0;
  float alpha = 0, beta = 0;  // of kEltwise
  Description addend;         // of kAddend
};

/// What a primitive is to compute. Fields that a kind does not have are not read.
struct PrimitiveRequest {
  PrimitiveKind kind = PrimitiveKind::kReorder;
  int algorithm = 0;
  std::vector<Description> sources;
  Description weights, bias, destination;                       // bias may be null
  Description statistics;                                       // of kLayerNormalization
  Dimensions kernel, strides, dilations, pads_begin, pads_end;  // a dilation of 0 is none
  int axis = 0;
  int64_t local_size = 0;                 // of kLrn
  float alpha = 0, beta = 0, offset = 0;  // of kEltwise and kLrn; alpha is also the p of kReduction
  float epsilon = 0;
  bool has_scale = false, has_shift = false;
  std::vector<PostOp> post_ops;
};

using PrimitiveDescriptor = std::shared_ptr<PrimitiveDescriptorObject>;

/// alg_kind and parameters of an elementwise function.
struct EltwiseForm {
  int algorithm;
  float alpha;
  float beta;
};

/// One of an elementwise function's parameters: alpha or beta of the problem, or a number.
struct EltwiseParameter {
  enum class From { kNumber, kAlpha, kBeta } from = From::kNumber;
  float number = 0;

  float value(double alpha, double beta) const;
};
struct EltwiseRow {
  std::string_view name;  // as in a problem
  int algorithm;
  EltwiseParameter alpha, beta;
};

/// What the versions of the API say in different words.
class Dialect {
 public:
  virtual ~Dialect() = default;

  // Null where the library refuses.
  virtual Description with_strides(DataType type, const Dimensions& dimensions, const Dimensions& strides) const = 0;
  virtual Description with_tag(DataType type, const Dimensions& dimensions, int tag) const = 0;
  virtual Description copy(const void* description) const = 0;
  virtual DescriptionFacts facts(const void* description) const = 0;

  /// The tag of nCw8c, nChw16c and so on; nothing where there is none.
  virtual std::optional<int> blocked_tag(size_t rank, int64_t block) const = 0;
  /// Nothing for a function that this version lacks.
  virtual std::optional<EltwiseForm> eltwise(std::string_view name, double alpha, double beta) const = 0;
  /// Argument of the addend of a post-op.
  virtual int addend_argument(size_t post_op) const = 0;
  /// Whether Winograd exists for the asking (it left with version 3).
  virtual bool has_winograd() const = 0;

  /// All implementations, the library's first choice first. An error: its word.
  virtual Status implementations(const PrimitiveRequest& request,
                                 std::vector<PrimitiveDescriptor>* implementations) const = 0;
};

Status make_dialect_v2(std::shared_ptr<const LoadedLibrary> library, std::shared_ptr<const Dialect>* dialect);
Status make_dialect_v3(std::shared_ptr<const LoadedLibrary> library, std::shared_ptr<const Dialect>* dialect);

/// What both versions do in the same way.
class DialectBase : public Dialect {
 public:
  int addend_argument(size_t post_op) const override;

 protected:
  explicit DialectBase(std::shared_ptr<const LoadedLibrary> library) : library_(std::move(library)) {}

  using Attribute = std::unique_ptr<AttributeObject, Answer (*)(AttributeObject*)>;
  /// Scratch room from the caller, no reduced precision, and the post-ops. Null where they are refused.
  Attribute attribute_of(const PrimitiveRequest& request, Answer* answer) const;
  virtual Answer append_eltwise(PostOpsObject* post_ops, const PostOp& post_op) const = 0;
  virtual Answer append_sum(PostOpsObject* post_ops) const = 0;
  /// 1 << 14 or 1 << 15.
  virtual int post_op_base() const = 0;

  PrimitiveDescriptor owned(PrimitiveDescriptorObject* descriptor) const;
  const Functions& functions() const { return library_->functions(); }
  const LoadedLibrary& library() const { return *library_; }

 private:
  std::shared_ptr<const LoadedLibrary> library_;
};

/// Looks a function up in a version's table.
std::optional<EltwiseForm> eltwise_form(std::span<const EltwiseRow> rows, std::string_view name, double alpha,
                                        double beta);

/// Twelve numbers, as the functions take them.
DimensionArray padded(const Dimensions& dimensions);

/// "unimplemented" as an error.
Status refusal(Answer answer);

}  // namespace xsp::bound::onednn
