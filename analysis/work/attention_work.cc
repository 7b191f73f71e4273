#include <algorithm>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

/// Where the operators have their arguments.
struct AttentionForm {
  size_t query = 0;             // then key and value
  bool heads_first = true;      // [B, H, S, D], else [B, S, H, D]
  int causal = kNoArgument;     // a flag
  int mask_type = kNoArgument;  // 0: none, 1: causal from the top left, 2: from the bottom right
  bool bottom_right = false;
  int mask = kNoArgument;     // a tensor that is added
  int lengths = kNoArgument;  // offsets of sequences one behind the other, for queries and keys, then the longest ones
  int longest = kNoArgument;
  bool is_backward = false;
};

enum AttentionFormNumber {
  kPublicAttention,
  kSdpaFlash,
  kSdpaEfficient,
  kFlash,
  kEfficient,
  kCudnnAttention,
  kFlashAttn,
  kSdpaFlashBackward,
  kFlashBackward,
  kSdpaEfficientBackward,
  kEfficientBackward,
  kSdpaCudnnBackward,
  kFlashAttnBackward,
};

constexpr AttentionForm kAttentionForms[] = {
    // scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, …)
    {.causal = 5, .mask = 3},
    // _scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, …)
    {.causal = 4},
    // _scaled_dot_product_efficient_attention, …_cudnn_attention(query, key, value, attn_bias, compute_log_sumexp,
    // dropout_p, is_causal, …)
    {.causal = 6, .mask = 3},
    // _flash_attention_forward(query, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, …)
    {.heads_first = false, .causal = 8, .bottom_right = true, .lengths = 3, .longest = 5},
    // _efficient_attention_forward(query, key, value, bias, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k,
    // dropout_p, custom_mask_type, …)
    {.heads_first = false, .mask_type = 9, .mask = 3, .lengths = 4, .longest = 6},
    // _cudnn_attention_forward(query, key, value, attn_bias, cum_seq_q, cum_seq_k, max_q, max_k, compute_log_sumexp,
    // dropout_p, is_causal, …)
    {.causal = 10, .mask = 3, .lengths = 4, .longest = 6},
    // flash_attn::_flash_attn_forward(q, k, v, dropout_p, softmax_scale, causal, …)
    {.heads_first = false, .causal = 5, .bottom_right = true},
    // _scaled_dot_product_flash_attention_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k,
    // max_q, max_k, dropout_p, is_causal, …)
    {.query = 1, .causal = 11, .is_backward = true},
    // _flash_attention_backward, likewise
    {.query = 1,
     .heads_first = false,
     .causal = 11,
     .bottom_right = true,
     .lengths = 6,
     .longest = 8,
     .is_backward = true},
    // _scaled_dot_product_efficient_attention_backward(grad_out, query, key, value, attn_bias, out, logsumexp,
    // philox_seed, philox_offset, dropout_p, grad_input_mask, is_causal, …)
    {.query = 1, .causal = 11, .mask = 4, .is_backward = true},
    // _efficient_attention_backward(grad_out, query, key, value, bias, out, cu_seqlens_q, cu_seqlens_k, max_seqlen_q,
    // max_seqlen_k, logsumexp, dropout_p, philox_seed, philox_offset, custom_mask_type, …)
    {.query = 1, .heads_first = false, .mask_type = 14, .mask = 4, .lengths = 6, .longest = 8, .is_backward = true},
    // _scaled_dot_product_cudnn_attention_backward(grad_out, query, key, value, out, logsumexp, philox_seed,
    // philox_offset, attn_bias, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, …)
    {.query = 1, .causal = 14, .mask = 8, .is_backward = true},
    // flash_attn::_flash_attn_backward(dout, q, k, v, out, softmax_lse, dq, dk, dv, dropout_p, softmax_scale, causal,
    // …)
    {.query = 1, .heads_first = false, .causal = 11, .bottom_right = true, .is_backward = true},
};

enum class Mask { kAll, kTopLeft, kBottomRight };

