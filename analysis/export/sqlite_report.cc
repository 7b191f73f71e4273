#include <string>
#include <vector>

#include "analysis/export/sqlite_file.h"
#include "analysis/tables/registry.h"

namespace xsp::analysis {
namespace {

/// SQLite converts by it: in a column with fractions too, integers become reals.
std::string_view type_of(const Table& table, size_t column) {
  bool integers = false;
  bool reals = false;
  for (const std::vector<Cell>& row : table.rows) {
    if (std::holds_alternative<std::string>(row[column])) return "TEXT";
    integers |= std::holds_alternative<int64_t>(row[column]) || std::holds_alternative<bool>(row[column]);
    reals |= std::holds_alternative<double>(row[column]);
  }
  if (reals) return "REAL";
  return integers ? "INTEGER" : "";
}

std::string meaning_of(const std::string& table, const std::string& column) {
  const ColumnDefinition* found = column_definition(table, column);
  if (found == nullptr) return {};
  std::string meaning(found->meaning);
  if (!found->formula.empty()) meaning += "; " + std::string(found->formula);
  return meaning;
}

class ReportWriter {
 public:
  explicit ReportWriter(SqliteDatabase* database)
      : database_(database),
        tables_(database, "tables", 2),
        columns_(database, "columns", 4),
        notes_(database, "notes", 2),
        extras_(database, "extras", 4) {}

  void write(const Table& table, const std::string& name) {
    create(table, name);
    SqliteInsertion insertion(database_, name, table.columns.size());
    for (const std::vector<Cell>& row : table.rows) {
      for (const Cell& cell : row) insertion.add(cell);
      insertion.end();
    }
    for (const std::string& note : table.notes) notes_.add_text(name).add_copy(note).end();
    for (const Extra& extra : table.extras) {
      for (const auto& [field, value] : extra.fields) {
        extras_.add_text(name).add_copy(extra.name).add_copy(field).add(value).end();
      }
    }
    for (const Table& part : table.parts) write(part, name + "." + part.id);
  }

 private:
  void create(const Table& table, const std::string& name) {
    tables_.add_text(name).add_copy(table.title).end();
    // SQLite has no tables without columns, and such a table has only notes.
    std::string sql = table.columns.empty() ? "nothing" : "";
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      sql += (i == 0 ? "" : ", ") + sql_name(column.name) + " " + std::string(type_of(table, i));
      columns_.add_text(name).add_text(column.name).add_copy(column.unit).add_copy(meaning_of(name, column.name)).end();
    }
    database_->run("CREATE TABLE " + sql_name(name) + " (" + sql + ")");
  }

  SqliteDatabase* database_;
  SqliteInsertion tables_;
  SqliteInsertion columns_;
  SqliteInsertion notes_;
  SqliteInsertion extras_;
};

}  // namespace

void write_sqlite_report(const std::vector<Table>& tables, SqliteDatabase* database) {
  ReportWriter writer(database);
  for (const Table& table : tables) writer.write(table, table.id);
}

}  // namespace xsp::analysis
