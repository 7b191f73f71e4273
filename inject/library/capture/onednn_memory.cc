#include "inject/library/capture/onednn_memory.h"

#include "inject/library/capture/sibling.h"

namespace xsp::guest {
namespace {

constexpr int kMaxDimensions = 12;           // DNNL_MAX_NDIMS
constexpr int64_t kRuntimeSize = INT64_MIN;  // DNNL_RUNTIME_DIM_VAL
using Dimensions = int64_t[kMaxDimensions];

/// dnnl_format_kind_t; versions 2 and 3 differ in the values from 3 on.
constexpr int kAny = 1;
constexpr int kBlocked = 2;

/// dnnl_memory_desc_t of oneDNN 2, a public structure, as far as blocked layouts need it.
struct Memory2 {
  int rank;
  Dimensions sizes;
  int data_type;
  Dimensions padded_sizes;
  Dimensions padded_offsets;
  int64_t offset;
  int format_kind;
  Dimensions strides;
  int block_count;
  Dimensions block_sizes;
  Dimensions block_indices;
};

/// dnnl_query_t of oneDNN 3.
enum Query {
  kStrides = 14,
  kRank = 256,
  kSizes,
  kDataType,
  kFormatKind = 262,
  kBlockCount,
  kBlockSizes,
  kBlockIndices
};

struct Memory {
  int rank = 0;
  int data_type = 0;
  int format_kind = 0;
  int block_count = 0;
  const int64_t* sizes = nullptr;
  const int64_t* strides = nullptr;
  const int64_t* block_sizes = nullptr;
  const int64_t* block_indices = nullptr;
};

constinit Sibling<int(const void*, int, void*)> query{"dnnl_memory_desc_query"};
constinit Sibling<const char*(int)> name_of_type{"dnnl_dt2str"};

void read_2(const void* memory, Memory* read) {
  const auto* described = static_cast<const Memory2*>(memory);
  *read = {described->rank,  described->data_type, described->format_kind, described->block_count,
           described->sizes, described->strides,   described->block_sizes, described->block_indices};
}

bool read_3(const xsp_call* call, const void* memory, Memory* read) {
  auto* ask = query.of(call);
  if (ask == nullptr || ask(memory, kRank, &read->rank) != 0 || ask(memory, kDataType, &read->data_type) != 0 ||
      ask(memory, kSizes, &read->sizes) != 0 || ask(memory, kFormatKind, &read->format_kind) != 0) {
    return false;
  }
  if (read->format_kind != kBlocked) return true;
  return ask(memory, kStrides, &read->strides) == 0 && ask(memory, kBlockCount, &read->block_count) == 0 &&
         ask(memory, kBlockSizes, &read->block_sizes) == 0 && ask(memory, kBlockIndices, &read->block_indices) == 0;
}

void add_sizes(const Memory& memory, TextWriter* text) {
  text->add("[");
  for (int d = 0; d < memory.rank; ++d) {
    if (d != 0) text->add(",");
    if (memory.sizes[d] == kRuntimeSize) {
      text->add("?");
    } else {
      text->add(memory.sizes[d]);
    }
  }
  text->add("]");
}

bool is_blocked(const Memory& memory, int dimension) {
  for (int block = 0; block < memory.block_count; ++block) {
    if (memory.block_indices[block] == dimension) return true;
  }
  return false;
}

/// Appends a letter for each dimension, from the outermost to the innermost. Dimensions that are split into blocks are
/// capitals; the blocks follow.
void add_tag(const Memory& memory, TextWriter* text) {
  int order[kMaxDimensions];
  for (int d = 0; d < memory.rank; ++d) {
    int at = d;
    // Sorted by stride, largest first; stable, so that dimensions of equal stride keep their order.
    for (; at > 0 && memory.strides[order[at - 1]] < memory.strides[d]; --at) order[at] = order[at - 1];
    order[at] = d;
  }
  for (int i = 0; i < memory.rank; ++i) {
    const char letter = static_cast<char>((is_blocked(memory, order[i]) ? 'A' : 'a') + order[i]);
    text->add({&letter, 1});
  }
  for (int block = 0; block < memory.block_count; ++block) {
    const char letter = static_cast<char>('a' + memory.block_indices[block]);
    text->add(memory.block_sizes[block]).add({&letter, 1});
  }
}

}  // namespace

bool add_memory(const xsp_call* call, int major, const void* memory, TextWriter* text) {
  Memory read;
  if (major == 2) {
    read_2(memory, &read);
  } else if (!read_3(call, memory, &read)) {
    return false;
  }
  if (read.rank <= 0 || read.rank > kMaxDimensions || read.block_count < 0 || read.block_count > kMaxDimensions) {
    return false;
  }
  auto* type_name = name_of_type.of(call);
  text->add_name("", type_name == nullptr ? nullptr : type_name(read.data_type), read.data_type);
  add_sizes(read, text);
  if (read.format_kind == kBlocked) {
    add_tag(read, text);
  } else {
    text->add(read.format_kind == kAny ? "any" : "opaque");
  }
  return true;
}

}  // namespace xsp::guest
