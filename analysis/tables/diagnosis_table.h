#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table diagnosis_table(const Study& study);

struct DiagnosisTable : TableDefinition {
  ColumnDefinition diagnosis{this,
                             {"diagnosis", "", "Name of the check, in the order of doc/iterations.md", "",
                              needs::kOperations, sources::kIterations}};
  ColumnDefinition found{
      this,
      {"found", "", "Whether the check found something that no more specific check explains; null: not checked", "",
       needs::kOperations, sources::kIterations}};
  ColumnDefinition value{this,
                         {"value", "", "The value compared; null: not checked, evidence says why", "",
                          needs::kOperations, sources::kIterations}};
  ColumnDefinition threshold{this,
                             {"threshold", "", "The value from which on it is found, if also significant", "",
                              needs::kOperations, sources::kIterations}};
  ColumnDefinition unit{this,
                        {"unit", "", "Unit of value and threshold", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition evidence{
      this, ColumnFacts{"evidence", "", "The numbers behind the result, and why nothing was found or checked", "",
                        needs::kOperations, sources::kIterations}
                .cut_to(60)};
  ColumnDefinition iterations{this, ColumnFacts{"iterations", "", "The iterations (as in D1) concerned; null: all", "",
                                                needs::kOperations, sources::kIterations}
                                        .cut_to(40)};
  ColumnDefinition advice{
      this, ColumnFacts{"advice", "", "What to do about it", "", needs::kOperations, sources::kIterations}.cut_to(40)};
  ColumnDefinition loop{this, columns::kLoop};

  constexpr DiagnosisTable()
      : TableDefinition({.id = "D4",
                         .title = "diagnosis",
                         .meaning = "What slows the iterations: every check with its values, found or not",
                         .level = "G, else L or C",
                         .source = "DeepProf, V-B; doc/iterations.md",
                         .compute = xsp::analysis::diagnosis_table}) {}
};
inline constexpr DiagnosisTable kD4;

}  // namespace xsp::analysis
