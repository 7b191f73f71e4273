#include <fmt/format.h>

#include <algorithm>

#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

Finding wrong_heads(int64_t heads, const Dimensions& shape) {
  return Finding::impossible(fmt::format("{} heads of {}", heads, text_of(shape)));
}

/// An operand of attention, however it is stored.
struct Heads {
  int64_t batch = 0;
  int64_t heads = 0;
  int64_t length = 0;
  int64_t size = 0;  // of a head
};

/// [batch, heads, length, size], or [batch, length, heads·size].
Finding read_heads(const Dimensions& shape, int64_t heads, Heads* operand) {
  if (shape.size() == 4) {
    *operand = {shape[0], shape[1], shape[2], shape[3]};
    return Finding::known();
  }
  if (shape.size() != 3 || heads < 1 || heads > shape[2] || shape[2] % heads != 0) return wrong_heads(heads, shape);
  *operand = {shape[0], heads, shape[1], shape[2] / heads};
  return Finding::known();
}

/// Attention of ONNX, from opset 23 on.
Finding attention(OperatorCall& call) {
  Heads query, key, value;
  const int64_t key_heads = call.node().integer("kv_num_heads", 0);
  Finding finding = read_heads(call.shape(0), call.node().integer("q_num_heads", 0), &query);
  if (finding.is_known()) finding = read_heads(call.shape(1), key_heads, &key);
  if (finding.is_known()) finding = read_heads(call.shape(2), key_heads, &value);
  if (!finding.is_known()) return finding;
  if (query.size != key.size || query.batch != key.batch || key.length != value.length)
    return Finding::impossible(fmt::format("queries {} on keys {}", text_of(call.shape(0)), text_of(call.shape(1))));
  int64_t total = key.length;
  if (call.has(4)) {
    if (call.rank(4) != 4) return wrong_rank("past_key", call.shape(4));
    total += call.shape(4)[2];
  }
  if (call.rank(0) == 4)
    call.set_shape(0, {query.batch, query.heads, query.length, value.size});
  else
    call.set_shape(0, {query.batch, query.length, product_of({query.heads, value.size})});
  call.set_shape(1, {key.batch, key.heads, total, key.size});
  call.set_shape(2, {value.batch, value.heads, total, value.size});
  call.set_shape(3, {query.batch, query.heads, query.length, total});
  return finding;
}

/// com.microsoft.Attention: one product makes queries, keys and values. `past`: the input with those of before.
Finding attend_packed(OperatorCall& call, size_t past) {
  const Dimensions& input = call.shape(0);
  if (input.size() != 3) return wrong_rank("the input", input);
  const std::vector<int64_t> sizes = call.node().integers("qkv_hidden_sizes");
  const int64_t heads = call.node().integer("num_heads", 0);
  const Dimensions* packed = call.has(1) ? &call.shape(1) : call.has(2) ? &call.shape(2) : nullptr;
  if (packed == nullptr || packed->empty()) return Finding::impossible("neither weights nor a bias");
  const int64_t width = sizes.size() == 3 ? sizes[2] : packed->back() / 3;
  if (heads < 1 || width < 1 || width % heads != 0) return wrong_heads(heads, *packed);
  call.set_shape(0, {input[0], input[1], width});
  if (!call.has(past)) {
    call.set_shape(1, {2, input[0], heads, input[1], width / heads});
    return Finding::known();
  }
  Dimensions present = call.shape(past);
  if (present.size() != 5) return wrong_rank("past", present);
  if (call.node().integer("past_present_share_buffer", 0) == 0) present[3] += input[1];
  call.set_shape(1, std::move(present));
  return Finding::known();
}

Finding packed_attention(OperatorCall& call) { return attend_packed(call, 4); }
Finding quantized_attention(OperatorCall& call) { return attend_packed(call, 8); }

