#pragma once

#include <span>
#include <string>

#include "analysis/export/exporter.h"
#include "analysis/export/parquet_columns.h"

namespace xsp::analysis {

/// Parquet, one row a span with everything that is known of it. A file, or if `path` ends with "/" or is a folder, a
/// dataset in folders by run, process and level. Arrow comes from a Python looked up now (XSP_PYTHON, python3 of PATH,
/// that of the profiled program); if none has it, the error says how to get it.
Status write_parquet(const ExportInput& input, const std::string& path);

/// The columns, as they are documented.
std::span<const ParquetColumnReference> parquet_columns();

}  // namespace xsp::analysis
