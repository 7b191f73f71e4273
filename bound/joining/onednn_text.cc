#include "bound/joining/onednn_text.h"

#include <algorithm>
#include <cctype>

#include "base/number_text.h"
#include "bound/joining/call_node.h"

namespace xsp::bound {
namespace {

constexpr size_t kLongestText = 8192;
constexpr size_t kMostSizes = 64;

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return text;
}

/// "1x2x3" or "1,2,3".
std::optional<Dimensions> dimensions_in(std::string_view text, char separator) {
  Dimensions dimensions;
  for (const std::string_view part : parts_of(text, separator)) {
    const auto size = number_in<int64_t>(part);
    if (!size || *size < 1 || dimensions.size() == kMostRank) return {};
    dimensions.push_back(*size);
  }
  return dimensions.empty() ? std::nullopt : std::optional(std::move(dimensions));
}

bool is_type(std::string_view name) { return name == "undef" || element_of_library(name) != ElementType::kUndefined; }

/// "src_f32" of versions before 3.5 or so, a role and a type. Names of types may have an underscore themselves.
bool split_role(std::string_view text, std::string_view* role, std::string_view* type) {
  for (size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    if (!is_type(text.substr(at + 1))) continue;
    *role = text.substr(0, at);
    *type = text.substr(at + 1);
    return true;
  }
  return false;
}

/// "src_f32:p:blocked:acdb:f0" and "src:f32:p:blocked:acdb::f0"; behind the last one may be "_mask2".
std::optional<OnednnTensor> read_tensor(std::string_view word) {
  std::vector<std::string_view> parts = parts_of(word, ':');
  OnednnTensor tensor;
  std::string_view type;
  size_t next = 1;
  if (!split_role(parts[0], &tensor.role, &type)) {
    if (parts.size() < 2 || !is_type(parts[1])) return {};
    tensor.role = parts[0];
    type = parts[1];
    next = 2;
  }
  tensor.element = element_of_library(type);
  if (parts.size() > next + 2 && parts[next + 1] == "blocked") tensor.tag = parts[next + 2];
  constexpr std::string_view kMask = "_mask";
  if (const size_t at = word.rfind(kMask); at != std::string_view::npos)
    tensor.broadcasts = number_in<int64_t>(word.substr(at + kMask.size()));
  return tensor;
}

/// The field behind "…exec,", or the whole text.
std::string_view from_engine(std::string_view line) {
  constexpr std::string_view kExecution = ",exec,";
  const size_t at = line.find(kExecution);
  return at == std::string_view::npos ? line : line.substr(at + kExecution.size());
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words = parts_of(text, ' ');
  std::erase(words, std::string_view());
  return words;
}

/// "f32[1,64,56,56]acdb".
std::optional<OnednnTensor> read_described_tensor(std::string_view role, std::string_view text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  OnednnTensor tensor;
  tensor.role = role;
  tensor.element = element_of_library(text.substr(0, open));
  tensor.sizes = dimensions_in(text.substr(open + 1, close - open - 1), ',');
  const std::string_view tag = text.substr(close + 1);
  if (tag != "any" && tag != "opaque") tensor.tag = tag;
  return tensor.sizes ? std::optional(std::move(tensor)) : std::nullopt;
}

}  // namespace

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

const OnednnTensor* OnednnPrimitive::tensor(std::string_view role) const {
  const auto found = std::ranges::find_if(tensors, [role](const OnednnTensor& tensor) {
    return tensor.role == role && tensor.element != ElementType::kUndefined;
  });
  return found == tensors.end() ? nullptr : &*found;
}

std::vector<const OnednnTensor*> OnednnPrimitive::all_of(std::string_view role) const {
  std::vector<const OnednnTensor*> found;
  for (const OnednnTensor& tensor : tensors) {
    if (tensor.role == role) found.push_back(&tensor);
  }
  return found;
}

