#pragma once

#include <span>
#include <string>

#include "analysis/export/exporter.h"
#include "analysis/export/parquet_columns.h"

namespace xsp::analysis {

/// Parquet, one row a span with everything that is known of it. A file, or where `path` ends with "/" or is a folder, a
/// dataset in folders by run, process and level. Arrow is that of a Python found now (XSP_PYTHON, python3 of PATH, that
/// of the profiled program); an error that says how to get it where there is none.
Status write_parquet(const ExportInput& input, const std::string& path);

/// The columns, as they are documented.
std::span<const ParquetColumnReference> parquet_columns();

}  // namespace xsp::analysis
