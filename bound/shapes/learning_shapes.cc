#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "bound/shapes/operator_table.h"

namespace xsp::bound {
namespace {

/// How many rows the operators of ai.onnx.ml see: a vector is one.
int64_t rows_of(const Dimensions& shape) { return shape.size() < 2 ? 1 : shape[0]; }

int64_t length_of(const Attribute* attribute) {
  if (attribute == nullptr) return 0;
  return static_cast<int64_t>(
      std::max({attribute->integers.size(), attribute->texts.size(), attribute->numbers.size()}));
}

/// How many labels a classifier knows; sets the element type of its first output, which they are.
int64_t read_labels(OperatorCall& call) {
  for (const std::string_view name : {"classlabels_strings", "classlabels_int64s", "classlabels_ints"})
    if (const int64_t count = length_of(call.node().attribute(name)); count > 0) {
      if (name == "classlabels_strings") call.output(0).element = ElementType::kString;
      return count;
    }
  return 0;
}

/// The label of each row, and a score for each label.
Finding classify(OperatorCall& call, int64_t scores) {
  const int64_t rows = rows_of(call.shape(0));
  call.set_shape(0, {rows});
  call.set_shape(1, {rows, scores});
  return Finding::known();
}

Finding linear_classifier(OperatorCall& call) {
  const int64_t labels = read_labels(call);
  const int64_t planes = length_of(call.node().attribute("intercepts"));
  // One plane between two labels still gives a score for each.
  return classify(call, planes <= 1 && labels == 2 ? 2 : std::max(planes, int64_t{1}));
}

Finding tree_classifier(OperatorCall& call) { return classify(call, read_labels(call)); }

Finding vector_classifier(OperatorCall& call) {
  const int64_t labels = read_labels(call);
  const bool is_linear = length_of(call.node().attribute("vectors_per_class")) == 0;
  const bool has_probabilities = length_of(call.node().attribute("prob_a")) > 0;
  // Without probabilities each pair of labels votes.
  const bool votes = !is_linear && !has_probabilities && labels > 2;
  return classify(call, votes ? labels * (labels - 1) / 2 : labels);
}

/// `count`: the attribute with the number of results of a row.
Finding regress(OperatorCall& call, std::string_view count) {
  call.set_shape(0, {rows_of(call.shape(0)), call.node().integer(count, 1)});
  return Finding::known();
}
Finding linear_regressor(OperatorCall& call) { return regress(call, "targets"); }
Finding tree_regressor(OperatorCall& call) { return regress(call, "n_targets"); }
Finding vector_regressor(OperatorCall& call) { return regress(call, ""); }

/// Takes columns; a vector becomes one row.
Finding extract_features(OperatorCall& call) {
  Dimensions shape = call.shape(0);
  if (shape.empty()) return wrong_rank("the input", shape);
  const int64_t columns = product_of(call.shape(1));
  if (shape.size() == 1)
    shape = {1, columns};
  else
    shape.back() = columns;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding one_hot_encoder(OperatorCall& call) {
  int64_t categories = 0;
  for (const std::string_view name : {"cats_int64s", "cats_strings"})
    categories = std::max(categories, length_of(call.node().attribute(name)));
  Dimensions shape = call.shape(0);
  shape.push_back(categories);
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

Finding vectorize_features(OperatorCall& call) {
  int64_t columns = 0;
  for (size_t i = 0; i < call.input_count(); ++i) {
    if (!call.has(i)) continue;
    const Dimensions& shape = call.shape(i);
    const int64_t own = shape.empty() ? 1 : product_of(shape, shape.size() < 2 ? 0 : 1, shape.size());
    if (!add_checked(columns, own, &columns)) return Finding::impossible("too many columns");
  }
  call.set_shape(0, {rows_of(call.shape(0)), columns});
  return Finding::known();
}

/// The element type is that of the values, whichever attribute has them.
Finding encode_labels(OperatorCall& call) {
  struct Values {
    std::string_view attribute;
    ElementType element;
  };
  constexpr std::array kValues = {
      Values{"values_strings", ElementType::kString},
      Values{"values_int64s", ElementType::kI64},
      Values{"values_floats", ElementType::kF32},
  };
  ValueFacts& output = call.output(0);
  // The first version maps between texts and their numbers.
  if (call.node().attribute("classes_strings") != nullptr || call.node().type == "CategoryMapper")
    output.element = call.input(0).element == ElementType::kString ? ElementType::kI64 : ElementType::kString;
  for (const Values& values : kValues)
    if (length_of(call.node().attribute(values.attribute)) > 0) output.element = values.element;
  if (const Attribute* tensor = call.node().attribute("values_tensor"); tensor != nullptr && !tensor->tensors.empty())
    output.element = tensor->tensors[0].element;
  return same_shape(call);
}

Finding no_tensor(OperatorCall&) { return Finding::unknown("its output is no tensor"); }

constexpr OperatorRule kLearningRules[] = {
    {"ai.onnx.ml", "ArrayFeatureExtractor", 2, "0", extract_features},
    {"ai.onnx.ml", "Binarizer", 1, "0", same_shape},
    {"ai.onnx.ml", "CategoryMapper", 1, "*", encode_labels},
    {"ai.onnx.ml", "FeatureVectorizer", 1, "f32", vectorize_features},
    {"ai.onnx.ml", "Imputer", 1, "0", same_shape},
    {"ai.onnx.ml", "LabelEncoder", 1, "*", encode_labels},
    {"ai.onnx.ml", "LinearClassifier", 1, "i64 f32", linear_classifier},
    {"ai.onnx.ml", "LinearRegressor", 1, "f32", linear_regressor},
    {"ai.onnx.ml", "Normalizer", 1, "f32", same_shape},
    {"ai.onnx.ml", "OneHotEncoder", 1, "f32", one_hot_encoder},
    {"ai.onnx.ml", "SVMClassifier", 1, "i64 f32", vector_classifier},
    {"ai.onnx.ml", "SVMRegressor", 1, "f32", vector_regressor},
    {"ai.onnx.ml", "Scaler", 1, "f32", same_shape},
    {"ai.onnx.ml", "TreeEnsemble", 1, "0", tree_regressor},
    {"ai.onnx.ml", "TreeEnsembleClassifier", 1, "i64 f32", tree_classifier},
    {"ai.onnx.ml", "TreeEnsembleRegressor", 1, "f32", tree_regressor},
    {"ai.onnx.ml", "ZipMap", 1, "?", no_tensor},
};

}  // namespace

std::span<const OperatorRule> learning_rules() { return kLearningRules; }

}  // namespace xsp::bound
