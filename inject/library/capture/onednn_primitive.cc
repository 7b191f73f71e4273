// Describes oneDNN's primitives as text, once per primitive: "convolution forward_inference src=f32[1,64,56,56]acdb
// wei=f32[64,64,3,3] dst=f32[1,64,56,56]acdb alg=convolution_direct impl=jit:avx512_core".
#include "inject/library/capture/kept_texts.h"
#include "inject/library/capture/onednn_memory.h"
#include "inject/library/capture/passed_object.h"
#include "inject/library/capture/sibling.h"
#include "inject/library/capture/text_writer.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr int kMostOfOneKind = 8;  // memory descriptors shown
// dnnl_query_t: the first ones are the same in 2 and 3.
enum Query {
  kPrimitiveKind = 2,
  kImplementation = 8,
  kPropagation = 11,
  kAlgorithm3 = 20,
  kOperation2 = 65,
  kSource = 129,
  kDiffSource,
  kWeights,
  kDiffWeights,
  kDestination,
  kDiffDestination
};  // clang-format: keep

constinit Sibling<const int*()> library_version{"dnnl_version"};
constinit Sibling<int(const void*, const void**)> get_descriptor{"dnnl_primitive_get_primitive_desc"};
constinit Sibling<int(const void*, int, int, void*)> query{"dnnl_primitive_desc_query"};
constinit Sibling<const void*(const void*, int, int)> query_memory{"dnnl_primitive_desc_query_md"};
constinit Sibling<int(const void*, const void**)> get_attributes{"dnnl_primitive_desc_get_attr"};
constinit Sibling<int(const void*, const void**)> get_post_ops{"dnnl_primitive_attr_get_post_ops"};
constinit Sibling<int(const void*)> post_op_count{"dnnl_post_ops_len"};
constinit Sibling<int(const void*, int)> post_op_kind{"dnnl_post_ops_get_kind"};
constinit Sibling<const char*(int)> name_of_primitive{"dnnl_prim_kind2str"};
constinit Sibling<const char*(int)> name_of_propagation{"dnnl_prop_kind2str"};
constinit Sibling<const char*(int)> name_of_algorithm{"dnnl_alg_kind2str"};

constinit ObjectTexts primitives;
constinit std::atomic<bool> told{false};

const char* name(const xsp_call* call, Sibling<const char*(int)>& names, int value) {
  auto* function = names.of(call);
  return function == nullptr ? nullptr : function(value);
}

void add_memories(const xsp_call* call, int major, const void* descriptor, int what, const char* const* names,
                  int name_count, TextWriter* text) {
  auto* ask = query_memory.of(call);
  for (int i = 0; ask != nullptr && i < kMostOfOneKind; ++i) {
    const void* memory = ask(descriptor, what, i);
    if (memory == nullptr) return;
    TextWriter described;
    if (!add_memory(call, major, memory, &described)) return;
    text->add(" ").add(names[i < name_count ? i : name_count - 1]);
    if (i >= name_count) text->add(static_cast<int64_t>(i));
    text->add("=").add(described.view());
  }
}

/// The algorithm of the operation; -1 for operations without a choice of algorithms.
int algorithm_of(const xsp_call* call, int major, const void* descriptor, int kind) {
  auto* ask = query.of(call);
  int algorithm = -1;
  if (major == 3) return ask(descriptor, kAlgorithm3, 0, &algorithm) == 0 && algorithm != 0 ? algorithm : -1;
  // In 2, operation descriptors are public structures that begin with kind, propagation and algorithm (convolution,
  // deconvolution, eltwise, pooling, lrn, rnn, resampling, pooling_v2, softmax_v2), or with kind and algorithm (binary,
  // reduction).
  constexpr uint32_t kThird =
      1u << 5 | 1u << 6 | 1u << 7 | 1u << 9 | 1u << 10 | 1u << 14 | 1u << 19 | 1u << 20 | 1u << 23;
  constexpr uint32_t kSecond = 1u << 16 | 1u << 21;
  if (kind < 0 || kind > 31 || ((kThird | kSecond) >> kind & 1) == 0) return -1;
  const int* operation = nullptr;
  if (ask(descriptor, kOperation2, 0, &operation) != 0 || operation == nullptr) return -1;
  return operation[(kThird >> kind & 1) != 0 ? 2 : 1];
}

