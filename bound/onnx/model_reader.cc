#include "bound/onnx/model_reader.h"

#include <fmt/format.h>

#include <utility>

#include "bound/onnx/declared_value_reader.h"
#include "bound/onnx/length_check.h"
#include "bound/onnx/model_file.h"
#include "bound/onnx/reading.h"
#include "bound/onnx/schema_fields.h"
#include "proto/wire_fields.h"

namespace xsp::bound {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;
using wire::wire_field::delimited;
using wire::wire_field::number;

constexpr uint32_t fixed32(uint32_t field) { return tag_and_type(field, pbf_wire_type::fixed32); }

std::string without_default_domain(std::string domain) { return domain == "ai.onnx" ? std::string() : domain; }

/// Which member of an attribute is set, from its AttributeType.
Attribute::Kind kind_of_type(int32_t type) {
  switch (type) {
    case fields::attribute::kTypeNumber:
      return Attribute::Kind::kNumber;
    case fields::attribute::kTypeInteger:
      return Attribute::Kind::kInteger;
    case fields::attribute::kTypeText:
      return Attribute::Kind::kText;
    case fields::attribute::kTypeTensor:
      return Attribute::Kind::kTensor;
    case fields::attribute::kTypeGraph:
      return Attribute::Kind::kGraph;
    case fields::attribute::kTypeNumbers:
      return Attribute::Kind::kNumbers;
    case fields::attribute::kTypeIntegers:
      return Attribute::Kind::kIntegers;
    case fields::attribute::kTypeTexts:
      return Attribute::Kind::kTexts;
    default:
      return Attribute::Kind::kOther;
  }
}

/// Each read…() returns false after fail(). protozero throws through them where a message is damaged.
class ModelReader {
 public:
  ModelReader(ModelBudget& budget, Model* model) : reading_(budget), model_(*model) {}

  Status run(std::string_view bytes) {
    try {
      (void)read_model_message(bytes);
    } catch (const protozero::exception&) {
      const uint64_t nodes = reading_.budget.nodes();
      if (!has_version_) {
        (void)reading_.fail("no ONNX model", kHintWrongFile);
      } else if (!is_inside_field_) {
        (void)reading_.fail("truncated or damaged", kHintDamaged);
      } else {
        (void)reading_.fail(
            nodes == 0 ? "damaged before its first node" : fmt::format("damaged in or behind its {}. node", nodes),
            kHintDamaged);
      }
    }
    return std::move(reading_.status);
  }

