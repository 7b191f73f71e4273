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

  void append_columns(std::vector<Column>* columns) const;
  /// Null for a group of no sweep, and for none.
  void append_cells(const EvaluationGroup* group, std::vector<Cell>* row) const;

 private:
  struct Parameter {
    std::string name;
    bool numeric = true;
  };

  const Study& study_;
  std::vector<Parameter> parameters_;
};

}  // namespace xsp::analysis