void add_post_ops(const xsp_call* call, const void* descriptor, TextWriter* text) {
  auto* attributes_of = get_attributes.of(call);
  auto* post_ops_of = get_post_ops.of(call);
  auto* count_of = post_op_count.of(call);
  auto* kind_of = post_op_kind.of(call);
  const void *attributes = nullptr, *post_ops = nullptr;
  if (attributes_of == nullptr || post_ops_of == nullptr || count_of == nullptr || kind_of == nullptr) return;
  if (attributes_of(descriptor, &attributes) != 0 || attributes == nullptr) return;
  if (post_ops_of(attributes, &post_ops) != 0 || post_ops == nullptr) return;
  const int count = count_of(post_ops);
  for (int i = 0; i < count; ++i) {
    const int kind = kind_of(post_ops, i);
    text->add_name(i == 0 ? " post_ops=" : "+", name(call, name_of_primitive, kind), kind);
  }
}

uint32_t read_primitive(const xsp_call* call, const void* primitive) {
  auto* version = library_version.of(call);
  auto* descriptor_of = get_descriptor.of(call);
  auto* ask = query.of(call);
  if (version == nullptr || descriptor_of == nullptr || ask == nullptr) return 0;
  const int major = version()[0];
  if (major != 2 && major != 3) {
    if (!told.exchange(true)) notify(1, "onednn", "its primitives are not described: not a version 2 or 3");
    return 0;
  }
  const void* descriptor = nullptr;
  int kind = 0, propagation = 0;
  const char* implementation = nullptr;
  if (descriptor_of(primitive, &descriptor) != 0 || descriptor == nullptr) return 0;
  if (ask(descriptor, kPrimitiveKind, 0, &kind) != 0) return 0;
  TextWriter text;
  text.add_name("", name(call, name_of_primitive, kind), kind);
  if (ask(descriptor, kPropagation, 0, &propagation) == 0 && propagation != 0) {
    text.add_name(" ", name(call, name_of_propagation, propagation), propagation);
  }
  static constexpr const char* kSourceNames[] = {"src"};
  static constexpr const char* kWeightNames[] = {"wei", "bia", "wei"};
  static constexpr const char* kDestinationNames[] = {"dst"};
  static constexpr const char* kDiffSourceNames[] = {"diff_src"};
  static constexpr const char* kDiffWeightNames[] = {"diff_wei", "diff_bia", "diff_wei"};
  static constexpr const char* kDiffDestinationNames[] = {"diff_dst"};
  add_memories(call, major, descriptor, kSource, kSourceNames, 1, &text);
  add_memories(call, major, descriptor, kWeights, kWeightNames, 3, &text);
  add_memories(call, major, descriptor, kDestination, kDestinationNames, 1, &text);
  add_memories(call, major, descriptor, kDiffSource, kDiffSourceNames, 1, &text);
  add_memories(call, major, descriptor, kDiffWeights, kDiffWeightNames, 3, &text);
  add_memories(call, major, descriptor, kDiffDestination, kDiffDestinationNames, 1, &text);
  const int algorithm = algorithm_of(call, major, descriptor, kind);
  if (algorithm != -1) text.add_name(" alg=", name(call, name_of_algorithm, algorithm), algorithm);
  add_post_ops(call, descriptor, &text);
  if (ask(descriptor, kImplementation, 0, &implementation) == 0 && implementation != nullptr) {
    text.add(" impl=").add(implementation);
  }
  return xsp_text(text.view().data(), text.view().size());
}

void capture_execution(const xsp_call* call, xsp_values* values, void* primitive, void* stream, int argument_count) {
  uint32_t text = 0;
  if (is_object(call, primitive)) {
    text = primitives.find(primitive).id;
    if (text == 0) {
      text = read_primitive(call, primitive);
      primitives.keep(primitive, {text});
    }
  }
  append(values, text);
  append(values, reinterpret_cast<uint64_t>(stream));
  append(values, argument_count);
}

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

void xsp_capture_dnnl_primitive_execute(const xsp_call* call, xsp_values* values, void* primitive, void* stream,
                                        int argument_count, void* /*arguments*/) {
  capture_execution(call, values, primitive, stream, argument_count);
}

void xsp_capture_dnnl_sycl_interop_primitive_execute(const xsp_call* call, xsp_values* values, void* primitive,
                                                     void* stream, int argument_count, void* /*arguments*/,
                                                     void* /*dependencies*/, void* /*event*/) {
  capture_execution(call, values, primitive, stream, argument_count);
}

void xsp_observe_dnnl_primitive_destroy(void* /*real*/, void* primitive) { primitives.forget(primitive); }

}  // extern "C"
