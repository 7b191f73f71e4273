#include "import/tracing/span_tags.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/number_text.h"

namespace xsp {
namespace {

using wire::Kind;
using wire::Level;

struct LevelName {
  std::string_view name;
  Level level;
};

/// Levels as tracers name them; MLModelScope's tracer and trace.proto use the same numbers.
constexpr LevelName kLevelNames[] = {
    {"1", Level::kApplication},
    {"2", Level::kModel},
    {"3", Level::kLayer},
    {"4", Level::kLibrary},
    {"5", Level::kRuntime},
    {"6", Level::kDevice},
    {"application", Level::kApplication},
    {"app", Level::kApplication},
    {"a", Level::kApplication},
    {"model", Level::kModel},
    {"m", Level::kModel},
    {"framework", Level::kLayer},
    {"layer", Level::kLayer},
    {"l", Level::kLayer},
    {"ml_library", Level::kLibrary},
    {"library", Level::kLibrary},
    {"system_library", Level::kRuntime},
    {"runtime", Level::kRuntime},
    {"api", Level::kRuntime},
    {"driver", Level::kRuntime},
    {"hardware", Level::kDevice},
    {"device", Level::kDevice},
    {"gpu", Level::kDevice},
    {"gpu_kernel", Level::kDevice},
    {"kernel", Level::kDevice},
    {"g", Level::kDevice},
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

/// A number without sign and fraction.
std::optional<uint64_t> whole_number(const TagValue& value) {
  if (const auto number = number_in<uint64_t>(value.text)) return number;
  constexpr double kLimit = 9e15;  // integers in a double are exact up to here
  if (value.number && *value.number >= 0 && *value.number <= kLimit && *value.number == std::floor(*value.number)) {
    return static_cast<uint64_t>(*value.number);
  }
  return std::nullopt;
}

uint32_t small_number(const TagValue& value) {
  const auto number = whole_number(value);
  return number && *number <= UINT32_MAX ? static_cast<uint32_t>(*number) : 0;
}

/// The three numbers of a grid: "[80,1,1]" from "[80 1 1]", "80, 1, 1", "(80,1,1)"; empty: not three numbers.
std::string three_numbers(std::string_view text) {
  std::string numbers;
  int count = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    constexpr size_t kMaxDigits = 10;
    if (end - at > kMaxDigits) return {};
    numbers += (count == 0 ? "" : ",");
    numbers += text.substr(at, end - at);
    ++count;
    at = end;
  }
  constexpr int kDimensions = 3;
  return count == kDimensions ? "[" + numbers + "]" : std::string();
}

/// Shapes in their stored form: "[1,64]" from "(1, 64)", several joined by ";".
std::string shape_of(std::string_view text) {
  std::string shape;
  int depth = 0;
  for (char c : text) {
    if (c == ' ' || c == '"' || c == '\'') continue;
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
      if (!shape.empty() && shape.back() == ']') shape += ';';
      shape += '[';
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
      shape += ']';
    } else if (c == ',' && depth <= 1 && !shape.empty() && shape.back() == ']') {
      shape += ';';
    } else {
      shape += c;
    }
  }
  // A list of shapes in its own brackets.
  if (shape.starts_with("[[") && shape.ends_with("]]")) shape = shape.substr(1, shape.size() - 2);
  std::string joined;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == ';' && i + 1 < shape.size() && shape[i + 1] == ';') continue;
    joined += shape[i];
  }
  return joined;
}

/// "cudnn" for "cudnnConvolutionForward"; "": a library without a name here.
std::string_view library_of(std::string_view function) {
  for (const std::string_view prefix : {"cudnn", "cublasLt", "cublas", "cusparse", "cusolver", "cufft", "curand"}) {
    if (function.starts_with(prefix)) return prefix == "cublasLt" ? "cublaslt" : prefix;
  }
  return function.starts_with("dnnl_") ? "onednn" : function.starts_with("nccl") ? "nccl" : "";
}

/// Metrics are named as by nvprof, CUPTI and MLModelScope.
bool is_metric(std::string_view key) {
  return key.starts_with("flop_count_") || key.starts_with("dram_") || key.starts_with("inst_") ||
         key.find("__") != std::string_view::npos || key == "achieved_occupancy" || key == "sm_efficiency";
}

/// "HtoD" for "h2d".
std::string copy_direction(std::string_view kind) {
  if (kind.size() != 3 || kind[1] != '2') return std::string(kind);
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  return std::string{upper(kind[0]), 't', 'o', upper(kind[2])};
}

/// "cudaLaunchKernel" from "CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000".
std::string function_of(std::string_view callback) {
  constexpr std::string_view kMark = "_TRACE_CBID_";
  if (const size_t at = callback.find(kMark); at != std::string_view::npos) callback.remove_prefix(at + kMark.size());
  const size_t version = callback.rfind("_v");
  const bool has_version = version != std::string_view::npos && version + 2 < callback.size() &&
                           std::all_of(callback.begin() + static_cast<ptrdiff_t>(version) + 2, callback.end(),
                                       [](char c) { return c >= '0' && c <= '9'; });
  return std::string(has_version && callback.size() - version > 3 ? callback.substr(0, version) : callback);
}

}  // namespace

void SpanTags::set_level(std::string_view text) {
  std::string wanted = lower(text);
  for (const std::string_view prefix : {"xsp_", "level_"}) {
    if (wanted.starts_with(prefix)) wanted.erase(0, prefix.size());
  }
  for (const std::string_view suffix : {"_trace", "_level"}) {
    if (wanted.ends_with(suffix)) wanted.resize(wanted.size() - suffix.size());
  }
  for (const LevelName& known : kLevelNames) {
    if (known.name != wanted) continue;
    has_level = true;
    level = known.level;
    return;
  }
}

