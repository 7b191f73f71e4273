#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xsp::bound {

/// What a benchmark computes, as text that is equal exactly where the computation is:
///
///     conv src=1x64x56x56 wei=64x64x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32
///
/// A kind, then fields in a fixed order for the kind, all written out. Dimensions are joined by "x" ("" for a scalar),
/// lists by ",". dtype is one element type, or "src:wei:dst" where they differ. `post` lists what is computed on the
/// result before it is written, joined by "+": relu, clip(0,6), gelu_erf, add (a second input of the result's shape).
///
/// Kinds that back ends compute, with their fields (doc/xsp-bound.md says what each means):
///
///     conv       src wei strides pads dil groups bias post dtype
///     deconv     src wei strides pads dil outpad groups bias post dtype
///     matmul     src wei ta tb bias post dtype
///     maxpool    src kernel strides pads dil dtype
///     avgpool    src kernel strides pads include_pad dtype
///     eltwise    alg src alpha beta dtype
///     binary     alg src0 src1 dtype
///     softmax    src axis log dtype
///     batchnorm  src dtype
///     layernorm  src axis bias dtype
///     addnorm    src axis row bias dtype
///     sdpa       q k v mask scale dtype
///     lrn        src size dtype
///     reduce     alg src axes dtype
///     concat     axis srcs dtype
///     transpose  src perm dtype
///     resize     alg src dst dtype
///     cast       src from to
///
/// All other operators, and layers without work, have as kind their type with an upper-case letter, behind a domain
/// that is not ONNX's ("Gather", "com.microsoft.Attention"), and the fields in, out (tensors as "f32[1,128,768]" joined
/// by ";"), then their attributes by name and the values of small constant inputs.
class Problem {
 public:
  Problem() = default;
  explicit Problem(std::string kind) : kind_(std::move(kind)) {}
  /// Nothing for a text that is not of this form.
  static std::optional<Problem> parse(std::string_view text);

  const std::string& kind() const { return kind_; }
  /// Empty for a field that is not there.
  std::string_view field(std::string_view name) const;
  bool has(std::string_view name) const;
  /// "1x64x56x56" as numbers; empty for a scalar, and for what is no list of dimensions.
  std::vector<int64_t> dimensions(std::string_view name) const;
  /// "1,1,1,1" as numbers.
  std::vector<int64_t> list(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise = 0) const;
  double number(std::string_view name, double otherwise = 0) const;
  /// Element types of dtype: source, weights, destination; all the same where it is one.
  struct Types {
    std::string source, weights, destination;
  };
  Types types() const;

  /// Adds a field. Blanks, "%" and control characters of a value are written as %XX.
  Problem& set(std::string_view name, std::string_view value);
  Problem& set_dimensions(std::string_view name, const std::vector<int64_t>& dimensions);
  Problem& set_list(std::string_view name, const std::vector<int64_t>& numbers);
  Problem& set_integer(std::string_view name, int64_t value);
  Problem& set_number(std::string_view name, double value);

  std::string text() const;
  bool operator==(const Problem&) const = default;

 private:
  std::string kind_;
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// A number as problems write it: the shortest decimal that gives it back, as f32 where it is one ("0.1", "1e-05",
/// "inf").
std::string number_text(double value);

}  // namespace xsp::bound
