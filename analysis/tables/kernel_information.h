#pragma once

#include "analysis/tables/metric_columns.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table kernel_information(const Study& study);

struct KernelInformationTable : TableDefinition {
  ColumnDefinition kernel_name{this, columns::kKernelName};
  ColumnDefinition layer_index{this, columns::kLayerIndex};
  ColumnDefinition layer_name{this, columns::kLayerName};
  ColumnDefinition library_call{
      this, {"library_call", "", "The outermost library call around its launch", "", "C, G", sources::kOurs}};
  ColumnDefinition stream{this, {"stream", "", "Stream the kernel ran on", "", "G", sources::kCupti}};
  ColumnDefinition latency_ms{this, columns::kLatencyOfKernel};
  MetricColumns metrics{this};
  ColumnDefinition device{this, columns::kDevice};
  ColumnDefinition grid{this, {"grid", "", "Blocks of the launch, x,y,z", "", "G", sources::kCupti}};
  ColumnDefinition block{this, {"block", "", "Threads of a block, x,y,z", "", "G", sources::kCupti}};
  ColumnDefinition launch{this, {"launch", "", "The call of the CUDA API that launched it", "", "G", sources::kCupti}};
  ColumnDefinition graph_node{
      this, {"graph_node", "", "Node of a CUDA graph; null: launched by itself", "", "G", sources::kCupti}};
  ColumnDefinition n{this, columns::kN};
  ColumnDefinition spread{this, columns::kSpread};
  ColumnDefinition process{this, columns::kProcess};
  ColumnDefinition algorithmic_gflops{this, columns::kAlgorithmicGflops};
  ColumnDefinition data_type{this, columns::kDataType};
  ColumnDefinition flags{this, columns::kFlags};
  ColumnDefinition operator_name{this,
                                 {"operator", "", "The innermost operator of the framework around its launch", "", "G",
                                  "the framework's profile"}};
  ColumnDefinition operator_inputs{
      this,
      ColumnFacts{"operator_inputs", "", "Shapes of that operator's inputs", "", "G", "the framework's profile"}.cut_to(
          100)};
  ColumnDefinition phase{this, {"phase", "", "forward, backward or optimizer", "", "G", sources::kOurs}};

  constexpr KernelInformationTable()
      : TableDefinition({.id = "A8",
                         .title = "kernel information",
                         .meaning = "Each kernel with its layer, library call and launch",
                         .level = "G",
                         .source = "XSP, III-D3, Table III",
                         .compute = xsp::analysis::kernel_information}) {
    rank_by = &latency_ms;
    selects = "execution";
    is_of_executions = true;
  }
};
inline constexpr KernelInformationTable kA8;

}  // namespace xsp::analysis