void SpanTags::add(std::string_view key, const TagValue& value) {
  if (key.starts_with("xsp.")) key.remove_prefix(4);
  if (is_one_of(key, {"level", "trace_level", "traceLevel"})) {
    set_level(value.text);
  } else if (is_one_of(key, {"correlation_id", "correlationId", "correlation"})) {
    correlation = small_number(value);
  } else if (is_one_of(key, {"device_id", "device"})) {
    device = small_number(value);
  } else if (is_one_of(key, {"context_id", "context", "context_uid"})) {
    context = small_number(value);
  } else if (is_one_of(key, {"stream_id", "stream"})) {
    stream = small_number(value);
  } else if (is_one_of(key, {"bytes", "byte_count", "allocated_bytes", "alloc_bytes", "allocation_bytes"})) {
    bytes = whole_number(value);
  } else if (is_one_of(key, {"layer_type", "op_type", "op", "type", "static_kind", "class"})) {
    type = value.text;
  } else if (is_one_of(key, {"shape", "output_shape", "layer_shape", "shapes"})) {
    shape = shape_of(value.text);
  } else if (is_one_of(key, {"input_shape", "input"})) {
    input = shape_of(value.text);
  } else if (is_one_of(key, {"grid_dim", "grid"})) {
    grid_ = three_numbers(value.text);
  } else if (is_one_of(key, {"block_dim", "block"})) {
    block_ = three_numbers(value.text);
  } else if (is_one_of(key, {"registers_per_thread", "registers"})) {
    registers_ = whole_number(value);
  } else if (is_one_of(key, {"static_sharedMemory", "static_shared"})) {
    static_shared_ = whole_number(value);
  } else if (is_one_of(key, {"dynamic_sharedMemory", "dynamic_shared", "shared_mem"})) {
    dynamic_shared_ = whole_number(value);
  } else if (is_one_of(key, {"function_name", "cbid"})) {
    if (function_.empty() || key == "function_name") function_ = function_of(value.text);
  } else if (is_one_of(key, {"name", "kernel_name", "kernel", "symbol_name"})) {
    kernel_ = value.text;
  } else if (key == "copy_kind") {
    copy_kind_ = value.text;
  } else if (is_one_of(key, {"device_name", "gpu_name", "gpu"})) {
    device_name = value.text;
  } else if (key == "error") {
    failed |= value.text != "false" && value.text != "0" && !value.text.empty();
  } else if (value.number) {
    add_metric(key, *value.number);
  }
}

void SpanTags::add_metric(std::string_view key, double value) {
  if (is_metric(key)) metrics.emplace_back(key, value);
}

void SpanTags::finish_execution(std::string_view operation) {
  const std::string what = lower(operation);
  is_execution = true;
  level = Level::kDevice;
  if (!copy_kind_.empty() || what.find("memcpy") != std::string::npos) {
    kind = Kind::kMemcpy;
    name = copy_direction(copy_kind_);
  } else if (what.find("memset") != std::string::npos) {
    kind = Kind::kMemset;
  } else if (what == "gpu_synchronization") {
    kind = Kind::kSynchronization;
    name = type;
  } else if (what == "gpu_overhead") {
    kind = Kind::kOverhead;
  } else {
    kind = Kind::kKernel;
    name = kernel_;
    if (!grid_.empty()) configuration += "grid=" + grid_;
    const auto add_field = [&](const char* field, const std::string& value) {
      if (!configuration.empty()) configuration += ' ';
      configuration += field + value;
    };
    if (!block_.empty()) add_field("block=", block_);
    if (registers_) add_field("registers=", std::to_string(*registers_));
    if (static_shared_) add_field("static_shared=", std::to_string(*static_shared_));
    if (dynamic_shared_) add_field("dynamic_shared=", std::to_string(*dynamic_shared_));
  }
  if (name.empty()) name = operation;
}

void SpanTags::finish_call(std::string_view operation) {
  name = function_.empty() ? std::string(operation) : function_;
  is_repeated_call = operation == "gpu_api";
  const bool is_driver = name.starts_with("cu") && !name.starts_with("cuda") && !name.starts_with("cuda_");
  kind = is_driver ? Kind::kDriverCall : Kind::kRuntimeCall;
  type = is_driver ? "cuda" : "cudart";
}

void SpanTags::finish(std::string_view operation) {
  const bool is_device_record = is_one_of(
      operation, {"gpu_kernel", "gpu_cdp_kernel", "gpu_memcpy", "gpu_memset", "gpu_synchronization", "gpu_overhead"});
  if (is_device_record || (has_level && level == Level::kDevice)) {
    has_level = true;
    finish_execution(operation);
    return;
  }
  name = operation;
  switch (level) {
    case Level::kModel:
      kind = Kind::kRun;
      break;
    case Level::kLayer:
      kind = Kind::kOperator;
      break;
    case Level::kLibrary:
      kind = Kind::kLibraryCall;
      if (type.empty()) type = library_of(name);
      break;
    case Level::kRuntime:
      finish_call(operation);
      break;
    default:
      break;
  }
}

void ProcessTags::add(std::string_view key, const TagValue& value) {
  if (is_one_of(key, {"hostname", "host.name"})) {
    hostname = value.text;
  } else if (is_one_of(key, {"process.pid", "pid"})) {
    pid = small_number(value);
  } else if (is_one_of(key, {"device_name", "gpu_name", "gpu"})) {
    device_name = value.text;
  }
}

}  // namespace xsp