std::string_view OnednnPrimitive::setting(std::string_view name) const {
  for (const std::string_view setting : settings) {
    if (!setting.starts_with(name) || setting.size() == name.size()) continue;
    // Our own texts have "alg=eltwise_relu".
    const char separator = setting[name.size()];
    if (separator == ':' || separator == '=') return setting.substr(name.size() + 1);
  }
  return {};
}

std::optional<OnednnPrimitive> read_onednn_line(std::string_view line) {
  if (line.size() > kLongestText) return {};
  const std::vector<std::string_view> fields = parts_of(from_engine(line), ',');
  enum Field { kEngine, kKind, kImplementation, kPropagation, kMemory, kAttributes, kSettings, kShape, kFields };
  if (fields.size() < kFields || !(fields[kEngine].starts_with("cpu") || fields[kEngine].starts_with("gpu"))) return {};
  OnednnPrimitive primitive;
  primitive.kind = without_suffix(fields[kKind], "_v2");
  primitive.implementation = fields[kImplementation];
  primitive.propagation = fields[kPropagation];
  primitive.shape = fields[kShape];
  primitive.attributes = words_of(fields[kAttributes]);
  primitive.settings = words_of(fields[kSettings]);
  for (const std::string_view word : words_of(fields[kMemory])) {
    auto tensor = read_tensor(word);
    if (!tensor) return {};
    primitive.tensors.push_back(*std::move(tensor));
  }
  constexpr std::string_view kPostOps = "attr-post-ops:";
  for (const std::string_view attribute : primitive.attributes) {
    if (attribute.starts_with(kPostOps)) primitive.post_ops = parts_of(attribute.substr(kPostOps.size()), '+');
  }
  if (primitive.kind.empty() || primitive.shape.empty()) return {};
  return primitive;
}

std::optional<OnednnPrimitive> read_onednn_description(std::string_view text) {
  if (text.size() > kLongestText) return {};
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty()) return {};
  OnednnPrimitive primitive;
  primitive.kind = without_suffix(words[0], "_v2");
  primitive.propagation = "undef";
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string_view::npos) {
      primitive.propagation = words[i];
      continue;
    }
    const std::string_view name = words[i].substr(0, equals);
    const std::string_view value = words[i].substr(equals + 1);
    if (name == "impl") {
      primitive.implementation = value;
    } else if (name == "alg") {
      primitive.settings.push_back(words[i]);
    } else if (name == "post_ops") {
      primitive.post_ops = parts_of(value, '+');
    } else {
      // "src", then "src1", "src2".
      auto tensor = read_described_tensor(name.starts_with("src") ? name.substr(0, 3) : name, value);
      if (!tensor) return {};
      primitive.tensors.push_back(*std::move(tensor));
    }
  }
  return primitive;
}

std::optional<OnednnSizes> OnednnSizes::parse(std::string_view shape) {
  OnednnSizes sizes;
  size_t at = 0;
  while (at < shape.size()) {
    if (shape[at] == '_') {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < shape.size() && std::islower(static_cast<unsigned char>(shape[at])) != 0) ++at;
    const size_t digits = at;
    while (at < shape.size() && std::isdigit(static_cast<unsigned char>(shape[at])) != 0) ++at;
    const auto size = number_in<int64_t>(shape.substr(digits, at - digits));
    const std::string_view name = shape.substr(begin, digits - begin);
    if (name.empty() || !size || sizes.of(name) || sizes.sizes_.size() == kMostSizes) return {};
    sizes.sizes_.emplace_back(name, *size);
  }
  return sizes;
}

std::optional<int64_t> OnednnSizes::of(std::string_view name) const {
  const auto found = std::ranges::find(sizes_, name, &std::pair<std::string_view, int64_t>::first);
  return found == sizes_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Dimensions> dimensions_of_shapes(std::string_view shape) {
  std::vector<Dimensions> all;
  for (const std::string_view part : parts_of(shape, ':')) {
    auto dimensions = dimensions_in(part, 'x');
    if (!dimensions || all.size() == kMostSizes) return {};
    all.push_back(*std::move(dimensions));
  }
  return all;
}

}  // namespace xsp::bound
