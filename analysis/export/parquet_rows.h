#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/export/exported_spans.h"
#include "analysis/export/exporter.h"
#include "analysis/export/parquet_columns.h"
#include "analysis/export/span_attributes.h"

namespace xsp::analysis {

/// Fills columns with spans, part by part.
class ParquetRows {
 public:
  explicit ParquetRows(const ExportInput& input);

  /// The next rows, all of one process; false behind the last.
  bool next();

  size_t rows() const { return columns_.front().rows(); }
  uint32_t process() const { return process_; }
  uint32_t run() const;  // from 1
  const std::vector<ParquetColumn>& columns() const { return columns_; }
  bool is_realtime() const { return spans_.is_realtime(); }

 private:
  void add(Row row);
  void add_place(const ExportedSpan& span, const SpanPlace& place);
  void add_layer(Row layer);
  void add_attributes(SpanAttribute::Of of, const AttributedSpan& span, const LaunchConfiguration& launch);
  void add_id(Row row);
  void add_unless(int64_t value, int64_t none);
  void add_text_of(uint32_t id);
  void add_name(Row row);
  /// Text that is no string of the trace.
  void add_own(std::string_view text);
  ParquetColumn& column() { return columns_[column_++]; }
  size_t bytes() const;

  const AnalysedTrace& analysed_;
  const Trace& trace_;
  ExportedSpans spans_;
  std::vector<ParquetColumn> columns_;
  std::unordered_map<std::string, uint32_t> own_keys_;
  std::vector<bool> in_layer_tables_;   // by evaluation
  std::vector<bool> in_kernel_tables_;  // likewise
  std::vector<int64_t> batch_size_;     // by evaluation; INT64_MIN: not known
  size_t column_ = 0;
  uint32_t process_ = 0;
  size_t track_ = 0;
  size_t position_ = 0;
};

}  // namespace xsp::analysis
