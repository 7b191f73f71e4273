// Captures cublasLtMatmul by its descriptors, which are read with cuBLASLt's own getters.
#include "enum_names.h"
#include "inject/library/capture/kept_texts.h"
#include "inject/library/capture/passed_object.h"
#include "inject/library/capture/sibling.h"
#include "inject/library/capture/text_writer.h"

namespace xsp::guest {
namespace {

// cublasLtMatrixLayoutAttribute_t, cublasLtMatmulDescAttributes_t and cublasLtMatmulAlgoCapAttributes_t.
enum LayoutAttribute { kType = 0, kOrder = 1, kRows = 2, kColumns = 3, kLeading = 4, kBatch = 5 };
enum ProductAttribute { kCompute = 0, kScaleType = 1, kOpA = 3, kOpB = 4, kEpilogue = 7, kFastAccumulation = 25 };
constexpr int kNumericalFlags = 15;
constexpr int kOpNone = 0;  // CUBLAS_OP_N

using GetAttribute = int(const void* object, int attribute, void* buffer, size_t size, size_t* written);
constinit Sibling<GetAttribute> get_layout{"cublasLtMatrixLayoutGetAttribute"};
constinit Sibling<GetAttribute> get_product{"cublasLtMatmulDescGetAttribute"};
constinit Sibling<GetAttribute> get_capability{"cublasLtMatmulAlgoCapGetAttribute"};
constinit ContentTexts texts;

/// The attribute; `absent` if there is no object, or the library does not know the attribute.
template <typename Value>
Value read(GetAttribute* get, const void* object, int attribute, Value absent) {
  Value value{};
  size_t written = 0;
  if (get == nullptr || object == nullptr || get(object, attribute, &value, sizeof value, &written) != 0) return absent;
  return value;
}

struct Matrix {
  int32_t type = -1;
  int32_t order = -1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t leading = 0;
};

Matrix matrix_of(GetAttribute* get, const void* layout) {
  Matrix matrix;
  matrix.type = read<int32_t>(get, layout, kType, -1);
  matrix.order = read<int32_t>(get, layout, kOrder, -1);
  matrix.rows = static_cast<int64_t>(read<uint64_t>(get, layout, kRows, 0));
  matrix.columns = static_cast<int64_t>(read<uint64_t>(get, layout, kColumns, 0));
  matrix.leading = read<int64_t>(get, layout, kLeading, 0);
  return matrix;
}

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

void xsp_capture_cublasLtMatmul(const xsp_call* call, xsp_values* values, void* handle, void* product, void* /*alpha*/,
                                void* /*a*/, void* a_layout, void* /*b*/, void* b_layout, void* /*beta*/, void* /*c*/,
                                void* c_layout, void* /*d*/, void* d_layout, void* algorithm, void* /*workspace*/,
                                size_t workspace_size, void* stream) {
  GetAttribute* get = get_layout.of(call);
  GetAttribute* of_product = get_product.of(call);
  for (void** object : {&product, &a_layout, &b_layout, &c_layout, &d_layout, &algorithm}) {
    if (!is_object(call, *object)) *object = nullptr;
  }
  const Matrix a = matrix_of(get, a_layout), b = matrix_of(get, b_layout), d = matrix_of(get, d_layout);
  // C and D usually share one layout: that saves five calls of a getter.
  const Matrix c = c_layout == d_layout ? d : matrix_of(get, c_layout);
  const int32_t op_a = read<int32_t>(of_product, product, kOpA, -1);
  append(values, d.rows);
  append(values, d.columns);
  append(values, op_a == kOpNone ? a.columns : a.rows);
  append(values, read<int32_t>(get, d_layout, kBatch, 0));
  for (const Matrix* matrix : {&a, &b, &c, &d}) append(values, static_cast<int16_t>(matrix->type));
  append(values, static_cast<int8_t>(op_a));
  append(values, static_cast<int8_t>(read<int32_t>(of_product, product, kOpB, -1)));
  append(values, static_cast<int16_t>(read<int32_t>(of_product, product, kCompute, -1)));
  append(values, static_cast<int16_t>(read<int32_t>(of_product, product, kScaleType, -1)));
  append(values, static_cast<int16_t>(read<uint32_t>(of_product, product, kEpilogue, 0)));
  for (const Matrix* matrix : {&a, &b, &c, &d}) append(values, static_cast<int8_t>(matrix->order));
  for (const Matrix* matrix : {&a, &b, &c, &d}) append(values, matrix->leading);
  append(values, read<int8_t>(of_product, product, kFastAccumulation, 0));
  append(values, static_cast<uint64_t>(workspace_size));
  append(values, reinterpret_cast<uint64_t>(stream));
  append(values, reinterpret_cast<uint64_t>(handle));
  append(values,
         algorithm == nullptr ? uint64_t{0} : read<uint64_t>(get_capability.of(call), algorithm, kNumericalFlags, 0));
}

uint32_t xsp_describe_cublasLtMatrixLayout_t(const xsp_call* call, const void* object) {
  if (!is_object(call, object)) return 0;
  GetAttribute* get = get_layout.of(call);
  const Matrix matrix = matrix_of(get, object);
  if (matrix.type == -1) return 0;
  const int32_t batch = read<int32_t>(get, object, kBatch, 1);
  Content content(0);
  content.add(matrix.type).add(matrix.order).add(matrix.rows).add(matrix.columns).add(matrix.leading).add(batch);
  if (const uint32_t id = texts.find(content)) return id;
  const int64_t sizes[] = {matrix.rows, matrix.columns};
  TextWriter text;
  text.add_name("", cublaslt::name_of_cudaDataType_t(matrix.type), matrix.type).add_list(sizes, 2);
  text.add_name(" order=", cublaslt::name_of_cublasLtOrder_t(matrix.order), matrix.order);
  text.add(" ld=").add(matrix.leading).add(" batch=").add(static_cast<int64_t>(batch));
  const uint32_t id = xsp_text(text.view().data(), text.view().size());
  texts.keep(content, id);
  return id;
}

}  // extern "C"
