#pragma once

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_definition.h"

namespace xsp::analysis {

Table streams(const Study& study);

struct StreamsTable : TableDefinition {
  ColumnDefinition stream{this, {"stream", "", "Stream", "", "G", sources::kCupti}};
  ColumnDefinition device{this, columns::kDevice};
  ColumnDefinition stream_class{
      this,
      {"class", "", "main: at least 5 % of the kernels or of their time; copy: only copies; assist: all others", "",
       "G", "DeepProf, IV-A2"}};
  ColumnDefinition kernels{this, {"kernels", "", "Kernels that ran on it", "", "G", sources::kCupti}};
  ColumnDefinition copies_to_device{
      this, {"copies_to_device", "", "Copies from the host to the device", "", "G", sources::kCupti}};
  ColumnDefinition copies_to_host{
      this, {"copies_to_host", "", "Copies from the device to the host", "", "G", sources::kCupti}};
  ColumnDefinition other_copies{
      this, {"other_copies", "", "Copies within the device and between devices", "", "G", sources::kCupti}};
  ColumnDefinition memsets{this, {"memsets", "", "Memsets", "", "G", sources::kCupti}};
  ColumnDefinition kernel_ms{
      this, {"kernel_ms", "ms", "Sum of its kernel times", "Σ latency of kernels", "G", sources::kOurs}};
  ColumnDefinition copy_ms{this,
                           {"copy_ms", "ms", "Sum of its copy times", "Σ latency of copies", "G", sources::kOurs}};
  ColumnDefinition busy_ms{
      this, {"busy_ms", "ms", "Time in which anything ran on it", "length of the union of all", "G", sources::kOurs}};
  ColumnDefinition bytes_to_device{
      this, {"bytes_to_device", "B", "Bytes copied from the host to the device", "", "G", sources::kCupti}};
  ColumnDefinition bytes_to_host{
      this, {"bytes_to_host", "B", "Bytes copied from the device to the host", "", "G", sources::kCupti}};

  constexpr StreamsTable()
      : TableDefinition({.id = "D3",
                         .title = "streams",
                         .meaning = "The streams of the busiest process and what ran on them",
                         .level = "G",
                         .source = "DeepProf, IV-A2",
                         .compute = xsp::analysis::streams}) {
    rank_by = &busy_ms;
  }
};
inline constexpr StreamsTable kD3;

}  // namespace xsp::analysis