/// com.microsoft.MultiHeadAttention: queries apart, or all in one as [batch, length, heads, 3, size].
Finding multi_head_attention(OperatorCall& call) {
  const Dimensions& query = call.shape(0);
  const int64_t heads = call.node().integer("num_heads", 0);
  if (query.size() == 5) {
    call.set_shape(0, {query[0], query[1], query[2] * query[4]});
    call.set_shape(1, {query[0], query[2], query[1], query[4]});
    call.set_shape(2, {query[0], query[2], query[1], query[4]});
    call.set_shape(3, {query[0], query[2], query[1], query[1]});
    return Finding::known();
  }
  if (query.size() != 3 || heads < 1 || query[2] % heads != 0) return wrong_heads(heads, query);
  if (!call.has(1)) return Finding::impossible("no keys");
  const Dimensions& keys = call.shape(1);
  Heads key, value;
  if (keys.size() == 5) {  // [batch, length, heads, 2, size] of keys and values
    key = value = Heads{keys[0], keys[2], keys[1], keys[4]};
  } else {
    if (!call.has(2)) return Finding::impossible("no values");
    Finding finding = read_heads(keys, heads, &key);
    if (finding.is_known()) finding = read_heads(call.shape(2), heads, &value);
    if (!finding.is_known()) return finding;
  }
  const bool has_past = call.has(6) && call.rank(6) == 4;
  const int64_t past = has_past ? call.shape(6)[2] : 0;
  // With keys that have heads already the past is in them, and with a shared buffer (input 8) in that.
  const int64_t total = has_past && call.has(8) ? past : past + key.length;
  call.set_shape(0, {query[0], query[1], product_of({value.heads, value.size})});
  call.set_shape(1, {key.batch, heads, total, key.size});
  call.set_shape(2, {value.batch, heads, total, value.size});
  call.set_shape(3, {query[0], heads, query[1], past + key.length});
  return Finding::known();
}

/// com.microsoft.GroupQueryAttention: several heads of queries share one of keys.
Finding group_query_attention(OperatorCall& call) {
  const Dimensions& query = call.shape(0);
  const int64_t heads = call.node().integer("num_heads", 0);
  const int64_t key_heads = call.node().integer("kv_num_heads", 0);
  if (query.size() != 3) return wrong_rank("the queries", query);
  const int64_t shares = call.has(1) ? heads : heads + 2 * key_heads;
  if (heads < 1 || key_heads < 1 || heads > query[2] || key_heads > query[2] || query[2] % shares != 0)
    return wrong_heads(heads, query);
  const int64_t size = query[2] / shares;
  call.set_shape(0, {query[0], query[1], heads * size});
  if (!call.wants(1) && !call.wants(2)) return Finding::known();
  const GivenList total = call.list(6, "");
  if (!total.is_known || total.values.size() != 1) return depends_on_data("total_sequence_length");
  int64_t length = total.values[0];
  if (call.has(3) && call.rank(3) == 4) length = std::max(length, call.shape(3)[2]);
  call.set_shape(1, {query[0], key_heads, length, size});
  call.set_shape(2, {query[0], key_heads, length, size});
  return Finding::known();
}

/// A recurrence instead of a softmax: the state has the size of one head's keys by one's values.
Finding linear_attention(OperatorCall& call) {
  const int64_t heads = call.node().integer("q_num_heads", 0);
  Heads query, key, value;
  const int64_t key_heads = call.node().integer("kv_num_heads", 0);
  Finding finding = read_heads(call.shape(0), heads, &query);
  if (finding.is_known()) finding = read_heads(call.shape(1), key_heads, &key);
  if (finding.is_known()) finding = read_heads(call.shape(2), key_heads, &value);
  if (!finding.is_known()) return finding;
  call.set_shape(0, {query.batch, query.length, product_of({heads, value.size})});
  call.set_shape(1, {key.batch, key_heads, key.size, value.size});
  return finding;
}

constexpr OperatorRule kAttentionRules[] = {
    {"", "Attention", 3, "0 1 2 0", attention},
    {"", "LinearAttention", 3, "0 3:0", linear_attention},
    {"", "RotaryEmbedding", 1, "0", same_shape},
    {"com.microsoft", "Attention", 1, "0", packed_attention},
    {"com.microsoft", "GroupQueryAttention", 1, "0", group_query_attention},
    {"com.microsoft", "MultiHeadAttention", 1, "0", multi_head_attention},
    {"com.microsoft", "QAttention", 4, "3", quantized_attention},
    {"com.microsoft", "RotaryEmbedding", 1, "0", same_shape},
};

}  // namespace

std::span<const OperatorRule> attention_rules() { return kAttentionRules; }

}  // namespace xsp::bound
