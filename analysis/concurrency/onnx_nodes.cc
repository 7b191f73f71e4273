#include "analysis/concurrency/onnx_nodes.h"

#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <utility>

#include "analysis/concurrency/onnx_fields.h"
#include "proto/pbf.h"
#include "proto/wire_fields.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_reader;
using wire::wire_field::delimited;
using wire::wire_field::number;

pbf_reader reader_of(std::string_view message) { return {message.data(), message.size()}; }

/// The bytes of the current field, a length-delimited one. Throws where there are fewer than it claims: protozero
/// itself takes lengths modulo 2^32.
std::string_view bytes_of(pbf_reader& reader) {
  const protozero::data_view rest = reader.data();
  const char* at = rest.data();
  const uint64_t claimed = protozero::decode_varint(&at, at + rest.size());
  if (claimed > rest.size()) throw protozero::end_of_buffer_exception();
  const protozero::data_view bytes = reader.get_view();
  return {bytes.data(), bytes.size()};
}

/// What a graph says besides its nodes, as far as it is known where it stands.
struct GraphValues {
  std::vector<std::string_view> given;  // inputs and initializers
  std::vector<std::string_view> outputs;
};

/// Each read…() returns false after fail(). protozero throws through them where a message is damaged.
class OnnxReader {
 public:
  Status run(std::string_view bytes, std::vector<OnnxNode>* nodes) {
    try {
      (void)read_model(bytes, nodes);
    } catch (const protozero::exception&) {
      if (!has_version_) {
        (void)fail("no ONNX model", kHintNoGraph);
      } else if (node_count_ == 0) {
        (void)fail("truncated, or damaged before its first node", kHintDamagedGraph);
      } else {
        (void)fail(fmt::format("truncated, or damaged in or behind its {}. node", node_count_), kHintDamagedGraph);
      }
    }
    return std::move(status_);
  }

 private:
  bool fail(std::string error, const char* hint) {
    status_ = {std::move(error), hint};
    return false;
  }

