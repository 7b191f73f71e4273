#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bound/records/measurement.h"

namespace xsp::bound {

class Connection;
struct LookUpStatements;

/// Which measurements may count.
struct LookUp {
  std::string system_key;
  int threads = 1;
  /// Only rows of these libraries (name and version): those that are installed, or --library NAME=VERSION.
  std::vector<Library> libraries;
  bool exact = false;  // --exact: no Winograd, no FFT
};

/// What is known of a problem.
struct Found {
  std::optional<Measurement> hot;   // the quickest eligible implementation, without its samples
  std::optional<Measurement> cold;  // its cold row
  size_t rows = 0;                  // of any status, of the libraries that were looked for; of equal ones the newest
  /// Why there is no hot one: "not measured…", "onednn 3.2.0: unsupported: …" of the row that tells most, or "the
  /// database cannot be read: …".
  std::string reason;
};

/// Whether the numerics of a row (with its problem) are those that may count for a bound.
bool may_count(const Measurement& row, const LookUp& look_up);

/// The measurements of one file (SQLite, write-ahead log, the schema of doc/xsp-bound.md; `PRAGMA user_version` is
/// kSchemaVersion). One writer at a time, others wait for up to ten seconds.
class Database {
 public:
  static constexpr int kSchemaVersion = 1;

  Database();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Opens the file, made with its folders where it is not there (unless `read_only`: then an absent one is empty).
  /// Errors (exit code 3): no database, of a later version, damaged; 5: cannot be written.
  Status open(const std::string& path, bool read_only);

  /// All rows of one benchmark, in one transaction.
  Status add(const SystemFacts& system, const Library& library, const std::string& problem, double flops, double bytes,
             const std::vector<Measurement>& rows);

  /// Whether the problem was measured (with any outcome) with this library.
  bool has(const std::string& system_key, const Library& library, int threads, const std::string& problem) const;

  /// Of equal rows (same implementation, layout, cache) the newest counts; of several implementations the quickest `ok`
  /// one whose numerics are allowed.
  Found find(const std::string& problem, const LookUp& look_up) const;

  /// All that was measured of a problem with operands in the cache, failures included, of equal rows the newest: those
  /// of a library in the order in which it proposes its implementations. `exact` changes nothing here. Without samples;
  /// empty, too, where the database cannot be read.
  std::vector<Measurement> rows(const std::string& problem, const LookUp& look_up) const;

  /// Takes over the rows that another file has and this one lacks, also older ones: the newest still counts. Returns
  /// the number of rows.
  Status merge(const std::string& path, uint64_t* rows);

  struct System {
    std::string key;
    uint64_t measurements = 0;
    uint64_t problems = 0;
    std::vector<std::string> libraries;  // "onednn 3.2.0"
    std::vector<int> threads;
    int64_t newest = 0;  // seconds since 1970
  };
  std::vector<System> systems() const;

  /// RFC 4180, a row a measurement, all columns of the four tables but the samples, of which `n` is the number. As in
  /// all our CSV, text that a spreadsheet would take for a formula has a ' before it.
  Status export_csv(const std::function<void(std::string_view)>& write) const;

  /// The first error (exit code 3) of has(), find(), rows() or systems(), which have no other way to tell it.
  const Status& failure() const { return failure_; }

 private:
  struct ProblemRows;
  void note_failure(int code) const;
  Status read_rows(const std::string& problem, const LookUp& look_up, ProblemRows* rows) const;

  /// None: nothing is there, and nothing is to be written.
  std::unique_ptr<Connection> connection_;
  /// Of the connection, so that they go first.
  mutable std::unique_ptr<LookUpStatements> statements_;
  mutable Status failure_;
  std::string path_;
};

/// `$XDG_DATA_HOME/xsp/bounds.sqlite`, else ~/.local/share/xsp/bounds.sqlite.
/// Empty, which open() refuses, without a home.
std::string default_database();

}  // namespace xsp::bound
