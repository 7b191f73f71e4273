#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bound/onnx/element_type.h"
#include "bound/problems/geometry.h"

namespace xsp::bound {

/// A tensor of a primitive as its text tells of it.
struct OnednnTensor {
  std::string_view role;  // "src", "wei", "bia", "dst"
  ElementType element = ElementType::kUndefined;
  std::string_view tag;               // "acdb", "ABcd16b16a"; empty: its layout has no such name
  std::optional<Dimensions> sizes;    // in the texts that we make; oneDNN's own have them in `shape`
  std::optional<int64_t> broadcasts;  // mask of the dimensions that are not repeated: of the bias of a matmul
};

/// A primitive of oneDNN as a text tells of it. All parts live as long as the text.
struct OnednnPrimitive {
  std::string_view kind;  // "convolution", without "_v2"
  std::string_view implementation;
  std::string_view propagation;  // "forward_inference", "undef"
  std::vector<OnednnTensor> tensors;
  std::vector<std::string_view> attributes;  // "attr-scratchpad:user"
  std::vector<std::string_view> settings;    // "alg:eltwise_relu", "alpha:0", "axis:1", "flags:GCH"
  std::string_view shape;                    // "mb1_ic3oc64_ih224…", "128x768:768x300"; empty: tensors have sizes
  /// Of each one its parts: "eltwise_clip:0:6"; without its numbers where `shape` is empty.
  std::vector<std::string_view> post_ops;

  /// Null where there is none such.
  const OnednnTensor* tensor(std::string_view role) const;
  std::vector<const OnednnTensor*> all_of(std::string_view role) const;
  /// The value of a setting; empty: there is none.
  std::string_view setting(std::string_view name) const;
  bool is_forward() const { return propagation.starts_with("forward") || propagation == "undef"; }
};

/// A line of ONEDNN_VERBOSE, of versions 2 and 3, or what oneDNN sends of it by ITT:
/// "cpu,convolution,jit:avx512_core,…". Nothing for another text.
std::optional<OnednnPrimitive> read_onednn_line(std::string_view line);

/// What is recorded of dnnl_primitive_execute: "convolution forward_inference src=f32[1,64,56,56]acdb …".
std::optional<OnednnPrimitive> read_onednn_description(std::string_view text);

/// "mb1_ic3oc64_ih224oh112…" as names with their numbers.
class OnednnSizes {
 public:
  /// Nothing for a text of another form.
  static std::optional<OnednnSizes> parse(std::string_view shape);

  std::optional<int64_t> of(std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, int64_t>> sizes_;
};

/// "128x768:768x300" as dimensions; empty for a text of another form.
std::vector<Dimensions> dimensions_of_shapes(std::string_view shape);

/// Parts of a text between separators.
std::vector<std::string_view> parts_of(std::string_view text, char separator);

}  // namespace xsp::bound