  bool read_model(std::string_view bytes, std::vector<OnnxNode>* nodes) {
    bool has_graph = false;
    pbf_reader reader = reader_of(bytes);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case number(onnx_fields::model::kIrVersion):
          (void)reader.get_int64();
          has_version_ = true;
          break;
        case delimited(onnx_fields::model::kGraph):
          has_graph = true;
          nodes->clear();
          if (!read_graph(bytes_of(reader), 0, nodes, nullptr)) return false;
          break;
        default:
          reader.skip();
      }
    }
    return has_graph || fail("no ONNX model: it has no graph", has_version_ ? kHintDamagedGraph : kHintNoGraph);
  }

  /// `values` is null for the outermost graph: who gives what no node writes does not matter there.
  bool read_graph(std::string_view message, size_t nesting, std::vector<OnnxNode>* nodes, GraphValues* values) {
    if (nesting > kMostGraphNesting) {
      return fail(fmt::format("graphs are nested more than {} deep", kMostGraphNesting), kHintGraphTooLarge);
    }
    pbf_reader reader = reader_of(message);
    while (reader.next()) {
      bool good = true;
      const uint32_t field = reader.tag_and_type();
      if (field == delimited(onnx_fields::graph::kNode)) {
        good = read_node(bytes_of(reader), nesting, nodes);
      } else if (values == nullptr) {
        reader.skip();
      } else {
        good = read_value(field, reader, values);
      }
      if (!good) return false;
    }
    return true;
  }

  bool read_value(uint32_t field, pbf_reader& reader, GraphValues* values) {
    switch (field) {
      case delimited(onnx_fields::graph::kInput):
        return add(text_in(bytes_of(reader), onnx_fields::value::kName), &values->given);
      case delimited(onnx_fields::graph::kOutput):
        return add(text_in(bytes_of(reader), onnx_fields::value::kName), &values->outputs);
      case delimited(onnx_fields::graph::kInitializer):
        return add(text_in(bytes_of(reader), onnx_fields::tensor::kName), &values->given);
      case delimited(onnx_fields::graph::kSparseInitializer):
        return add(text_in(text_in(bytes_of(reader), onnx_fields::sparse_tensor::kValues), onnx_fields::tensor::kName),
                   &values->given);
      default:
        reader.skip();
        return true;
    }
  }

  /// The last text or message of this number in a message; empty: it has none.
  static std::string_view text_in(std::string_view message, uint32_t field) {
    std::string_view text;
    pbf_reader reader = reader_of(message);
    while (reader.next()) {
      if (reader.tag_and_type() == delimited(field)) {
        text = bytes_of(reader);
      } else {
        reader.skip();
      }
    }
    return text;
  }

  bool read_node(std::string_view message, size_t nesting, std::vector<OnnxNode>* nodes) {
    if (++node_count_ > kMostGraphNodes) {
      return fail(fmt::format("more than {} nodes", kMostGraphNodes), kHintGraphTooLarge);
    }
    OnnxNode node;
    pbf_reader reader = reader_of(message);
    while (reader.next()) {
      bool good = true;
      switch (reader.tag_and_type()) {
        case delimited(onnx_fields::node::kInput):
          good = add(bytes_of(reader), &node.inputs);
          break;
        case delimited(onnx_fields::node::kOutput):
          good = add(bytes_of(reader), &node.outputs);
          break;
        case delimited(onnx_fields::node::kName):
          node.name = bytes_of(reader);
          break;
        case delimited(onnx_fields::node::kType):
          node.type = bytes_of(reader);
          break;
        case delimited(onnx_fields::node::kAttribute):
          good = read_attribute(bytes_of(reader), nesting, &node);
          break;
        default:
          reader.skip();
      }
      if (!good) return false;
    }
    nodes->push_back(std::move(node));
    return take_bytes(nodes->back().name.size() + nodes->back().type.size());
  }

  bool read_attribute(std::string_view message, size_t nesting, OnnxNode* node) {
    pbf_reader reader = reader_of(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case delimited(onnx_fields::attribute::kGraph):
        case delimited(onnx_fields::attribute::kGraphs):
          if (!read_subgraph(bytes_of(reader), nesting + 1, &node->inputs)) return false;
          break;
        default:
          reader.skip();
      }
    }
    return true;
  }

  /// Adds what the graph takes from outside: its nodes read it, or it is one of its outputs, and nothing in it gives
  /// it.
  bool read_subgraph(std::string_view message, size_t nesting, std::vector<std::string_view>* outside) {
    std::vector<OnnxNode> nodes;
    GraphValues values;
    if (!read_graph(message, nesting, &nodes, &values)) return false;
    std::unordered_set<std::string_view> known(values.given.begin(), values.given.end());
    for (const OnnxNode& node : nodes) known.insert(node.outputs.begin(), node.outputs.end());
    const auto add_unknown = [&](const std::vector<std::string_view>& names) {
      for (const std::string_view name : names) {
        if (known.insert(name).second && !add(name, outside)) return false;
      }
      return true;
    };
    for (const OnnxNode& node : nodes) {
      if (!add_unknown(node.inputs)) return false;
    }
    return add_unknown(values.outputs);
  }

  bool add(std::string_view name, std::vector<std::string_view>* names) {
    if (name.empty()) return true;
    if (++value_count_ > kMostGraphValues) {
      return fail(fmt::format("its nodes have more than {} values", kMostGraphValues), kHintGraphTooLarge);
    }
    names->push_back(name);
    return take_bytes(name.size());
  }

  bool take_bytes(size_t bytes) {
    text_bytes_ += bytes;
    return text_bytes_ <= kMostNodeTextBytes ||
           fail(fmt::format("names of its nodes take more than {} MiB", kMostNodeTextBytes >> 20), kHintGraphTooLarge);
  }

  Status status_;
  bool has_version_ = false;
  size_t node_count_ = 0;
  size_t value_count_ = 0;
  size_t text_bytes_ = 0;
};

}  // namespace

Status read_onnx_nodes(std::string_view bytes, std::vector<OnnxNode>* nodes) {
  nodes->clear();
  return OnnxReader().run(bytes, nodes);
}

}  // namespace xsp::analysis
