#include "import/kineto/operator_arguments.h"

#include <cstddef>
#include <utility>

namespace xsp::kineto {
namespace {

constexpr std::pair<std::string_view, std::string_view> kElementTypes[] = {
    {"float", "f32"},
    {"c10::BFloat16", "bf16"},
    {"c10::Half", "f16"},
    {"long int", "i64"},
    {"long", "i64"},
    {"int", "i32"},
    {"bool", "bool"},
    {"double", "f64"},
    {"unsigned char", "u8"},
    {"signed char", "i8"},
    {"char", "i8"},
    {"short int", "i16"},
    {"short", "i16"},
    {"__int64", "i64"},
    {"long long", "i64"},
    {"unsigned short", "u16"},
    {"short unsigned int", "u16"},
    {"unsigned int", "u32"},
    {"unsigned long", "u64"},
    {"long unsigned int", "u64"},
    {"unsigned __int64", "u64"},
    {"c10::complex<float>", "c64"},
    {"c10::complex<double>", "c128"},
    {"c10::complex<c10::Half>", "c32"},
    {"c10::Float8_e4m3fn", "f8e4m3"},
    {"c10::Float8_e4m3fnuz", "f8e4m3"},
    {"c10::Float8_e5m2", "f8e5m2"},
    {"c10::Float8_e5m2fnuz", "f8e5m2"},
    {"c10::Float8_e8m0fnu", "f8e8m0"},
    {"c10::Float4_e2m1fn_x2", "f4e2m1"},
};

/// Type names of non-tensor arguments.
constexpr std::string_view kNoTensors[] = {"Scalar", "ScalarList", "GenericList", "Int",   "Bool",   "Double",
                                           "String", "Device",     "None",        "Tuple", "Object", "GenericDict"};

/// Reads JSON arrays of arrays and strings, as far as they are well formed.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool is_at(char wanted) {
    skip_space();
    return at_ < text_.size() && text_[at_] == wanted;
  }

  /// A text without its quotes.
  bool read_text(std::string_view* text) {
    if (!take('"')) return false;
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return false;
    *text = text_.substr(begin, at_++ - begin);
    return true;
  }

  /// Copies "[1, 2]" as "[1,2]".
  bool read_shape(std::string* to) {
    if (!take('[')) return false;
    to->push_back('[');
    if (take(']')) {
      to->push_back(']');
      return true;
    }
    for (;;) {
      skip_space();
      const size_t begin = at_;
      while (at_ < text_.size() && ((text_[at_] >= '0' && text_[at_] <= '9') || text_[at_] == '-')) ++at_;
      if (at_ == begin) return false;
      to->append(text_, begin, at_ - begin);
      if (take(']')) break;
      if (!take(',')) return false;
      to->push_back(',');
    }
    to->push_back(']');
    return true;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// The canonical name of a PyTorch element type: "f32" for "float"; empty if it is unknown.
std::string_view element_type(std::string_view name) {
  for (const auto& [known, canonical] : kElementTypes) {
    if (known == name) return canonical;
  }
  return {};
}

/// The part before the brackets; empty for a non-tensor.
std::string_view element_of(std::string_view type, std::string_view shape) {
  if (const std::string_view known = element_type(type); !known.empty()) return known;
  if (type.empty() || type.find_first_of(";,()[]\"\\") != std::string_view::npos) return {};
  for (const std::string_view name : kNoTensors) {
    if (type == name) return {};
  }
  return shape.size() > 2 ? type : std::string_view();
}

/// A shape, a list of shapes, or the empty list that stands for a non-tensor.
bool read_argument(Reader& dims, std::string_view type, std::string* inputs) {
  std::string shape;
  if (dims.read_shape(&shape)) {
    if (const std::string_view element = element_of(type, shape); !element.empty())
      *inputs += element, *inputs += shape;
    return true;
  }
  // read_shape() has consumed the bracket of the list.
  if (!dims.is_at('[')) return false;
  const std::string_view known = element_type(type);
  *inputs += '(';
  do {
    shape.clear();
    if (!dims.read_shape(&shape)) return false;
    if (inputs->back() != '(') *inputs += ',';
    *inputs += known.empty() ? "?" : known;
    *inputs += shape;
  } while (dims.take(','));
  *inputs += ')';
  return dims.take(']');
}

/// With more distinct arguments than this, they do not repeat.
constexpr size_t kMaxKnown = 20'000;

/// Appends a member of a JSON object, as it stands in the input, before the closing brace.
void append_member(std::string_view name, std::string_view json, std::string* object) {
  if (json.empty()) return;
  if (object->back() != '{') *object += ", ";
  *object += '"';
  *object += name;
  *object += "\": ";
  *object += json;
}

/// 'Concrete Inputs', followed by what is known of a collective, as an object.
void make_values(const ProfilerEvent& event, std::string* values) {
  *values = event.concrete_inputs.starts_with('[') ? event.concrete_inputs : std::string_view();
  if (event.collective.empty()) return;
  std::string object = "{";
  append_member("Collective name", event.collective, &object);
  append_member("In msg nelems", event.input_elements, &object);
  append_member("Out msg nelems", event.output_elements, &object);
  append_member("dtype", event.collective_type, &object);
  append_member("Group size", event.group_size, &object);
  object += '}';
  while (!values->empty() && values->back() != ']') values->pop_back();
  if (!values->empty()) values->pop_back();
  while (!values->empty() && static_cast<unsigned char>(values->back()) <= ' ') values->pop_back();
  if (values->empty()) values->assign(1, '[');
  if (values->size() > 1) *values += ", ";
  *values += object;
  *values += ']';
}

}  // namespace

void append_operator_inputs(std::string_view dims_json, std::string_view types_json, std::string* inputs) {
  Reader dims(dims_json);
  Reader types(types_json);
  if (!dims.take('[') || !types.take('[')) return;
  size_t whole = inputs->size();
  for (bool first = true;; first = false) {
    std::string_view type;
    if (!dims.is_at('[') || !types.read_text(&type)) break;
    if (!first) *inputs += ';';
    if (!read_argument(dims, type, inputs)) break;
    whole = inputs->size();
    if (!dims.take(',') || !types.take(',')) break;
  }
  inputs->resize(whole);
}

uint32_t OperatorArgumentTable::add(const ProfilerEvent& event) {
  if (event.input_types.empty() && event.concrete_inputs.empty() && event.collective.empty()) return 0;
  key_.clear();
  for (const std::string_view part :
       {event.input_dims, event.input_types, event.concrete_inputs, event.collective, event.input_elements,
        event.output_elements, event.collective_type, event.group_size}) {
    key_ += part;
    key_ += '\n';
  }
  const auto known = known_.find(key_);
  if (known != known_.end()) return known->second;
  if (known_.size() == kMaxKnown) known_.clear();
  const uint32_t id = make(event);
  known_.emplace(key_, id);
  return id;
}

uint32_t OperatorArgumentTable::make(const ProfilerEvent& event) {
  inputs_.clear();
  append_operator_inputs(event.input_dims, event.input_types, &inputs_);
  make_values(event, &values_);
  // ";;" alone says nothing.
  if (inputs_.find_first_not_of(';') == std::string::npos &&
      values_.find_first_not_of("[]\", \n") == std::string::npos) {
    return 0;
  }
  return process_.add_arguments({.inputs = inputs_, .outputs = {}, .values = values_});
}

}  // namespace xsp::kineto
