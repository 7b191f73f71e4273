#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace xsp::analysis {

/// Names of nodes in a graph of TensorFlow are paths of scopes: "net/conv/BiasAdd".

/// What nodes of the backward pass have in front of the scope whose gradient they compute.
inline constexpr std::string_view kGradientScope = "gradient_tape/";

/// Without what TensorFlow puts in front of the nodes of a function that it has inlined: "net/conv" for
/// "StatefulPartitionedCall_1/net/conv".
std::string_view name_in_function(std::string_view name);

/// Which scopes are layers, and what they are called. All names first, then questions.
class GraphScopes {
 public:
  /// A node's name, as name_in_function() gives it.
  void add(std::string_view name);

  /// The scope of the node's layer: "net/norm" for "net/norm/batchnorm/mul_1", as TensorFlow opens `batchnorm` inside a
  /// layer. Of a gradient that of the layer whose it is, "gradient_tape/net/norm". Empty for a name without a scope.
  std::string_view layer_of(std::string_view name) const;

  /// Keras 3 numbers a network and all of its layers when it is called: "net" for "net_1", "net/conv" for
  /// "net_1/conv_1". A scope whose layers are not all numbered is what it is.
  std::string plain(std::string_view scope) const;

 private:
  std::set<std::string, std::less<>> scopes_;          // of the forward pass
  std::map<std::string, bool, std::less<>> numbered_;  // by outermost scope: whether all scopes inside have its number
};

}  // namespace xsp::analysis
