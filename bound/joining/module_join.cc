#include "bound/joining/module_join.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "analysis/concurrency/node_names.h"
#include "bound/joining/fused_types.h"
#include "bound/joining/tensor_shapes.h"

namespace xsp::bound {
namespace {

/// Indices by the name of their module.
using ByModule = std::map<std::string, std::vector<size_t>, std::less<>>;

class ModuleJoin {
 public:
  ModuleJoin(const JoinSubject& subject, LayerJoin* join) : subject_(subject), join_(*join) {
    for (size_t i = 0; i < join_.traced(); ++i) {
      const TracedEvidence& evidence = subject.traced[i];
      if (evidence.has_module && !join_.is_joined(i))
        (evidence.is_operator ? operators_ : modules_)[evidence.module].push_back(i);
    }
    const size_t left_out = leading_part();
    for (size_t i = 0; i < join_.modelled(); ++i) {
      const ModelledEvidence& evidence = subject.modelled[i];
      if (evidence.has_module && evidence.module.size() >= left_out)
        layers_[evidence.module.substr(left_out)].push_back(i);
    }
  }

  void run() {
    // Inner ones first: what they ran is not what the module around them did.
    std::vector<const ByModule::value_type*> calls;
    for (const auto& called : modules_) calls.push_back(&called);
    std::ranges::stable_sort(calls, std::greater<>(), [](const auto* called) { return called->first.size(); });
    for (const auto* called : calls) join_module(called->first, called->second);
    for (const auto& [module, traced] : operators_) join_operators(module, traced);
  }

 private:
  /// Models have the name of the whole in front of each module's, which layers of Keras lack: how long it is. 0 where
  /// modules of the trace are there as they are.
  size_t leading_part() const {
    std::string first;
    bool is_common = true;
    for (const ModelledEvidence& evidence : subject_.modelled) {
      if (!evidence.has_module || !evidence.has_work) continue;
      const std::string part = evidence.module.substr(0, evidence.module.find('.'));
      if (first.empty()) first = part;
      is_common = is_common && !part.empty() && part == first && part.size() < evidence.module.size();
    }
    if (!is_common || first.empty()) return 0;
    const auto begins_so = [&](const auto& called) { return called.first.starts_with(first + "."); };
    if (std::ranges::any_of(modules_, begins_so) || std::ranges::any_of(operators_, begins_so)) return 0;
    return first.size() + 1;
  }

  /// Free layers of a module and of those inside it.
  std::vector<size_t> block_of(const std::string& module) const {
    std::vector<size_t> block;
    const auto add = [&](const std::vector<size_t>& layers) {
      std::ranges::copy_if(layers, std::back_inserter(block),
                           [&](size_t layer) { return join_.is_free(layer) && !subject_.modelled[layer].is_constant; });
    };
    if (const auto own = layers_.find(module); own != layers_.end()) add(own->second);
    const std::string inner = module + ".";
    for (auto at = layers_.lower_bound(inner); at != layers_.end() && at->first.starts_with(inner); ++at)
      add(at->second);
    std::ranges::sort(block);
    return block;
  }

  /// The layers of each call.
  std::vector<std::vector<size_t>> blocks_of(const std::string& module, size_t calls) const {
    std::vector<std::vector<size_t>> blocks = {block_of(module)};
    while (blocks.size() <= calls) {
      const std::string numbered = module + "_" + std::to_string(blocks.size());
      if (modules_.contains(numbered)) break;  // a module of that name
      std::vector<size_t> block = block_of(numbered);
      if (block.empty()) break;
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  void join_module(const std::string& module, const std::vector<size_t>& traced) {
    const auto blocks = blocks_of(module, traced.size());
    if (blocks.size() != traced.size() || module.empty()) return;
    for (size_t i = 0; i < traced.size(); ++i) {
      if (!can_be(traced[i], blocks[i])) continue;
      for (const size_t layer : blocks[i])
        if (!is_converters(traced[i], layer)) join_.give(layer, traced[i], JoinedBy::kName);
    }
  }

  /// Converters put transpositions beside operators on images, whose channels ONNX has in front.
  bool is_converters(size_t traced, size_t layer) const {
    return subject_.framework == "tensorflow" && subject_.modelled[layer].family.name == "transpose" &&
           has_word("conv deconv maxpool avgpool pad resize batchnorm", subject_.traced[traced].family.name);
  }

  bool can_be(size_t traced, const std::vector<size_t>& block) const {
    const TracedEvidence& evidence = subject_.traced[traced];
    const auto is_own = [&](size_t layer) {
      const OperatorFamily& family = subject_.modelled[layer].family;
      return family.name == evidence.family.name ||
             (evidence.family.is_general && family.general == evidence.family.name);
    };
    const Composite* composite = composite_of(evidence.family.name);
    const auto is_core = [&](size_t layer) {
      return composite != nullptr && has_word(composite->core, subject_.modelled[layer].family.name);
    };
    const bool is_known =
        evidence.family.name != evidence.type || composite != nullptr || is_heavy(evidence.family.name);
    const bool has_own = std::ranges::any_of(block, is_own) || std::ranges::any_of(block, is_core);
    if (block.empty() || (is_known && !has_own)) return false;
    if (evidence.shape_of != ShapeOf::kOutput) return true;
    return std::ranges::any_of(
        block, [&](size_t layer) { return may_be_one_tensor(evidence.shape, subject_.modelled[layer].shape, false); });
  }

  /// A mean over images is a pooling, and exporters make either of it.
  static std::string_view family_here(std::string_view family) { return family == "reducemean" ? "avgpool" : family; }

  /// Operators of one family in a module join in order, where the model has as many.
  void join_operators(const std::string& module, const std::vector<size_t>& traced) {
    const auto found = layers_.find(module);
    if (found == layers_.end()) return;
    std::map<std::string_view, std::pair<std::vector<size_t>, std::vector<size_t>>> families;
    for (const size_t at : traced) families[family_here(subject_.traced[at].family.name)].first.push_back(at);
    for (const size_t layer : found->second)
      if (join_.is_free(layer) && !subject_.modelled[layer].is_constant)
        families[family_here(subject_.modelled[layer].family.name)].second.push_back(layer);
    for (const auto& [family, both] : families) {
      const auto& [calls, layers] = both;
      if (calls.size() != layers.size() || is_light(family)) continue;
      for (size_t i = 0; i < calls.size(); ++i) {
        const TracedEvidence& evidence = subject_.traced[calls[i]];
        if (evidence.shape_of == ShapeOf::kOutput &&
            !may_be_one_tensor(evidence.shape, subject_.modelled[layers[i]].shape, false))
          continue;
        join_.give(layers[i], calls[i], JoinedBy::kName);
      }
    }
  }

  const JoinSubject& subject_;
  LayerJoin& join_;
  ByModule modules_;    // calls of modules in the trace
  ByModule operators_;  // calls of operators by modules
  ByModule layers_;     // of the model
};

}  // namespace

void join_by_module(const JoinSubject& subject, LayerJoin* join) { ModuleJoin(subject, join).run(); }

}  // namespace xsp::bound
