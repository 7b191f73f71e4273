#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "base/same_file.h"
#include "bound/database/connection.h"
#include "bound/database/database.h"
#include "bound/database/measurement_rows.h"
#include "bound/database/parent_rows.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kRowsOfOther =
    ", m.samples, p.key, p.flops, p.bytes, s.key, s.device, s.isa, s.cores, s.memory_bytes, s.cache_bytes, s.driver, "
    "s.clocks, s.host_hash FROM measurement m JOIN library l ON l.id = m.library JOIN problem p ON p.id = m.problem "
    "JOIN system s ON s.id = m.system ORDER BY m.id";
enum OtherColumn {
  kSamples = kColumnsOfMeasurement,
  kProblemKey,
  kFlops,
  kBytes,
  kSystemKey,
  kDevice,
  kIsa,
  kCores,
  kMemoryBytes,
  kCacheBytes,
  kDriver,
  kClocks,
  kHostHash,
};

constexpr std::string_view kIsThere =
    "SELECT 1 FROM measurement m JOIN library l ON l.id = m.library WHERE m.problem = ?1 AND m.system = ?2 AND "
    "m.threads = ?3 AND m.started_at = ?4 AND m.cache = ?5 AND m.backend = ?6 AND m.implementation = ?7 AND "
    "m.numerics = ?8 AND m.math_mode = ?9 AND m.layout = ?10 AND m.dtype = ?11 AND l.name = ?12 AND l.version = ?13";

/// Takes rows of another file over, within a transaction.
class Merger {
 public:
  explicit Merger(Connection& to)
      : to_(to),
        parents_(to, ParentRows::Known::kKept),
        is_there_(to.prepare(kIsThere)),
        insert_(to.prepare(kInsertMeasurement)) {}

  uint64_t rows() const { return rows_; }

  /// False: see failure().
  bool take(const Statement& from) {
    auto row = read_measurement(from);
    if (!row || from.text(kProblemKey).empty() || from.text(kSystemKey).empty()) return true;
    to_.renew_steps();
    MeasurementParents parents;
    if (!find_parents(from, *row, &parents)) return false;
    if (is_there(parents, row->facts)) return true;
    if (is_there_.failure() != 0) return false;
    row->facts.samples_ns = from.floats(kSamples);
    if (!insert_measurement(insert_, parents, row->facts)) return false;
    ++rows_;
    return true;
  }

  int failure() const {
    for (const int code : {is_there_.failure(), insert_.failure()}) {
      if (code != 0) return code;
    }
    return parents_.failure();
  }

 private:
  bool find_parents(const Statement& from, const MeasurementRow& row, MeasurementParents* ids) {
    const auto problem = known(&problems_, from.text(kProblemKey), [&](const std::string& key) {
      return parents_.problem(key, from.real(kFlops), from.real(kBytes));
    });
    const auto system = known(&systems_, from.text(kSystemKey),
                              [&](const std::string& key) { return parents_.system(key, facts_of(from)); });
    const std::string library_key = row.facts.library + '\0' + row.facts.library_version + '\0' + row.library_build;
    const auto library = known(&libraries_, library_key, [&](const std::string&) {
      return parents_.library(row.facts.library, row.facts.library_version, row.library_build);
    });
    if (!problem || !system || !library) return false;
    *ids = {*problem, *system, *library};
    return true;
  }

  template <typename Make>
  static std::optional<int64_t> known(std::unordered_map<std::string, int64_t>* ids, std::string_view key, Make make) {
    const auto [place, is_new] = ids->try_emplace(std::string(key), 0);
    if (!is_new) return place->second;
    const std::optional<int64_t> id = make(place->first);
    if (id) place->second = *id;
    return id;
  }

  static SystemFacts facts_of(const Statement& from) {
    SystemFacts facts;
    facts.device = from.text(kDevice);
    facts.isa = from.text(kIsa);
    facts.cores = static_cast<int>(from.integer(kCores));
    facts.memory_bytes = static_cast<uint64_t>(from.integer(kMemoryBytes));
    facts.cache_bytes = static_cast<uint64_t>(from.integer(kCacheBytes));
    facts.driver = from.text(kDriver);
    facts.clocks = from.text(kClocks);
    facts.host_hash = from.text(kHostHash);
    return facts;
  }

  bool is_there(const MeasurementParents& parents, const Measurement& row) {
    is_there_.reset();
    is_there_.bind_integer(1, parents.problem).bind_integer(2, parents.system).bind_integer(3, row.threads);
    is_there_.bind_integer(4, row.started_at).bind_text(5, row.cold ? "cold" : "hot").bind_text(6, row.backend);
    is_there_.bind_text(7, row.implementation).bind_text(8, name_of(row.numerics)).bind_text(9, row.math_mode);
    is_there_.bind_text(10, row.layout).bind_text(11, row.dtype);
    is_there_.bind_text(12, row.library).bind_text(13, row.library_version);
    return is_there_.next();
  }

  Connection& to_;
  ParentRows parents_;
  Statement is_there_;
  Statement insert_;
  std::unordered_map<std::string, int64_t> problems_;
  std::unordered_map<std::string, int64_t> systems_;
  std::unordered_map<std::string, int64_t> libraries_;
  uint64_t rows_ = 0;
};

}  // namespace

Status Database::merge(const std::string& path, uint64_t* rows) {
  *rows = 0;
  if (connection_ == nullptr || !connection_->can_write()) {
    return {"cannot write " + path_ + " (opened for reading)", "", 5};
  }
  if (is_same_file(path, path_)) return {"cannot merge " + path + " (it is the database itself)", "", 3};
  struct stat about;
  if (::stat(path.c_str(), &about) != 0) return {"cannot read " + path + " (" + std::strerror(errno) + ")", "", 3};
  std::unique_ptr<Connection> other;
  if (Status status = Connection::open_for_reading(path, &other); !status.ok()) return status;
  if (other == nullptr) return {"cannot read " + path + " (empty)", "", 3};

  Transaction transaction(*connection_);
  if (!transaction.is_open()) return connection_->write_error();
  other->renew_steps(/*of_whole_file=*/true);
  Statement from = other->prepare("SELECT " + std::string(kMeasurementColumns).append(kRowsOfOther));
  Merger merger(*connection_);
  while (from.next()) {
    if (!merger.take(from)) return connection_->write_error(merger.failure());
  }
  if (from.failure() != 0) return other->read_error(from.failure());
  if (!transaction.commit()) return connection_->write_error();
  *rows = merger.rows();
  return Status();
}

}  // namespace xsp::bound
