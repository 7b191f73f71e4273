#include "bound/backends/onednn_dialect.h"

#include <fmt/format.h>

#include <algorithm>

namespace xsp::bound::onednn {

float EltwiseParameter::value(double alpha, double beta) const {
  switch (from) {
    case From::kAlpha:
      return static_cast<float>(alpha);
    case From::kBeta:
      return static_cast<float>(beta);
    case From::kNumber:
      break;
  }
  return number;
}

std::optional<EltwiseForm> eltwise_form(std::span<const EltwiseRow> rows, std::string_view name, double alpha,
                                        double beta) {
  const auto found = std::ranges::find(rows, name, &EltwiseRow::name);
  if (found == rows.end()) return {};
  return EltwiseForm{found->algorithm, found->alpha.value(alpha, beta), found->beta.value(alpha, beta)};
}

DimensionArray padded(const Dimensions& dimensions) {
  DimensionArray array{};
  std::copy_n(dimensions.begin(), std::min(dimensions.size(), array.size()), array.begin());
  return array;
}

Status refusal(Answer answer) { return {fmt::format("oneDNN: {}", name_of(answer))}; }

int DialectBase::addend_argument(size_t post_op) const {
  return (post_op_base() * (static_cast<int>(post_op) + 1)) | kSecondSource;
}

PrimitiveDescriptor DialectBase::owned(PrimitiveDescriptorObject* descriptor) const {
  return {descriptor, functions().descriptor_destroy};
}

DialectBase::Attribute DialectBase::attribute_of(const PrimitiveRequest& request, Answer* answer) const {
  const Functions& f = functions();
  AttributeObject* made = nullptr;
  *answer = f.attribute_create(&made);
  if (*answer != Answer::kSuccess) return {nullptr, f.attribute_destroy};
  Attribute attribute(made, f.attribute_destroy);
  const auto accepted = [&](Answer given) {
    *answer = given;
    return given == Answer::kSuccess;
  };
  if (!accepted(f.attribute_set_scratchpad_mode(attribute.get(), kScratchpadOfUser))) attribute.reset();
  // An environment variable may allow less precision for the whole process.
  if (attribute && f.attribute_set_math_mode != nullptr)
    accepted(f.attribute_set_math_mode(attribute.get(), kStrictMath));
  if (!attribute || request.post_ops.empty()) return attribute;

  PostOpsObject* chain = nullptr;
  if (!accepted(f.post_ops_create(&chain))) return {nullptr, f.attribute_destroy};
  const std::unique_ptr<PostOpsObject, Answer (*)(PostOpsObject*)> post_ops(chain, f.post_ops_destroy);
  for (const PostOp& post_op : request.post_ops) {
    switch (post_op.kind) {
      case PostOp::Kind::kEltwise:
        *answer = append_eltwise(chain, post_op);
        break;
      case PostOp::Kind::kSum:
        *answer = append_sum(chain);
        break;
      case PostOp::Kind::kAddend:
        *answer = f.post_ops_append_binary(chain, kBinaryAdd, post_op.addend.get());
        break;
    }
    if (*answer != Answer::kSuccess) return {nullptr, f.attribute_destroy};
  }
  if (!accepted(f.attribute_set_post_ops(attribute.get(), chain))) attribute.reset();
  return attribute;
}

}  // namespace xsp::bound::onednn
