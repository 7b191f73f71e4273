#include "analysis/export/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/output_target.h"

namespace xsp::analysis {
namespace {

constexpr SqliteColumn kMetaColumns[] = {
    {"key", "TEXT", "", "what is told"},
    {"value", "TEXT", "", "what it is"},
};
constexpr SqliteTable kMeta{"meta", "this file: version of its layout, who made it, what its clock is", kMetaColumns};

constexpr SqliteColumn kTablesColumns[] = {
    {"table_name", "TEXT", "", "name of a table or view of this file"},
    {"meaning", "TEXT", "", "what a row is"},
};
constexpr SqliteTable kTables{"tables", "every table and view of this file", kTablesColumns};

constexpr SqliteColumn kColumnsColumns[] = {
    {"table_name", "TEXT", "", "name of a table of this file"},
    {"column_name", "TEXT", "", "name of a column"},
    {"unit", "TEXT", "", "of its values"},
    {"meaning", "TEXT", "", "what it is, and how it is computed"},
};
constexpr SqliteTable kColumnsTable{"columns", "every column of every table of this file", kColumnsColumns};

void describe(const SqliteTable& table, SqliteDatabase* database) {
  SqliteInsertion tables(database, "tables", 2);
  tables.add_text(table.name).add_text(table.meaning).end();
  SqliteInsertion columns(database, "columns", 4);
  for (const SqliteColumn& column : table.columns) {
    columns.add_text(table.name).add_text(column.name).add_text(column.unit).add_text(column.meaning).end();
  }
}

void write_meta(const ExportInput& input, SqliteDatabase* database) {
  SqliteInsertion meta(database, "meta", 2);
  meta.add_text("layout_version").add_text("1").end();
  meta.add_text("producer").add_text("xsp-report " XSP_VERSION).end();
  meta.add_text("sqlite").add_text(sqlite3_libversion()).end();
  for (const ReportInput& file : input.inputs) meta.add_text("input").add_copy(file.path).end();
}

Status no_file(const std::string& path, const char* why, const char* hint) {
  return {"cannot write " + path + " (" + why + ")", hint};
}

Status write_database(const ExportInput& input, const std::string& path) {
  SqliteDatabase database(path);
  for (const SqliteTable* table : {&kMeta, &kTables, &kColumnsTable}) database.create(*table);
  for (const SqliteTable* table : {&kMeta, &kTables, &kColumnsTable}) describe(*table, &database);
  write_meta(input, &database);
  for (const SqliteTable& table : sqlite_span_tables()) {
    database.create(table);
    describe(table, &database);
  }
  write_sqlite_spans(input, &database);
  write_sqlite_report(input.report().tables, &database);
  return database.finish();
}

}  // namespace

Status write_sqlite(const ExportInput& input, const std::string& path) {
  if (path == "-") return no_file("standard output", "a database is no stream", "--export sqlite=FILE");
  OutputTarget target;
  if (Status status = find_output_target(path, &target); !status.ok()) return status;
  if (target.kind == OutputTarget::Kind::kStream) {
    return no_file(path, "it is no regular file", "--export sqlite=FILE");
  }
  const std::string partial = target.path + ".partial";
  unlink(partial.c_str());
  // Made anew before SQLite opens it, which would follow a link that others left there.
  const int made = open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made < 0) return no_file(path, std::strerror(errno), "");
  close(made);
  Status status = write_database(input, partial);
  if (status.ok() && std::rename(partial.c_str(), target.path.c_str()) != 0) {
    status = no_file(path, std::strerror(errno), "");
  } else if (!status.ok()) {
    status.error = path + ": " + status.error;
  }
  if (!status.ok()) unlink(partial.c_str());
  return status;
}

}  // namespace xsp::analysis
