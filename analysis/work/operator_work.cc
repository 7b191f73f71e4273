#include "analysis/work/operator_work.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

std::array<std::span<const NamedOperator>, 12> all_tables() {
  return {matrix_operators(),    convolution_operators(), convolution_gradient_operators(),
          attention_operators(), recurrent_operators(),   normalization_operators(),
          pooling_operators(),   elementwise_operators(), list_operators(),
          reduction_operators(), movement_operators(),    collective_operators()};
}

const std::unordered_map<std::string_view, const NamedOperator*>& by_name() {
  static const auto kIndex = [] {
    std::unordered_map<std::string_view, const NamedOperator*> index;
    for (const auto& table : all_tables()) {
      for (const NamedOperator& named : table) index.try_emplace(named.name, &named);
    }
    return index;
  }();
  return kIndex;
}

/// As it is; without the namespace of PyTorch's operators, and there without the underscore of what works in place.
const NamedOperator* find_operator(std::string_view name) {
  constexpr std::string_view kNamespaces[] = {"aten::", "c10d::", "onednn::", "mkldnn::", "flash_attn::"};
  const auto& index = by_name();
  for (const std::string_view prefix : kNamespaces) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    if (const auto found = index.find(name); found != index.end()) return found->second;
    if (!name.ends_with('_')) return nullptr;
    name.remove_suffix(1);
    const auto found = index.find(name);
    return found == index.end() ? nullptr : found->second;
  }
  // Other names without a namespace are of graphs: MatMul, Conv2D.
  const bool is_of_graph = name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") <= 1;
  const auto found = is_of_graph ? index.find(name) : index.end();
  return found == index.end() ? nullptr : found->second;
}

}  // namespace

std::optional<Work> work_of(FormulaId formula, double flops, double read_bytes, double write_bytes, DataType type) {
  if (!std::isfinite(flops) || flops < 0) return {};
  Work work;
  work.flops = flops;
  work.type = type;
  work.formula = static_cast<uint16_t>(formula);
  work.has_bytes = std::isfinite(read_bytes) && std::isfinite(write_bytes);
  if (work.has_bytes) {
    work.read_bytes = read_bytes;
    work.write_bytes = write_bytes;
  }
  return work;
}

std::optional<Work> operator_work(const OperatorCall& call) {
  const NamedOperator* named = find_operator(call.name);
  if (named == nullptr) return {};
  const auto arguments = OperatorArguments::parse(call);
  if (!arguments) return {};
  return named->work(*arguments, named->parameter);
}

bool has_operator_formula(std::string_view name) { return find_operator(name) != nullptr; }

std::string formulas_markdown() {
  std::string text = "| formula | flops | compulsory bytes | source |\n|---|---|---|---|\n";
  for (size_t i = 0; i < kFormulas; ++i) {
    const Formula& formula = formula_of(static_cast<uint16_t>(i));
    text += fmt::format("| {} | {} | {} | {} |\n", formula.name, formula.flops, formula.bytes, formula.source);
  }
  text += "\n| formula | operators |\n|---|---|\n";
  for (size_t i = 0; i < kFormulas; ++i) {
    const Formula& formula = formula_of(static_cast<uint16_t>(i));
    const bool has_rates = formula.kind == FormulaKind::kElementwise || formula.kind == FormulaKind::kReduction;
    std::string names;
    for (const auto& table : all_tables()) {
      for (const NamedOperator& named : table) {
        if (named.formula != formula.id) continue;
        if (!names.empty()) names += ", ";
        names += has_rates ? fmt::format("`{}` {:g}", named.name, named.parameter) : fmt::format("`{}`", named.name);
      }
    }
    if (!names.empty()) text += fmt::format("| {} | {} |\n", formula.name, names);
  }
  return text;
}

}  // namespace xsp::analysis
