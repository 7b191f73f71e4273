#include "analysis/timeline/graph_names.h"

#include <algorithm>
#include <iterator>

namespace xsp::analysis {
namespace {

/// Scopes that Keras or TensorFlow open inside a layer.
constexpr std::string_view kInnerScopes[] = {"batchnorm", "moments",          "Tensordot",
                                             "einsum",    "FusedBatchNormV3", "dropout"};

std::string_view scope_of(std::string_view name) {
  size_t slash = name.rfind('/');
  while (slash != std::string_view::npos) {
    name = name.substr(0, slash);
    slash = name.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
    if (std::find(std::begin(kInnerScopes), std::end(kInnerScopes), last) == std::end(kInnerScopes)) return name;
  }
  return {};
}

/// "_1" of "net_1"; empty if there is none.
std::string_view number_of(std::string_view part) {
  const size_t digits = part.find_last_not_of("0123456789");
  const bool is_number = digits != std::string_view::npos && digits != 0 && digits + 1 != part.size();
  return is_number && part[digits] == '_' ? part.substr(digits) : std::string_view();
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

std::string_view without_gradient(std::string_view name) {
  return name.starts_with(kGradientScope) ? name.substr(kGradientScope.size()) : name;
}

}  // namespace

std::string_view name_in_function(std::string_view name) {
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/')) {
    const std::string_view first = name.substr(0, slash);
    const size_t end = first.find_last_not_of("_0123456789");
    if (end == std::string_view::npos || !first.substr(0, end + 1).ends_with("PartitionedCall")) break;
    name.remove_prefix(slash + 1);
  }
  return name;
}

void GraphScopes::add(std::string_view name) {
  if (name.starts_with(kGradientScope)) return;
  const std::string_view scope = scope_of(name);
  if (scope.empty() || !scopes_.emplace(scope).second) return;
  const std::string_view root = first_part(scope);
  const std::string_view number = number_of(root);
  bool& is_numbered = numbered_.try_emplace(std::string(root), !number.empty()).first->second;
  if (root.size() == scope.size()) return;
  const std::string_view second = first_part(scope.substr(root.size() + 1));
  is_numbered = is_numbered && number_of(second) == number;
}

std::string_view GraphScopes::layer_of(std::string_view name) const {
  if (!name.starts_with(kGradientScope)) return scope_of(name);
  for (size_t end = name.rfind('/'); end != std::string_view::npos && end > kGradientScope.size();
       end = name.rfind('/', end - 1)) {
    if (scopes_.contains(name.substr(kGradientScope.size(), end - kGradientScope.size()))) return name.substr(0, end);
  }
  return scope_of(name);
}

std::string GraphScopes::plain(std::string_view scope) const {
  const std::string_view inside = without_gradient(scope);
  const std::string_view root = first_part(inside);
  const auto known = numbered_.find(root);
  if (known == numbered_.end() || !known->second) return std::string(scope);
  const std::string_view number = number_of(root);
  std::string text(scope.substr(0, scope.size() - inside.size()));
  for (size_t begin = 0; begin <= inside.size();) {
    const std::string_view part = first_part(inside.substr(begin));
    if (begin != 0) text += '/';
    text += number_of(part) == number ? part.substr(0, part.size() - number.size()) : part;
    begin += part.size() + 1;
  }
  return text;
}

}  // namespace xsp::analysis
