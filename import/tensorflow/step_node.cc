#include "import/tensorflow/step_node.h"

#include <utility>

namespace xsp {
namespace {

constexpr std::string_view kReference = "_REF";
/// DT_FLOAT_REF = 101 and so on.
constexpr int64_t kFirstReference = 100;
/// A node with more outputs is damage.
constexpr int64_t kMaxSlots = 4096;

struct DataTypeName {
  int number;
  std::string_view theirs;
  std::string_view ours;
};

/// tensorflow/core/framework/types.proto.
constexpr DataTypeName kDataTypes[] = {
    {1, "DT_FLOAT", "f32"},
    {2, "DT_DOUBLE", "f64"},
    {3, "DT_INT32", "i32"},
    {4, "DT_UINT8", "u8"},
    {5, "DT_INT16", "i16"},
    {6, "DT_INT8", "i8"},
    {7, "DT_STRING", "string"},
    {8, "DT_COMPLEX64", "c64"},
    {9, "DT_INT64", "i64"},
    {10, "DT_BOOL", "bool"},
    {11, "DT_QINT8", "qint8"},
    {12, "DT_QUINT8", "quint8"},
    {13, "DT_QINT32", "qint32"},
    {14, "DT_BFLOAT16", "bf16"},
    {15, "DT_QINT16", "qint16"},
    {16, "DT_QUINT16", "quint16"},
    {17, "DT_UINT16", "uint16"},
    {18, "DT_COMPLEX128", "c128"},
    {19, "DT_HALF", "f16"},
    {20, "DT_RESOURCE", "resource"},
    {21, "DT_VARIANT", "variant"},
    {22, "DT_UINT32", "uint32"},
    {23, "DT_UINT64", "uint64"},
    {24, "DT_FLOAT8_E5M2", "f8e5m2"},
    {25, "DT_FLOAT8_E4M3FN", "f8e4m3"},
};

int64_t to_ns(int64_t us) {
  int64_t time = 0;
  return __builtin_mul_overflow(us, 1000, &time) ? INT64_MAX : time;
}

}  // namespace

std::string element_of_data_type(std::string_view name) {
  if (name.ends_with(kReference)) name.remove_suffix(kReference.size());
  for (const DataTypeName& type : kDataTypes) {
    if (type.theirs == name) return std::string(type.ours);
  }
  return std::string(name);
}

std::string element_of_data_type(int64_t number) {
  if (number > kFirstReference) number -= kFirstReference;
  for (const DataTypeName& type : kDataTypes) {
    if (type.number == number) return std::string(type.ours);
  }
  return "type" + std::to_string(number);
}

void StepTensor::add_dimension(int64_t size) {
  if (dimensions.size() > 1) dimensions += ',';
  dimensions += size < 0 ? "?" : std::to_string(size);
}

void StepNode::set_output(int64_t slot, std::optional<StepTensor> tensor) {
  if (slot < 0 || slot >= kMaxSlots) return;
  if (outputs.size() <= static_cast<size_t>(slot)) outputs.resize(static_cast<size_t>(slot) + 1);
  outputs[static_cast<size_t>(slot)] = std::move(tensor);
}

void StepTimes::give(StepNode* to) const {
  to->begin_ns = begin_ns != 0 ? begin_ns : to_ns(begin_us);
  const int64_t duration = begin_ns != 0 ? duration_ns : to_ns(duration_us);
  if (__builtin_add_overflow(to->begin_ns, duration, &to->end_ns)) to->end_ns = INT64_MAX;
  if (begin_ns != 0 && scheduled_ns != 0) to->scheduled_ns = scheduled_ns;
  if (!to->scheduled_ns && scheduled_us != 0) to->scheduled_ns = to_ns(scheduled_us);
}

}  // namespace xsp
