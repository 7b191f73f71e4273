#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/trace_numbers.h"

namespace xsp {

/// A tag's value as its format has it; a number is also given as text.
struct TagValue {
  std::string_view text;
  std::optional<double> number;
};

/// What a span of an across-stack profiler says in its tags, and in its name where the tags leave something open. Tags
/// are named as by the tracers of MLModelScope (trace_level, correlation_id, grid_dim, ...), or similarly.
class SpanTags {
 public:
  /// Clears everything for the next span.
  void clear() { *this = {}; }
  void add(std::string_view key, const TagValue& value);
  /// Adds a counter; other numbers are ignored.
  void add_metric(std::string_view key, double value);
  /// All tags have been added. `operation` is the span's name.
  void finish(std::string_view operation);

  bool has_level = false;
  bool is_execution = false;      // on a device
  bool is_repeated_call = false;  // a record of a call that usually has its own span
  bool failed = false;
  wire::Level level = wire::Level::kApplication;
  wire::Kind kind = wire::Kind::kAnnotation;
  std::string name;
  std::string type;
  std::string shape;
  std::string input;
  std::string configuration;
  std::string device_name;
  std::optional<uint64_t> bytes;
  uint32_t correlation = 0;
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  std::vector<std::pair<std::string, double>> metrics;

 private:
  void set_level(std::string_view text);
  void finish_execution(std::string_view operation);
  void finish_call(std::string_view operation);

  std::string function_;
  std::string kernel_;
  std::string copy_kind_;
  std::string grid_;
  std::string block_;
  std::optional<uint64_t> registers_;
  std::optional<uint64_t> static_shared_;
  std::optional<uint64_t> dynamic_shared_;
};

/// A process's tags, if they identify it.
struct ProcessTags {
  void add(std::string_view key, const TagValue& value);

  std::string hostname;
  std::string device_name;
  uint32_t pid = 0;
};

}  // namespace xsp
