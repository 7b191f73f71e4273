#include <algorithm>
#include <climits>

#include "bound/database/connection.h"
#include "bound/database/database.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kSystems =
    "SELECT s.id, s.key, count(m.id), count(DISTINCT m.problem), max(m.started_at) FROM system s "
    "LEFT JOIN measurement m ON m.system = s.id GROUP BY s.id ORDER BY s.id";
constexpr std::string_view kLibraries =
    "SELECT DISTINCT m.system, l.name, l.version FROM measurement m JOIN library l ON l.id = m.library ORDER BY 1, 2, "
    "3";
constexpr std::string_view kThreads = "SELECT DISTINCT system, threads FROM measurement ORDER BY 1, 2";

struct NumberedSystem {
  int64_t id = 0;
  Database::System system;
};

Database::System* system_of(std::vector<NumberedSystem>* systems, int64_t id) {
  const auto found = std::lower_bound(systems->begin(), systems->end(), id,
                                      [](const NumberedSystem& system, int64_t wanted) { return system.id < wanted; });
  return found != systems->end() && found->id == id ? &found->system : nullptr;
}

}  // namespace

std::vector<Database::System> Database::systems() const {
  std::vector<System> systems;
  if (connection_ == nullptr) return systems;
  std::vector<NumberedSystem> numbered;
  connection_->renew_steps(/*of_whole_file=*/true);
  Statement all = connection_->prepare(kSystems);
  while (all.next()) {
    NumberedSystem& next = numbered.emplace_back();
    next.id = all.integer(0);
    next.system.key = all.text(1);
    next.system.measurements = static_cast<uint64_t>(all.integer(2));
    next.system.problems = static_cast<uint64_t>(all.integer(3));
    next.system.newest = all.integer(4);
  }
  connection_->renew_steps();
  Statement libraries = connection_->prepare(kLibraries);
  while (libraries.next()) {
    System* const system = system_of(&numbered, libraries.integer(0));
    if (system != nullptr) {
      system->libraries.push_back(std::string(libraries.text(1)) + " " + std::string(libraries.text(2)));
    }
  }
  connection_->renew_steps();
  Statement threads = connection_->prepare(kThreads);
  while (threads.next()) {
    System* const system = system_of(&numbered, threads.integer(0));
    const int64_t count = threads.integer(1);
    if (system != nullptr && count > 0 && count <= INT_MAX) system->threads.push_back(static_cast<int>(count));
  }
  for (const Statement* const statement : {&all, &libraries, &threads}) {
    if (statement->failure() != 0) note_failure(statement->failure());
  }
  for (NumberedSystem& next : numbered) systems.push_back(std::move(next.system));
  std::stable_sort(systems.begin(), systems.end(),
                   [](const System& a, const System& b) { return a.newest > b.newest; });
  return systems;
}

}  // namespace xsp::bound
