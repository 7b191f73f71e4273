#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

/// A tensor that a node has output.
struct StepTensor {
  std::string element;     // as in OperatorArguments
  std::string dimensions;  // "[1,64]"; empty: not known

  /// Appends one to dimensions already begun with '['.
  void add_dimension(int64_t size);
};

/// TensorFlow's name of an element type, as text ("DT_HALF") or number, in the terms of OperatorArguments.
std::string element_of_data_type(std::string_view name);
std::string element_of_data_type(int64_t number);

/// One execution, of a node or on a stream: NodeExecStats.
struct StepNode {
  std::string name;
  std::string label;  // for a node "name = Op(input, input:1, ^control)", for a kernel "kernel details@@name:Op"
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::optional<int64_t> scheduled_ns;  // of a kernel: when it was launched
  uint32_t thread = 0;
  std::optional<uint64_t> bytes;  // by all allocators
  std::vector<std::optional<StepTensor>> outputs;

  /// Taken from the label, unless given.
  std::string op;
  std::vector<std::string> inputs;

  /// A slot number that no node can have is ignored.
  void set_output(int64_t slot, std::optional<StepTensor> tensor);
};

/// Times in microseconds and, in later releases, in nanoseconds as well.
struct StepTimes {
  int64_t begin_us = 0;
  int64_t duration_us = 0;
  int64_t scheduled_us = 0;
  int64_t begin_ns = 0;
  int64_t duration_ns = 0;
  int64_t scheduled_ns = 0;

  /// Impossible times are left to the writer, which counts them.
  void give(StepNode* to) const;
};

}  // namespace xsp
