#include "bound/database/database.h"

#include "bound/database/connection.h"
#include "bound/database/look_up_statements.h"
#include "bound/database/measurement_rows.h"
#include "bound/database/parent_rows.h"

namespace xsp::bound {

Database::Database() = default;
Database::~Database() = default;

Status Database::open(const std::string& path, bool read_only) {
  statements_.reset();
  connection_.reset();
  failure_ = Status();
  path_ = path;
  if (path.empty()) return {"no file for the database (HOME is not set)", "name one with --database", 5};
  return read_only ? Connection::open_for_reading(path, &connection_)
                   : Connection::open_for_writing(path, &connection_);
}

void Database::note_failure(int code) const {
  if (failure_.ok()) failure_ = connection_->read_error(code);
}

Status Database::add(const SystemFacts& system, const Library& library, const std::string& problem, double flops,
                     double bytes, const std::vector<Measurement>& rows) {
  if (connection_ == nullptr || !connection_->can_write()) {
    return {"cannot write " + path_ + " (opened for reading)", "", 5};
  }
  connection_->renew_steps();
  Transaction transaction(*connection_);
  if (!transaction.is_open()) return connection_->write_error();
  ParentRows parents(*connection_, ParentRows::Known::kReplaced);
  const auto problem_id = parents.problem(problem, flops, bytes);
  const auto system_id = problem_id ? parents.system(system.key(), system) : std::nullopt;
  const auto library_id = system_id ? parents.library(library.name, library.version, library.build) : std::nullopt;
  if (!library_id) return connection_->write_error(parents.failure());
  Statement insert = connection_->prepare(kInsertMeasurement);
  for (const Measurement& row : rows) {
    if (insert_measurement(insert, {*problem_id, *system_id, *library_id}, row)) continue;
    return connection_->write_error(insert.failure());
  }
  return transaction.commit() ? Status() : connection_->write_error();
}

}  // namespace xsp::bound