/// Pairs of a query and a key that the mask lets through.
double pairs_of(double queries, double keys, Mask mask) {
  if (mask == Mask::kAll) return queries * keys;
  // Query i of the top-left mask sees i + 1 keys; of the bottom-right one as many more as there are more keys.
  if (mask == Mask::kTopLeft) {
    const double rising = std::min(queries, keys);
    return rising * (rising + 1) / 2 + (queries - rising) * keys;
  }
  const double rising = std::min(queries, keys);
  const double first = std::max(0.0, keys - queries);
  return rising * first + rising * (rising + 1) / 2;
}

/// Sizes of one attention; `batch` times.
struct Sizes {
  double batch = 1;
  double heads = 1;
  double queries = 0;
  double keys = 0;
  double key_width = 0;
  double value_width = 0;
};

std::optional<Sizes> sizes_of(const Arguments& arguments, const AttentionForm& form, const TensorShape& query,
                              const TensorShape& key, const TensorShape& value) {
  Sizes sizes;
  const auto dimension = [](const TensorShape& shape, int index) {
    return static_cast<double>(shape.dimension(index));
  };
  sizes.key_width = dimension(query, -1);
  sizes.value_width = dimension(value, -1);
  if (query.rank() != key.rank() || key.rank() != value.rank()) return {};
  const TensorShape* offsets =
      form.lengths == kNoArgument ? nullptr : arguments.input(static_cast<size_t>(form.lengths));
  if (offsets != nullptr && offsets->rank() == 1 && offsets->elements > 1) {
    // Sequences of several lengths one behind the other: their lengths are known only when all are the longest.
    const auto queries = arguments.integer(static_cast<size_t>(form.longest));
    const auto keys = arguments.integer(static_cast<size_t>(form.longest) + 1);
    sizes.batch = offsets->elements - 1;
    if (!queries || !keys || query.rank() < 3) return {};
    sizes.queries = static_cast<double>(*queries);
    sizes.keys = static_cast<double>(*keys);
    sizes.heads = dimension(query, -2);
    const double rows = sizes.heads * sizes.key_width;
    if (rows == 0 || query.elements / rows != sizes.batch * sizes.queries ||
        key.elements / (dimension(key, -2) * dimension(key, -1)) != sizes.batch * sizes.keys) {
      return {};
    }
    return sizes;
  }
  if (query.rank() == 3 && form.heads_first) {  // [B, S, D]
    sizes.batch = dimension(query, 0);
  } else if (query.rank() == 4) {
    sizes.batch = dimension(query, 0);
    sizes.heads = dimension(query, form.heads_first ? 1 : 2);
  } else {
    return {};
  }
  const int sequence = form.heads_first ? -2 : 1;
  sizes.queries = dimension(query, sequence);
  sizes.keys = dimension(key, sequence);
  return sizes;
}

/// `parameter` is the number of the form.
Result attention(const Arguments& arguments, double parameter) {
  const AttentionForm& form = kAttentionForms[static_cast<size_t>(parameter)];
  const TensorShape* query = arguments.input(form.query);
  const TensorShape* key = arguments.input(form.query + 1);
  const TensorShape* value = arguments.input(form.query + 2);
  if (query == nullptr || key == nullptr || value == nullptr) return {};
  const auto sizes = sizes_of(arguments, form, *query, *key, *value);
  if (!sizes || sizes->key_width == 0) return {};

  Mask mask = Mask::kAll;
  if (form.causal != kNoArgument && arguments.flag(static_cast<size_t>(form.causal)).value_or(false)) {
    mask = form.bottom_right ? Mask::kBottomRight : Mask::kTopLeft;
  }
  if (form.mask_type != kNoArgument) {
    const int64_t type = arguments.integer(static_cast<size_t>(form.mask_type)).value_or(0);
    mask = type == 1 ? Mask::kTopLeft : type == 2 ? Mask::kBottomRight : Mask::kAll;
  }
  const double pairs = sizes->batch * sizes->heads * pairs_of(sizes->queries, sizes->keys, mask);
  const double output_bytes = query->bytes() / sizes->key_width * sizes->value_width;
  const double bias_bytes = form.mask == kNoArgument ? 0 : bytes_of(arguments.input(static_cast<size_t>(form.mask)));
  const double inputs = query->bytes() + key->bytes() + value->bytes();
  if (form.is_backward) {
    return work_of(FormulaId::kAttentionBackward, 2 * pairs * (3 * sizes->key_width + 2 * sizes->value_width),
                   inputs + bias_bytes + 2 * output_bytes, inputs, data_type_of(query->element));
  }
  return work_of(FormulaId::kAttention, 2 * pairs * (sizes->key_width + sizes->value_width), inputs + bias_bytes,
                 output_bytes, data_type_of(query->element));
}