 private:
  bool read_opset(std::string_view message, std::map<std::string, int64_t>* opsets) {
    std::string domain;
    int64_t version = 0;
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case delimited(fields::opset::kDomain):
          if (!reading_.read_text(reader, &domain)) return false;
          break;
        case number(fields::opset::kVersion):
          version = reader.get_int64();
          break;
        default:
          reader.skip();
      }
    }
    if (!reading_.budget.take_bytes(sizeof(std::string) + sizeof version)) return reading_.fail_excess();
    (*opsets)[without_default_domain(std::move(domain))] = version;
    return true;
  }

  /// A field of an attribute's value. `present` becomes the kind that it stands for, for attributes without a type,
  /// which the first version of the format did not have.
  bool read_attribute_value(pbf_reader& reader, size_t nesting, Attribute* attribute, Attribute::Kind* present) {
    switch (reader.tag_and_type()) {
      case fixed32(fields::attribute::kNumber):
        *present = Attribute::Kind::kNumber;
        attribute->number = reader.get_float();
        return true;
      case number(fields::attribute::kInteger):
        *present = Attribute::Kind::kInteger;
        attribute->integer = reader.get_int64();
        return true;
      case delimited(fields::attribute::kText):
        *present = Attribute::Kind::kText;
        return reading_.read_text(reader, &attribute->text);
      case delimited(fields::attribute::kTensor):
        *present = Attribute::Kind::kTensor;
        attribute->tensors.clear();
        return reading_.add_tensor(payload(reader), false, &attribute->tensors);
      case delimited(fields::attribute::kGraph):
        *present = Attribute::Kind::kGraph;
        attribute->graphs.assign(1, {});
        return read_graph(payload(reader), nesting + 1, &attribute->graphs.front());
      case fixed32(fields::attribute::kNumbers):
        *present = Attribute::Kind::kNumbers;
        return reading_.add_number(reader.get_float(), &attribute->numbers);
      case delimited(fields::attribute::kNumbers):
        *present = Attribute::Kind::kNumbers;
        return reading_.add_numbers(reader, &attribute->numbers);
      case number(fields::attribute::kIntegers):
        *present = Attribute::Kind::kIntegers;
        return reading_.add_integer(reader.get_int64(), &attribute->integers);
      case delimited(fields::attribute::kIntegers):
        *present = Attribute::Kind::kIntegers;
        return reading_.add_integers(payload(reader), &attribute->integers);
      case delimited(fields::attribute::kTexts):
        *present = Attribute::Kind::kTexts;
        return reading_.add_text(reader, &attribute->texts);
      default:
        reader.skip();
        return true;
    }
  }

  bool add_attribute(std::string_view message, size_t nesting, std::vector<Attribute>* attributes) {
    if (!reading_.budget.take_bytes(sizeof(Attribute))) return reading_.fail_excess();
    Attribute& attribute = attributes->emplace_back();
    Attribute::Kind present = Attribute::Kind::kNone;
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      bool good = true;
      switch (reader.tag_and_type()) {
        case delimited(fields::attribute::kName):
          good = reading_.read_text(reader, &attribute.name);
          break;
        case delimited(fields::attribute::kReference):
          good = reading_.read_text(reader, &attribute.reference);
          break;
        case number(fields::attribute::kType):
          attribute.kind = kind_of_type(reader.get_int32());
          break;
        default:
          good = read_attribute_value(reader, nesting, &attribute, &present);
      }
      if (!good) return false;
    }
    if (attribute.kind == Attribute::Kind::kNone) attribute.kind = present;
    const bool lacks_value = (attribute.kind == Attribute::Kind::kTensor && attribute.tensors.empty()) ||
                             (attribute.kind == Attribute::Kind::kGraph && attribute.graphs.empty());
    if (lacks_value && attribute.reference.empty()) attribute.kind = Attribute::Kind::kOther;
    return true;
  }

  bool add_node(std::string_view message, size_t nesting, std::vector<Node>* nodes) {
    if (!reading_.budget.take_node() || !reading_.budget.take_bytes(sizeof(Node))) return reading_.fail_excess();
    Node& node = nodes->emplace_back();
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      bool good = true;
      switch (reader.tag_and_type()) {
        case delimited(fields::node::kInput):
          good = reading_.add_text(reader, &node.inputs);
          break;
        case delimited(fields::node::kOutput):
          good = reading_.add_text(reader, &node.outputs);
          break;
        case delimited(fields::node::kName):
          good = reading_.read_text(reader, &node.name);
          break;
        case delimited(fields::node::kType):
          good = reading_.read_text(reader, &node.type);
          break;
        case delimited(fields::node::kDomain):
          good = reading_.read_text(reader, &node.domain);
          break;
        case delimited(fields::node::kOverload):
          good = reading_.read_text(reader, &node.overload);
          break;
        case delimited(fields::node::kAttribute):
          good = add_attribute(payload(reader), nesting, &node.attributes);
          break;
        default:
          reader.skip();
      }
      if (!good) return false;
    }
    node.domain = without_default_domain(std::move(node.domain));
    return true;
  }

  bool read_graph(std::string_view message, size_t nesting, Graph* graph) {
    if (nesting > kMostNesting) {
      return reading_.fail(fmt::format("graphs are nested more than {} deep", kMostNesting), kHintTooLarge);
    }
    if (!reading_.budget.take_bytes(sizeof(Graph))) return reading_.fail_excess();
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      bool good = true;
      switch (reader.tag_and_type()) {
        case delimited(fields::graph::kNode):
          good = add_node(payload(reader), nesting, &graph->nodes);
          break;
        case delimited(fields::graph::kName):
          good = reading_.read_text(reader, &graph->name);
          break;
        case delimited(fields::graph::kInitializer):
          good = reading_.add_tensor(payload(reader), false, &graph->initializers);
          break;
        case delimited(fields::graph::kSparseInitializer):
          good = reading_.add_tensor(payload(reader), true, &graph->initializers);
          break;
        case delimited(fields::graph::kInput):
          good = add_value(payload(reader), reading_, &graph->inputs);
          break;
        case delimited(fields::graph::kOutput):
          good = add_value(payload(reader), reading_, &graph->outputs);
          break;
        default:
          reader.skip();
      }
      if (!good) return false;
    }
    return true;
  }

  bool add_function(std::string_view message) {
    if (!reading_.budget.take_bytes(sizeof(Function))) return reading_.fail_excess();
    Function& function = model_.functions.emplace_back();
    pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      bool good = true;
      switch (reader.tag_and_type()) {
        case delimited(fields::function::kName):
          good = reading_.read_text(reader, &function.name);
          break;
        case delimited(fields::function::kDomain):
          good = reading_.read_text(reader, &function.domain);
          break;
        case delimited(fields::function::kOverload):
          good = reading_.read_text(reader, &function.overload);
          break;
        case delimited(fields::function::kInput):
          good = reading_.add_text(reader, &function.inputs);
          break;
        case delimited(fields::function::kOutput):
          good = reading_.add_text(reader, &function.outputs);
          break;
        case delimited(fields::function::kAttribute):
          good = add_attribute(payload(reader), 0, &function.defaults);
          break;
        case delimited(fields::function::kNode):
          good = add_node(payload(reader), 0, &function.nodes);
          break;
        case delimited(fields::function::kOpset):
          good = read_opset(payload(reader), &function.opsets);
          break;
        default:
          reader.skip();
      }
      if (!good) return false;
    }
    function.domain = without_default_domain(std::move(function.domain));
    return true;
  }

  /// A field of the model that is longer than the file: the rest of the file is lost.
  bool is_cut(const pbf_reader& reader) const {
    return reader.wire_type() == pbf_wire_type::length_delimited && claimed_length(reader) > reader.data().size();
  }

  bool read_model_message(std::string_view bytes) {
    bool has_graph = false;
    pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      if (has_version_ && is_cut(reader)) {
        return reading_.fail(fmt::format("truncated: it has {} bytes, and goes on for more than {}", bytes.size(),
                                         claimed_length(reader)),
                             kHintDamaged);
      }
      bool good = true;
      is_inside_field_ = true;
      switch (reader.tag_and_type()) {
        case number(fields::model::kIrVersion):
          model_.ir_version = reader.get_int64();
          has_version_ = true;
          break;
        case delimited(fields::model::kProducer):
          good = reading_.read_text(reader, &model_.producer);
          break;
        case delimited(fields::model::kOpset):
          good = read_opset(payload(reader), &model_.opsets);
          break;
        case delimited(fields::model::kGraph):
          has_graph = true;
          model_.graph = {};
          good = read_graph(payload(reader), 0, &model_.graph);
          break;
        case delimited(fields::model::kFunction):
          good = add_function(payload(reader));
          break;
        default:
          reader.skip();
      }
      if (!good) return false;
      is_inside_field_ = false;
    }
    return has_graph || reading_.fail("no ONNX model: it has no graph", has_version_ ? kHintDamaged : kHintWrongFile);
  }

  Reading reading_;
  Model& model_;
  bool has_version_ = false;
  bool is_inside_field_ = false;
};

}  // namespace

Status read_messages(std::string_view bytes, ModelBudget& budget, Model* model) {
  return ModelReader(budget, model).run(bytes);
}

}  // namespace xsp::bound
