#include "import/kineto/operator_arguments.h"

#include "import/kineto/operator_inputs.h"

namespace xsp::kineto {
namespace {

/// Beyond so many different ones they do not repeat themselves.
constexpr size_t kMaxKnown = 20'000;

/// Puts a member of a JSON object, as it stands in the input, before the closing brace.
void append_member(std::string_view name, std::string_view json, std::string* object) {
  if (json.empty()) return;
  if (object->back() != '{') *object += ", ";
  *object += '"';
  *object += name;
  *object += "\": ";
  *object += json;
}

/// 'Concrete Inputs', and what is known of a collective as an object behind them.
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
