#include "collector/formats/ort_event.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "base/text_encoding.h"
#include "collector/formats/event_time.h"

namespace xsp {
namespace {

using nlohmann::json;

enum class Field : uint8_t {
  kOther,
  // Members of the event.
  kArgs,
  kCategory,
  kName,
  kProcess,
  kThread,
  kBegin,
  kDuration,
  // Members of its "args".
  kOpName,
  kProvider,
  kOutputBytes,
  kInputs,
  kOutputs,
  kParentName,
  kEventName,
  kEventBegin,
  kStream,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
};

constexpr std::array kEventFields = std::to_array<std::pair<std::string_view, Field>>({
    {"args", Field::kArgs},
    {"cat", Field::kCategory},
    {"name", Field::kName},
    {"pid", Field::kProcess},
    {"tid", Field::kThread},
    {"ts", Field::kBegin},
    {"dur", Field::kDuration},
});

constexpr std::array kArgumentFields = std::to_array<std::pair<std::string_view, Field>>({
    {"op_name", Field::kOpName},
    {"provider", Field::kProvider},
    {"output_size", Field::kOutputBytes},
    {"input_type_shape", Field::kInputs},
    {"output_type_shape", Field::kOutputs},
    {"parent_name", Field::kParentName},
    {"ort_event_name", Field::kEventName},
    {"ort_correlation_id", Field::kEventBegin},
    {"stream", Field::kStream},
    {"grid_x", Field::kGridX},
    {"grid_y", Field::kGridY},
    {"grid_z", Field::kGridZ},
    {"block_x", Field::kBlockX},
    {"block_y", Field::kBlockY},
    {"block_z", Field::kBlockZ},
});

/// Names as DataTypeImpl::ToString gives them (onnxruntime/core/framework/data_types.cc).
constexpr std::array kElementNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"float", "f32"},
    {"double", "f64"},
    {"float16", "f16"},
    {"bfloat16", "bf16"},
    {"Float8E4M3FN", "f8e4m3"},
    {"Float8E5M2", "f8e5m2"},
    {"float8e4m3fn", "f8e4m3"},
    {"float8e5m2", "f8e5m2"},
    {"int64", "i64"},
    {"int32", "i32"},
    {"int16", "i16"},
    {"int8", "i8"},
    {"uint8", "u8"},
});

template <typename Value, size_t kCount>
Value find(const std::array<std::pair<std::string_view, Value>, kCount>& all, std::string_view key, Value otherwise) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == key; });
  return found == all.end() ? otherwise : found->second;
}

/// Collects a list of tensors as its JSON is parsed, an entry at a time.
class ShapeList {
 public:
  explicit ShapeList(NodeShapes* to) : to_(to) { *to = {}; }

  void begin_entry() {
    type_.clear();
    dimensions_.clear();
    members_ = 0;
    is_sound_ = true;
  }
  void begin_member(std::string_view type) {
    ++members_;
    type_ = find(kElementNames, type, type);
  }
  void begin_dimensions() { dimensions_.assign(1, '['); }
  void add_dimension(std::optional<int64_t> size) {
    if (!size || *size < 0) return refuse();
    if (dimensions_.size() > 1) dimensions_ += ',';
    dimensions_ += std::to_string(*size);
  }
  void end_dimensions() { dimensions_ += ']'; }
  /// A list has nothing like this: the entry is malformed.
  void refuse() { is_sound_ = false; }
  /// False if the entry was malformed: the list ends before it.
  bool end_entry() {
    if (!is_sound_ || members_ != 1 || dimensions_.empty()) return false;
    if (!to_->shapes.empty()) {
      to_->arguments += ';';
      to_->shapes += ';';
    }
    to_->arguments += type_;
    to_->arguments += dimensions_;
    to_->shapes += dimensions_;
    return true;
  }

 private:
  NodeShapes* to_;
  std::string type_;
  std::string dimensions_;
  size_t members_ = 0;
  bool is_sound_ = false;
};

/// Nesting depths of the objects and arrays that are read.
constexpr int kEventDepth = 1;
constexpr int kArgsDepth = 2;
constexpr int kListDepth = 3;
constexpr int kEntryDepth = 4;
constexpr int kDimensionsDepth = 5;

class EventReader : public nlohmann::json_sax<json> {
 public:
  explicit EventReader(OrtEvent* event) : event_(event) {}

  bool null() override { return refuse(); }
  bool boolean(bool) override { return refuse(); }
  bool binary(json::binary_t&) override { return refuse(); }
  bool number_integer(json::number_integer_t value) override { return number(value, static_cast<double>(value)); }
  bool number_unsigned(json::number_unsigned_t value) override {
    if (depth_ == kEventDepth && field_ == Field::kThread) event_->thread = value;
    const bool fits = value <= INT64_MAX;
    return number(fits ? std::optional(static_cast<int64_t>(value)) : std::nullopt, static_cast<double>(value));
  }
  bool number_float(json::number_float_t value, const std::string&) override { return number({}, value); }

