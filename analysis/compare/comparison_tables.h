#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/comparison_columns.h"
#include "analysis/compare/matches.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Tables of --diff, by the id of the analysis that they compare. Their first columns are those of kCompared.
Table compare_models(const Comparison& comparison);            // A1
Table compare_layers(const Comparison& comparison);            // A2
Table compare_layer_types(const Comparison& comparison);       // A6
Table compare_kernels(const Comparison& comparison);           // A8
Table compare_kernels_by_name(const Comparison& comparison);   // A10
Table compare_kernels_by_layer(const Comparison& comparison);  // A11

/// Whether an analysis has a comparison; "A1, A2, A6, A8, A10 and A11".
bool can_be_compared(std::string_view id);
std::string comparable_ids();

/// Makes each comparison only once (intervals take time), with id, title and the notes common to all.
class ComparisonTables {
 public:
  explicit ComparisonTables(const Comparison& comparison) : comparison_(comparison) {}

  const Comparison& comparison() const { return comparison_; }
  /// Of an id that can be compared.
  const Table& of(std::string_view id);
  /// The same in display order: the largest differences first, whatever their sign; models in their own order.
  Table ranked(std::string_view id);

 private:
  const Comparison& comparison_;
  std::map<std::string, Table, std::less<>> tables_;
};

}  // namespace xsp::analysis
