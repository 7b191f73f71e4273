#include <algorithm>
#include <unordered_map>

#include "base/text_encoding.h"
#include "bound/database/database.h"
#include "bound/database/look_up_statements.h"
#include "bound/database/measurement_rows.h"

namespace xsp::bound {
namespace {

constexpr size_t kMostRowsOfProblem = 100'000;
constexpr size_t kMostReasonColumns = 300;

constexpr std::string_view kRowsOfProblem =
    " FROM measurement m JOIN library l ON l.id = m.library WHERE m.problem = (SELECT id FROM problem WHERE key = ?1) "
    "AND m.system = (SELECT id FROM system WHERE key = ?2) AND m.threads = ?3";

/// Rows that another run would not change: a benchmark that lacked memory, or whose process did not even start, may go
/// well next time.
constexpr std::string_view kSettled =
    " AND NOT (m.status = 'error' AND (m.message LIKE 'not enough memory%' OR m.message LIKE '%SIGKILL%'"
    " OR m.message LIKE '%while starting%'))";

/// Such a text is kept in no database; a query for it would fail.
constexpr size_t kLongestProblem = size_t{1} << 18;

bool is_too_long(const std::string& problem) { return problem.size() > kLongestProblem; }

/// The newest rows of an implementation.
struct ImplementationRows {
  std::optional<MeasurementRow> hot;
  std::optional<MeasurementRow> cold;
};

bool is_newer(const MeasurementRow& row, const MeasurementRow& than) {
  if (row.facts.started_at != than.facts.started_at) return row.facts.started_at > than.facts.started_at;
  return row.id > than.id;
}

void keep_newest(MeasurementRow row, std::optional<MeasurementRow>* kept) {
  if (!*kept || is_newer(row, **kept)) *kept = std::move(row);
}

std::string library_text(const Measurement& row) { return row.library + " " + row.library_version; }

bool is_looked_for(const Measurement& row, const LookUp& look_up) {
  return std::any_of(look_up.libraries.begin(), look_up.libraries.end(), [&](const Library& library) {
    return library.name == row.library && library.version == row.library_version;
  });
}

/// Whether one of the words of a text is f32 or f64 ("f32[1,3]", "u8:s8:f32"; not "tf32").
bool names_full_precision(std::string_view text) {
  constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (size_t begin = 0; (begin = text.find_first_of(kWord, begin)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_not_of(kWord, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (word == "f32" || word == "f64") return true;
    begin = end;
  }
  return false;
}

bool was_measured(const Measurement& row) {
  return row.status == BenchmarkStatus::kOk || row.status == BenchmarkStatus::kImported;
}

/// In every run and whatever the order of the rows the same of several.
bool is_quicker(const Measurement& row, const Measurement& than) {
  if (row.best_ns() != than.best_ns()) return row.best_ns() < than.best_ns();
  return implementation_key(row) < implementation_key(than);
}

/// How much a row tells of why there is no time: a crash is more than what a library cannot do anyway.
int telling(const Measurement& row) {
  switch (row.status) {
    case BenchmarkStatus::kError:
      return 3;
    case BenchmarkStatus::kTimeout:
      return 2;
    case BenchmarkStatus::kUnsupported:
      return 1;
    default:
      return 0;
  }
}

bool tells_more(const Measurement& row, const Measurement& than) {
  if (telling(row) != telling(than)) return telling(row) > telling(than);
  if (row.message.empty() != than.message.empty()) return than.message.empty();
  return implementation_key(row) < implementation_key(than);
}

std::string reason_without(const Measurement* row, bool has_unusable, const std::string& other_library) {
  std::string reason;
  if (row == nullptr) {
    if (has_unusable) return "not measured (there are rows, but they are damaged)";
    if (other_library.empty()) return "not measured";
    reason = "not measured with these libraries (only with " + other_library + ")";
  } else if (was_measured(*row)) {
    reason =
        library_text(*row) + ": only " +
        (row->cold ? "with a cold cache" : "with numerics that may not count: " + std::string(name_of(row->numerics)));
  } else {
    reason = library_text(*row) + ": " + std::string(name_of(row->status));
    if (!row->message.empty()) reason += ": " + row->message;
    if (row->status == BenchmarkStatus::kTimeout || row->status == BenchmarkStatus::kError) {
      reason += " (--refresh tries again)";
    }
  }
  return shorten(message_text(reason), kMostReasonColumns);
}

}  // namespace

/// What is known of a problem, by implementation.
struct Database::ProblemRows {
  std::unordered_map<std::string, ImplementationRows> implementations;
  std::string other_library;  // that was measured, but is not looked for
  bool has_unusable = false;

  Found choose(const LookUp& look_up) const;
};

bool may_count(const Measurement& row, const LookUp& look_up) {
  if (row.numerics == Numerics::kExact) return true;
  if (look_up.exact) return false;
  if (row.numerics == Numerics::kTransform) return true;
  return !names_full_precision(row.dtype) && !names_full_precision(row.problem);
}

Found Database::ProblemRows::choose(const LookUp& look_up) const {
  Found found;
  const ImplementationRows* best = nullptr;
  const Measurement* telling_row = nullptr;
  for (const auto& [key, implementation] : implementations) {
    for (const auto* const row : {&implementation.hot, &implementation.cold}) {
      if (!*row) continue;
      ++found.rows;
      if (telling_row == nullptr || tells_more((*row)->facts, *telling_row)) telling_row = &(*row)->facts;
    }
    const auto& hot = implementation.hot;
    if (!hot || !was_measured(hot->facts) || !may_count(hot->facts, look_up)) continue;
    if (best == nullptr || is_quicker(hot->facts, best->hot->facts)) best = &implementation;
  }
  if (best == nullptr) {
    found.reason = reason_without(telling_row, has_unusable, other_library);
    return found;
  }
  found.hot = best->hot->facts;
  if (best->cold && was_measured(best->cold->facts)) found.cold = best->cold->facts;
  return found;
}

LookUpStatements::LookUpStatements(Connection& connection)
    : has(connection.prepare("SELECT 1" + std::string(kRowsOfProblem) + " AND l.name = ?4 AND l.version = ?5" +
                             std::string(kSettled) + " LIMIT 1")),
      find(connection.prepare("SELECT " + std::string(kMeasurementColumns).append(kRowsOfProblem))) {}

bool Database::has(const std::string& system_key, const Library& library, int threads,
                   const std::string& problem) const {
  if (is_too_long(problem)) return true;
  if (connection_ == nullptr) return false;
  connection_->renew_steps();
  if (statements_ == nullptr) statements_ = std::make_unique<LookUpStatements>(*connection_);
  Statement& statement = statements_->has;
  statement.bind_text(1, problem).bind_text(2, system_key).bind_integer(3, threads);
  statement.bind_text(4, library.name).bind_text(5, library.version);
  const bool is_there = statement.next();
  if (statement.failure() != 0) note_failure(statement.failure());
  statement.reset();
  return is_there;
}

Status Database::read_rows(const std::string& problem, const LookUp& look_up, ProblemRows* rows) const {
  if (connection_ == nullptr) return {};
  connection_->renew_steps();
  if (statements_ == nullptr) statements_ = std::make_unique<LookUpStatements>(*connection_);
  Statement& statement = statements_->find;
  statement.bind_text(1, problem).bind_text(2, look_up.system_key).bind_integer(3, look_up.threads);
  size_t count = 0;
  while (count <= kMostRowsOfProblem && statement.next()) {
    ++count;
    auto row = read_measurement(statement);
    if (!row) {
      rows->has_unusable = true;
      continue;
    }
    if (!is_looked_for(row->facts, look_up)) {
      rows->other_library = std::max(rows->other_library, library_text(row->facts));
      continue;
    }
    row->facts.problem = problem;
    ImplementationRows& kept = rows->implementations[implementation_key(row->facts)];
    auto* const newest = row->facts.cold ? &kept.cold : &kept.hot;
    keep_newest(std::move(*row), newest);
  }
  const int failure = statement.failure();
  statement.reset();
  if (failure == 0 && count <= kMostRowsOfProblem) return {};
  Status status =
      failure != 0 ? connection_->read_error(failure) : connection_->unusable("damaged: one problem has too many rows");
  if (failure_.ok()) failure_ = status;
  return status;
}

Found Database::find(const std::string& problem, const LookUp& look_up) const {
  Found found;
  if (is_too_long(problem)) {
    found.reason = "its problem is too long to be kept";
    return found;
  }
  ProblemRows rows;
  if (const Status status = read_rows(problem, look_up, &rows); !status.ok()) {
    found.reason = "the database cannot be read: " + message_text(status.error);
    return found;
  }
  return rows.choose(look_up);
}

std::vector<Measurement> Database::rows(const std::string& problem, const LookUp& look_up) const {
  ProblemRows read;
  if (is_too_long(problem) || !read_rows(problem, look_up, &read).ok()) return {};
  std::vector<MeasurementRow> found;
  for (auto& [key, implementation] : read.implementations) {
    if (implementation.hot) found.push_back(*std::move(implementation.hot));
  }
  // A benchmark's rows are added in the order in which the library proposes them.
  std::ranges::sort(found, {}, &MeasurementRow::id);
  std::vector<Measurement> rows;
  for (MeasurementRow& row : found) rows.push_back(std::move(row.facts));
  return rows;
}

}  // namespace xsp::bound
