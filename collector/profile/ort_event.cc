#include "collector/profile/ort_event.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace xsp {
namespace {

using nlohmann::json;

/// Depths of the objects and arrays that hold what is read.
constexpr int kEventDepth = 1;
constexpr int kArgsDepth = 2;
constexpr int kDimensionsDepth = 5;  // event, args, list of outputs, {type: dimensions}, dimensions

class EventReader : public nlohmann::json_sax<json> {
 public:
  explicit EventReader(OrtEvent* event) : event_(event) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool number_integer(json::number_integer_t value) override { return integer(std::to_string(value), value); }
  bool number_unsigned(json::number_unsigned_t value) override {
    return integer(std::to_string(value), static_cast<int64_t>(value));
  }
  bool number_float(json::number_float_t value, const std::string&) override {
    number(value);
    return true;
  }

  bool string(std::string& value) override {
    if (depth_ == kEventDepth) {
      if (key_ == "cat")
        event_->category = std::move(value);
      else if (key_ == "name")
        event_->name = std::move(value);
      else
        number(std::strtod(value.c_str(), nullptr));
    } else if (in_args()) {
      if (argument_ == "op_name")
        event_->op_name = std::move(value);
      else if (argument_ == "provider")
        event_->provider = std::move(value);
      else if (argument_ == "output_size")
        output_bytes(std::strtoull(value.c_str(), nullptr, 10));
    }
    return true;
  }

  bool key(std::string& value) override {
    if (depth_ == kEventDepth)
      key_ = std::move(value);
    else if (depth_ == kArgsDepth)
      argument_ = std::move(value);
    return true;
  }

  bool start_object(size_t) override { return ++depth_ > 0; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(size_t) override {
    if (++depth_ == kDimensionsDepth && in_shapes()) {
      if (!event_->output_shape.empty()) event_->output_shape += ';';
      event_->output_shape += '[';
      first_dimension_ = true;
    }
    return true;
  }
  bool end_array() override {
    if (depth_-- == kDimensionsDepth && in_shapes()) event_->output_shape += ']';
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool in_args() const { return depth_ == kArgsDepth && key_ == "args"; }
  bool in_shapes() const { return key_ == "args" && argument_ == "output_type_shape"; }

  bool integer(const std::string& text, int64_t value) {
    if (depth_ == kDimensionsDepth && in_shapes()) {
      if (!first_dimension_) event_->output_shape += ',';
      event_->output_shape += text;
      first_dimension_ = false;
    } else if (in_args() && argument_ == "output_size" && value >= 0) {
      output_bytes(static_cast<uint64_t>(value));
    } else {
      number(static_cast<double>(value));
    }
    return true;
  }

  void number(double value) {
    if (depth_ != kEventDepth || !(value >= 0 && value < 1e15)) return;
    if (key_ == "ts")
      event_->begin_us = value;
    else if (key_ == "dur")
      event_->duration_us = value;
    else if (key_ == "tid")
      event_->thread = static_cast<uint64_t>(value);
  }

  void output_bytes(uint64_t value) {
    event_->output_bytes = value;
    event_->has_output_bytes = true;
  }

  OrtEvent* event_;
  int depth_ = 0;
  std::string key_;
  std::string argument_;
  bool first_dimension_ = true;
};

}  // namespace

bool read_ort_event(std::string_view text, OrtEvent* event) {
  *event = {};
  EventReader reader(event);
  return json::sax_parse(text.begin(), text.end(), &reader);
}

}  // namespace xsp
