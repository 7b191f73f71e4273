#include "import/tensorflow/step_stats_text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/text_encoding.h"
#include "import/tensorflow/step_stats_json.h"

namespace xsp {
namespace {

using nlohmann::json;

constexpr std::string_view kStepStats = "step_stats";
constexpr std::string_view kDeviceStats = "dev_stats";
constexpr std::string_view kNodeStats = "node_stats";
constexpr int kMaxDepth = 64;

/// Fields that may occur several times in one message.
bool is_repeated(std::string_view field) { return field == "memory" || field == "output" || field == "dim"; }

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }
bool is_quote(char byte) { return byte == '"' || byte == '\''; }
bool ends_word(char byte) {
  return is_blank(byte) || is_quote(byte) || std::string_view("{}<>[]:;,#").find(byte) != std::string_view::npos;
}

/// A reader of https://protobuf.dev/reference/protobuf/textformat-spec/.
class TextFields {
 public:
  explicit TextFields(std::string_view text) : text_(text) { skip_blanks(); }

  size_t position() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

  bool take(char byte) {
    if (at_end() || text_[at_] != byte) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  bool begins_message() { return take('{') || take('<'); }
  bool ends_message() { return take('}') || take('>'); }

  /// The name of a field and the colon that may follow it.
  bool read_name(std::string_view* name) {
    if (!read_word(name)) return false;
    (void)take(':');
    return true;
  }

  /// A number, a name or a text, possibly in several adjacent pieces.
  bool read_scalar(std::string* value) {
    value->clear();
    if (at_end()) return false;
    if (!is_quote(text_[at_])) {
      std::string_view word;
      if (!read_word(&word)) return false;
      *value = word;
      return true;
    }
    while (!at_end() && is_quote(text_[at_])) {
      if (!read_quoted(value)) return false;
    }
    return true;
  }

 private:
  bool read_word(std::string_view* word) {
    const size_t begin = at_;
    while (!at_end() && !ends_word(text_[at_])) ++at_;
    *word = text_.substr(begin, at_ - begin);
    skip_blanks();
    return !word->empty();
  }

  bool read_quoted(std::string* value) {
    const char quote = text_[at_];
    for (++at_; !at_end() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\') {
        value->push_back(text_[at_]);
        continue;
      }
      if (++at_ == text_.size()) return false;
      value->push_back(text_[at_] == 'n' ? '\n' : text_[at_] == 't' ? '\t' : text_[at_]);
    }
    if (at_end()) return false;
    ++at_;
    skip_blanks();
    return true;
  }

  void skip_blanks() {
    for (;;) {
      while (!at_end() && is_blank(text_[at_])) ++at_;
      if (at_end() || text_[at_] != '#') return;
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

class TextReader {
 public:
  TextReader(std::string_view text, StepStats* stats) : fields_(text), stats_(stats) {}

  /// The members of a RunMetadata, a StepStats or, with `device`, of a DeviceStepStats.
  bool read_members(bool is_outermost, int depth, std::string* device, std::vector<StepNode>* nodes) {
    while (!(is_outermost ? fields_.at_end() : fields_.ends_message())) {
      std::string_view name;
      if (depth > kMaxDepth || !fields_.read_name(&name)) return false;
      if (name == kStepStats || name == kDeviceStats) {
        if (!fields_.begins_message() || !read_stats(name == kDeviceStats, depth)) return false;
      } else if (name == kNodeStats && nodes != nullptr) {
        json node = json::object();
        if (!fields_.begins_message() || !read_message(&node, depth)) return false;
        nodes->push_back(read_step_node(node));
      } else {
        json value;
        if (!read_value(&value, depth)) return false;
        if (name == "device" && device != nullptr && value.is_string()) *device = value.get<std::string>();
      }
      skip_separator();
    }
    return true;
  }

  uint64_t position() const { return fields_.position(); }

 private:
  bool read_stats(bool is_device, int depth) {
    if (!is_device) return read_members(false, depth + 1, nullptr, nullptr);
    std::string device;
    std::vector<StepNode> nodes;
    const bool is_whole = read_members(false, depth + 1, &device, &nodes);
    for (StepNode& node : nodes) stats_->add(device, std::move(node));
    return is_whole;
  }

  bool read_message(json* message, int depth) {
    if (depth > kMaxDepth) return false;
    while (!fields_.ends_message()) {
      std::string_view name;
      json value;
      if (!fields_.read_name(&name) || !read_value(&value, depth + 1)) return false;
      skip_separator();
      if (is_repeated(name) && !value.is_array()) {
        (*message)[std::string(name)].push_back(std::move(value));
      } else {
        (*message)[std::string(name)] = std::move(value);
      }
    }
    return true;
  }

  bool read_value(json* value, int depth) {
    if (depth > kMaxDepth) return false;
    if (fields_.begins_message()) {
      *value = json::object();
      return read_message(value, depth + 1);
    }
    if (fields_.take('[')) {
      *value = json::array();
      while (!fields_.take(']')) {
        json element;
        if (!read_value(&element, depth + 1)) return false;
        value->push_back(std::move(element));
        skip_separator();
      }
      return true;
    }
    std::string text;
    if (!fields_.read_scalar(&text)) return false;
    if (text == "true" || text == "false") {
      *value = text == "true";
    } else {
      *value = trace_text(text);
    }
    return true;
  }

  void skip_separator() {
    if (!fields_.take(',')) (void)fields_.take(';');
  }

  TextFields fields_;
  StepStats* stats_;
};

}  // namespace

bool looks_like_step_stats_text(std::string_view head) {
  TextFields fields(head);
  std::string_view name;
  return fields.read_name(&name) && (name == kStepStats || name == kDeviceStats) && fields.begins_message();
}

bool read_step_stats_text(std::string_view text, StepStats* stats, uint64_t* position) {
  TextReader reader(text, stats);
  if (reader.read_members(true, 0, nullptr, nullptr)) return true;
  *position = reader.position();
  return false;
}

}  // namespace xsp
