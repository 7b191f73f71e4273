#pragma once

#include <string>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The columns that say at which point of a sweep a row is: one for each parameter under study, as text only where a
/// value is no number. A name that the table has already gets "parameter_" in front.
class SweepColumns {
 public:
  explicit SweepColumns(const Study& study);

  /// Behind those that the table has, null in its rows.
  void append_columns(Table* table);
  /// Fills the cells of a row; they stay null for a group of no sweep, and for none.
  void set_cells(const EvaluationGroup* group, size_t row, Table* table) const;

 private:
  struct Parameter {
    std::string name;
    bool numeric = true;
    size_t place = 0;  // of its column
  };

  const Study& study_;
  std::vector<Parameter> parameters_;
};

}  // namespace xsp::analysis
