#include <fmt/format.h>

#include "base/text_encoding.h"
#include "bound/database/connection.h"
#include "bound/database/database.h"

namespace xsp::bound {
namespace {

constexpr size_t kChunkBytes = 64 << 10;

enum class CellKind { kText, kInteger, kReal };

struct ExportColumn {
  std::string_view name;
  std::string_view source;
  CellKind kind;
};

constexpr ExportColumn kExportColumns[] = {
    {"system", "s.key", CellKind::kText},
    {"device", "s.device", CellKind::kText},
    {"isa", "s.isa", CellKind::kText},
    {"cores", "s.cores", CellKind::kInteger},
    {"memory_bytes", "s.memory_bytes", CellKind::kInteger},
    {"cache_bytes", "s.cache_bytes", CellKind::kInteger},
    {"driver", "s.driver", CellKind::kText},
    {"clocks", "s.clocks", CellKind::kText},
    {"host_hash", "s.host_hash", CellKind::kText},
    {"library", "l.name", CellKind::kText},
    {"library_version", "l.version", CellKind::kText},
    {"library_build", "l.build", CellKind::kText},
    {"problem", "p.key", CellKind::kText},
    {"operator", "p.operator", CellKind::kText},
    {"flops", "p.flops", CellKind::kReal},
    {"bytes", "p.bytes", CellKind::kReal},
    {"backend", "m.backend", CellKind::kText},
    {"implementation", "m.implementation", CellKind::kText},
    {"numerics", "m.numerics", CellKind::kText},
    {"math_mode", "m.math_mode", CellKind::kText},
    {"layout", "m.layout", CellKind::kText},
    {"dtype", "m.dtype", CellKind::kText},
    {"threads", "m.threads", CellKind::kInteger},
    {"cache", "m.cache", CellKind::kText},
    {"status", "m.status", CellKind::kText},
    {"message", "m.message", CellKind::kText},
    {"n", "m.n", CellKind::kInteger},
    {"min_ns", "m.min_ns", CellKind::kReal},
    {"median_ns", "m.median_ns", CellKind::kReal},
    {"p90_ns", "m.p90_ns", CellKind::kReal},
    {"cpu_min_ns", "m.cpu_min_ns", CellKind::kReal},
    {"workspace_bytes", "m.workspace_bytes", CellKind::kInteger},
    {"load_average", "m.load_average", CellKind::kReal},
    {"started_at", "m.started_at", CellKind::kInteger},
    {"xsp_version", "m.xsp_version", CellKind::kText},
};

std::string export_query() {
  std::string query = "SELECT ";
  for (const ExportColumn& column : kExportColumns) {
    if (&column != kExportColumns) query += ", ";
    query += column.source;
  }
  return query +
         " FROM measurement m JOIN library l ON l.id = m.library JOIN problem p ON p.id = m.problem "
         "JOIN system s ON s.id = m.system ORDER BY m.id";
}

void append_text(std::string_view text, std::string* out) {
  const bool is_formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  const bool is_quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (is_quoted) *out += '"';
  if (is_formula) *out += '\'';
  for (const char c : valid_utf8(text)) out->append(c == '"' ? 2 : 1, c);
  if (is_quoted) *out += '"';
}

void append_cell(const Statement& row, int column, CellKind kind, std::string* out) {
  switch (kind) {
    case CellKind::kText:
      return append_text(row.text(column), out);
    case CellKind::kInteger:
      *out += std::to_string(row.integer(column));
      return;
    case CellKind::kReal:
      if (!row.is_null(column)) *out += fmt::format("{}", row.real(column));
      return;
  }
}

}  // namespace

Status Database::export_csv(const std::function<void(std::string_view)>& write) const {
  std::string chunk;
  for (const ExportColumn& column : kExportColumns) {
    if (&column != kExportColumns) chunk += ',';
    chunk += column.name;
  }
  chunk += "\r\n";
  Statement rows;
  if (connection_ != nullptr) {
    connection_->renew_steps(/*of_whole_file=*/true);
    rows = connection_->prepare(export_query());
  }
  while (rows.next()) {
    int at = 0;
    for (const ExportColumn& column : kExportColumns) {
      if (at != 0) chunk += ',';
      append_cell(rows, at++, column.kind, &chunk);
    }
    chunk += "\r\n";
    if (chunk.size() < kChunkBytes) continue;
    write(chunk);
    chunk.clear();
  }
  write(chunk);
  return rows.failure() == 0 ? Status() : connection_->read_error(rows.failure());
}

}  // namespace xsp::bound
