#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table diagnosis_table(const Study& study);

struct DiagnosisTable : TableDefinition {
  ColumnDefinition diagnosis{this,
                             {"diagnosis", "", "What is looked for; the order is that of doc/iterations.md", "",
                              needs::kOperations, sources::kIterations}};
  ColumnDefinition found{
      this,
      {"found", "", "Whether it is there, and nothing more special explains the same times; null: not checked", "",
       needs::kOperations, sources::kIterations}};
  ColumnDefinition value{this,
                         {"value", "", "What was compared; null: not checked, the evidence says why", "",
                          needs::kOperations, sources::kIterations}};
  ColumnDefinition threshold{this,
                             {"threshold", "", "From which value on it is found, where it is also significant", "",
                              needs::kOperations, sources::kIterations}};
  ColumnDefinition unit{this, {"unit", "", "Of both", "", needs::kOperations, sources::kIterations}};
  ColumnDefinition evidence{
      this, ColumnFacts{"evidence", "", "The numbers behind it, and why it is not found or was not checked", "",
                        needs::kOperations, sources::kIterations}
                .cut_to(60)};
  ColumnDefinition iterations{this, ColumnFacts{"iterations", "", "Iterations of D1 that it is about; null: all", "",
                                                needs::kOperations, sources::kIterations}
                                        .cut_to(40)};
  ColumnDefinition advice{
      this,
      ColumnFacts{"advice", "", "What to do; of what was found", "", needs::kOperations, sources::kIterations}.cut_to(
          40)};
  ColumnDefinition loop{this, columns::kLoop};

  constexpr DiagnosisTable()
      : TableDefinition({.id = "D4",
                         .title = "diagnosis",
                         .meaning = "What slows the iterations: every check with what it compared, found or not",
                         .level = "G, else L or C",
                         .source = "DeepProf, V-B; doc/iterations.md",
                         .compute = xsp::analysis::diagnosis_table}) {}
};
inline constexpr DiagnosisTable kD4;

}  // namespace xsp::analysis
