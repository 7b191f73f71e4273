#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xsp {

/// One event of an ONNX Runtime profile. The fields that layers are made of, as far as the event has them.
///
///     {"cat":"Node","pid":1,"tid":7,"dur":119,"ts":2931,"ph":"X","name":"conv1_kernel_time",
///      "args":{"op_name":"Conv","output_size":"8192","output_type_shape":[{"float":[1,8,16,16]}]}}
struct OrtEvent {
  std::string category;
  std::string name;
  std::string op_name;
  std::string provider;
  std::string output_shape;  // "[1,8,16,16]", several joined by ";"
  uint64_t thread = 0;
  double begin_us = 0;
  double duration_us = 0;
  uint64_t output_bytes = 0;
  bool has_output_bytes = false;
};

/// Parses one event; false if it is no JSON object. Numbers may stand in quotes, as most of ONNX Runtime's do.
bool read_ort_event(std::string_view text, OrtEvent* event);

}  // namespace xsp