  bool string(std::string& value) override {
    if (std::string* const to = text_field()) {
      *to = std::move(value);
      return true;
    }
    if (!is_number_here()) return refuse();
    const auto whole = number_in<int64_t>(value);
    const bool is_time = field_ == Field::kBegin || field_ == Field::kDuration;
    return number(whole, whole || !is_time ? std::nullopt : number_in<double>(value));
  }

  bool key(std::string& value) override {
    if (depth_ == kEventDepth) {
      field_ = find(kEventFields, value, Field::kOther);
    } else if (depth_ == kArgsDepth) {
      field_ = in_args_ ? find(kArgumentFields, value, Field::kOther) : Field::kOther;
    } else if (list_ && depth_ == kEntryDepth) {
      list_->begin_member(value);
    }
    return true;
  }

  bool start_object(size_t) override {
    if (depth_ == kEventDepth) in_args_ = field_ == Field::kArgs;
    if (list_ && depth_ == kListDepth) list_->begin_entry();
    if (list_ && depth_ > kListDepth) list_->refuse();
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    if (depth_ == kEventDepth) in_args_ = false;
    if (list_ && depth_ == kListDepth && !list_->end_entry()) list_.reset();
    return true;
  }
  bool start_array(size_t) override {
    if (depth_ == kArgsDepth && in_args_) {
      if (field_ == Field::kInputs) list_.emplace(&event_->inputs);
      if (field_ == Field::kOutputs) list_.emplace(&event_->outputs);
    } else if (list_ && depth_ == kListDepth) {
      list_.reset();
    } else if (list_ && depth_ == kEntryDepth) {
      list_->begin_dimensions();
    } else if (list_) {
      list_->refuse();
    }
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (list_ && depth_ == kDimensionsDepth) list_->end_dimensions();
    if (--depth_ == kArgsDepth) list_.reset();
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool in_event() const { return depth_ == kEventDepth; }
  bool in_args() const { return depth_ == kArgsDepth && in_args_; }
  bool is_number_here() const { return in_event() || in_args() || (list_ && depth_ == kDimensionsDepth); }

  std::string* text_field() const {
    if (!in_event() && !in_args()) return nullptr;
    switch (field_) {
      case Field::kCategory:
        return &event_->category;
      case Field::kName:
        return &event_->name;
      case Field::kOpName:
        return &event_->op_name;
      case Field::kProvider:
        return &event_->provider;
      case Field::kParentName:
        return &event_->parent_name;
      case Field::kEventName:
        return &event_->event_name;
      default:
        return nullptr;
    }
  }

  /// Takes a value that never occurs in a list of tensors.
  bool refuse() {
    if (!list_) return true;
    if (depth_ == kListDepth) {
      list_.reset();
    } else if (depth_ > kListDepth) {
      list_->refuse();
    }
    return true;
  }

  /// Takes a number: `whole` if it is an integer that fits, else `value` if it is a number at all.
  bool number(std::optional<int64_t> whole, std::optional<double> value) {
    if (list_ && depth_ == kDimensionsDepth) {
      list_->add_dimension(whole);
    } else if (in_event() || in_args()) {
      take(whole, value);
    } else {
      return refuse();
    }
    return true;
  }

  void take(std::optional<int64_t> whole, std::optional<double> value) {
    const auto time = [&] {
      return whole ? nanoseconds_of_us(*whole) : value ? nanoseconds_of_us(*value) : std::nullopt;
    };
    switch (field_) {
      case Field::kProcess:
        event_->process = whole;
        break;
      case Field::kThread:
        if (whole) event_->thread = static_cast<uint64_t>(*whole);
        break;
      case Field::kBegin:
        event_->begin_ns = time();
        break;
      case Field::kDuration:
        event_->duration_ns = time();
        if (event_->duration_ns && *event_->duration_ns < 0) event_->duration_ns.reset();
        break;
      case Field::kOutputBytes:
        event_->output_bytes = whole;
        break;
      case Field::kEventBegin:
        event_->event_begin_us = whole;
        break;
      case Field::kStream:
        event_->stream = whole;
        break;
      case Field::kGridX:
      case Field::kGridY:
      case Field::kGridZ:
        event_->grid[static_cast<size_t>(field_) - static_cast<size_t>(Field::kGridX)] = whole;
        break;
      case Field::kBlockX:
      case Field::kBlockY:
      case Field::kBlockZ:
        event_->block[static_cast<size_t>(field_) - static_cast<size_t>(Field::kBlockX)] = whole;
        break;
      default:
        break;
    }
  }

  OrtEvent* event_;
  int depth_ = 0;
  Field field_ = Field::kOther;
  bool in_args_ = false;
  std::optional<ShapeList> list_;
};

bool read_once(std::string_view text, OrtEvent* event) {
  *event = {};
  EventReader reader(event);
  return json::sax_parse(text.begin(), text.end(), &reader);
}

}  // namespace

bool read_ort_event(std::string_view text, OrtEvent* event) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  // The parser refuses bytes that are not UTF-8. They are rare, so the text is copied and repaired only then.
  return read_once(text, event) || read_once(trace_text(text), event);
}

}  // namespace xsp
