#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/study.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Puts groups in the order of the points of their sweep: parameters as they were given, their numbers ascending, other
/// values as they come first. Groups of one point, and those of no sweep, keep their order.
void sort_by_point(const Trace& trace, const std::vector<EvaluationGroup>& all, std::vector<uint32_t>* groups);

/// The point of a group without its batch size, "threads=2 backend=x"; empty: none.
std::string point_without_batch(const Trace& trace, const EvaluationGroup& group);

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
