#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xsp {

/// What ONNX Runtime lists as a node's inputs or outputs, `[{"float":[1,3,224,224]},{"int64":[]}]`, up to the first
/// malformed entry. Only tensors that were present are listed: an omitted optional argument has no entry.
struct NodeShapes {
  std::string arguments;  ///< "f32[1,3,224,224];i64[]"
  std::string shapes;     ///< "[1,3,224,224];[]"
};

/// The members of one event of an ONNX Runtime profile from which spans and kernels are made. Members that are missing,
/// of another type or out of range are left out.
///
///     {"cat":"Node","pid":1,"tid":7,"dur":119,"ts":2931,"ph":"X","name":"conv1_kernel_time",
///      "args":{"op_name":"Conv","output_size":"8192","output_type_shape":[{"float":[1,8,16,16]}]}}
struct OrtEvent {
  std::string category;
  std::string name;
  std::optional<int64_t> process;
  std::optional<uint64_t> thread;
  std::optional<int64_t> begin_ns;     ///< since the profile began
  std::optional<int64_t> duration_ns;  ///< never negative

  // Members of nodes.
  std::string op_name;
  std::string provider;
  std::optional<int64_t> output_bytes;
  NodeShapes inputs;
  NodeShapes outputs;

  // Members of kernels.
  std::string parent_name;
  std::string event_name;
  std::optional<int64_t> event_begin_us;  ///< since 1970
  std::optional<int64_t> stream;
  std::array<std::optional<int64_t>, 3> grid;
  std::array<std::optional<int64_t>, 3> block;

  /// End of an event with a begin and a duration.
  int64_t end_ns() const { return *begin_ns + *duration_ns; }
};

/// Reads one event; false if it is not a JSON object. Numbers may be quoted, as most of ONNX Runtime's are. Bytes that
/// are not UTF-8 are replaced (trace_text).
bool read_ort_event(std::string_view text, OrtEvent* event);

}  // namespace xsp