/// ONNX: query, key, value of [B, S, H·D] or [B, H, S, D]. Microsoft's has input [B, S, I], weights [I, 3·H·D], bias.
Result onnx_attention(const Arguments& arguments, double) {
  const TensorShape* query = arguments.input(0);
  const TensorShape* key = arguments.input(1);
  const TensorShape* value = arguments.input(2);
  if (query == nullptr || key == nullptr || query->rank() < 3) return {};
  const auto dimension = [](const TensorShape& shape, int index) {
    return static_cast<double>(shape.dimension(index));
  };
  if (query->rank() == 3 && key->rank() == 2) {
    const double tokens = dimension(*query, 0) * dimension(*query, 1);
    const double width = dimension(*key, 1) / 3;
    const double flops = 2 * tokens * dimension(*query, 2) * dimension(*key, 1) +
                         2 * tokens * dimension(*query, 1) * 2 * width +
                         (value == nullptr ? 0 : tokens * dimension(*key, 1));
    return work_of(FormulaId::kAttention, flops, query->bytes() + key->bytes() + bytes_of(value),
                   tokens * width * element_bytes(query->element), data_type_of(query->element));
  }
  if (value == nullptr || key->rank() != query->rank() || value->rank() != query->rank()) return {};
  const double heads = query->rank() == 4 ? dimension(*query, 1) : 1;
  const double keys = dimension(*key, -2);
  const double rows = dimension(*query, 0) * heads * dimension(*query, -2);
  const double value_width = dimension(*value, -1);
  return work_of(FormulaId::kAttention, 2 * rows * keys * (dimension(*query, -1) + value_width),
                 query->bytes() + key->bytes() + value->bytes(), rows * value_width * element_bytes(query->element),
                 data_type_of(query->element));
}

constexpr auto kAttentionFormula = FormulaId::kAttention;
constexpr auto kAttentionBackwardFormula = FormulaId::kAttentionBackward;

constexpr NamedOperator kAttentionOperators[] = {
    {"scaled_dot_product_attention", kAttentionFormula, attention, kPublicAttention},
    {"_scaled_dot_product_attention_math", kAttentionFormula, attention, kPublicAttention},
    {"_scaled_dot_product_flash_attention", kAttentionFormula, attention, kSdpaFlash},
    {"_scaled_dot_product_flash_attention_for_cpu", kAttentionFormula, attention, kSdpaFlash},
    {"_scaled_dot_product_efficient_attention", kAttentionFormula, attention, kSdpaEfficient},
    {"_scaled_dot_product_cudnn_attention", kAttentionFormula, attention, kSdpaEfficient},
    {"_flash_attention_forward", kAttentionFormula, attention, kFlash},
    {"_efficient_attention_forward", kAttentionFormula, attention, kEfficient},
    {"_cudnn_attention_forward", kAttentionFormula, attention, kCudnnAttention},
    {"_flash_attn_forward", kAttentionFormula, attention, kFlashAttn},
    {"Attention", kAttentionFormula, onnx_attention},
    {"MultiHeadAttention", kAttentionFormula, onnx_attention},
    {"_scaled_dot_product_flash_attention_backward", kAttentionBackwardFormula, attention, kSdpaFlashBackward},
    {"_flash_attention_backward", kAttentionBackwardFormula, attention, kFlashBackward},
    {"_scaled_dot_product_efficient_attention_backward", kAttentionBackwardFormula, attention, kSdpaEfficientBackward},
    {"_efficient_attention_backward", kAttentionBackwardFormula, attention, kEfficientBackward},
    {"_scaled_dot_product_cudnn_attention_backward", kAttentionBackwardFormula, attention, kSdpaCudnnBackward},
    {"_flash_attn_backward", kAttentionBackwardFormula, attention, kFlashAttnBackward},
};

}  // namespace

std::span<const NamedOperator> attention_operators() { return kAttentionOperators; }

}  // namespace xsp::analysis
