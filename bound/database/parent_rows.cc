#include "bound/database/parent_rows.h"

#include <algorithm>

namespace xsp::bound {
namespace {

constexpr std::string_view kNothing = " ON CONFLICT DO NOTHING";
constexpr std::string_view kInsertSystem =
    "INSERT INTO system (key, device, isa, cores, memory_bytes, cache_bytes, driver, clocks, host_hash) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr std::string_view kReplaceSystem =
    " ON CONFLICT (key) DO UPDATE SET device = ?2, isa = ?3, cores = ?4, memory_bytes = ?5, cache_bytes = ?6, "
    "driver = ?7, clocks = ?8, host_hash = ?9 "
    "WHERE (device, isa, cores, memory_bytes, cache_bytes, driver, clocks, host_hash) "
    "IS NOT (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
constexpr std::string_view kInsertProblem = "INSERT INTO problem (key, operator, flops, bytes) VALUES (?1, ?2, ?3, ?4)";
constexpr std::string_view kReplaceProblem =
    " ON CONFLICT (key) DO UPDATE SET flops = ?3, bytes = ?4 WHERE (flops, bytes) IS NOT (?3, ?4)";

std::string insertion(std::string_view insert, std::string_view replace, ParentRows::Known known) {
  return std::string(insert).append(known == ParentRows::Known::kReplaced ? replace : kNothing);
}

int64_t stored_size(uint64_t bytes) { return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)); }

}  // namespace

ParentRows::ParentRows(Connection& connection, Known known)
    : insert_system_(connection.prepare(insertion(kInsertSystem, kReplaceSystem, known))),
      select_system_(connection.prepare("SELECT id FROM system WHERE key = ?1")),
      insert_library_(
          connection.prepare("INSERT INTO library (name, version, build) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")),
      select_library_(connection.prepare("SELECT id FROM library WHERE name = ?1 AND version = ?2 AND build = ?3")),
      insert_problem_(connection.prepare(insertion(kInsertProblem, kReplaceProblem, known))),
      select_problem_(connection.prepare("SELECT id FROM problem WHERE key = ?1")) {}

std::optional<int64_t> ParentRows::id_of(Statement& insert, Statement& select) {
  std::optional<int64_t> id;
  if (insert.run() && select.next()) id = select.integer(0);
  if (!id) failure_ = insert.failure() != 0 ? insert.failure() : select.failure();
  insert.reset();
  select.reset();
  return id;
}

std::optional<int64_t> ParentRows::system(std::string_view key, const SystemFacts& facts) {
  insert_system_.bind_text(1, key).bind_text(2, facts.device).bind_text(3, facts.isa).bind_integer(4, facts.cores);
  insert_system_.bind_integer(5, stored_size(facts.memory_bytes)).bind_integer(6, stored_size(facts.cache_bytes));
  insert_system_.bind_text(7, facts.driver).bind_text(8, facts.clocks).bind_text(9, facts.host_hash);
  select_system_.bind_text(1, key);
  return id_of(insert_system_, select_system_);
}

std::optional<int64_t> ParentRows::library(std::string_view name, std::string_view version, std::string_view build) {
  for (Statement* const statement : {&insert_library_, &select_library_}) {
    statement->bind_text(1, name).bind_text(2, version).bind_text(3, build);
  }
  return id_of(insert_library_, select_library_);
}

std::optional<int64_t> ParentRows::problem(std::string_view key, double flops, double bytes) {
  insert_problem_.bind_text(1, key).bind_text(2, key.substr(0, key.find(' '))).bind_real(3, flops).bind_real(4, bytes);
  select_problem_.bind_text(1, key);
  return id_of(insert_problem_, select_problem_);
}

}  // namespace xsp::bound
