#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/seeded_hash.h"
#include "import/frame/profile_timeline.h"
#include "import/frame/string_pool.h"
#include "import/nsight_systems/database.h"

namespace xsp::nsight_systems {

/// A process of the export: the common part of its serialized ids.
struct ExportedProcess {
  ImportedProcess* imported;
  uint64_t key;                 // a serialized id without its thread
  std::vector<uint32_t> texts;  // its text ids by those of Export::strings, 0: not yet interned
  std::set<uint32_t> devices;   // that executed something for it
};

struct ExportedThread {
  ExportedProcess* process = nullptr;
  uint32_t index = 0;
};

/// A range of 146 years either way is enough for any clock, and leaves room for differences.
inline constexpr int64_t kMaxTime = int64_t{1} << 62;

/// Times of a row in ns.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

/// What the readers of the tables share: the timeline they fill, and the ids of an export.
///
/// Serialized ids ("globalTid", "globalPid") hold the hardware and VM, 24 bits of process id and 24 of thread id, as
/// described in "Serialized Process and Thread Identifiers" in NVIDIA's guide to the export.
class Export {
 public:
  Export(Database& database, ProfileTimeline* timeline) : database_(database), timeline_(*timeline) {}
  Status read_strings();

  Database& database() { return database_; }
  ProfileTimeline& timeline() { return timeline_; }

  static uint32_t pid_of(int64_t serialized) { return static_cast<uint32_t>(serialized >> 24) & 0xFFFFFF; }
  static uint32_t tid_of(int64_t serialized) { return static_cast<uint32_t>(serialized) & 0xFFFFFF; }

  /// The process of a column of serialized ids, created on first use. For a row that names none: the only one so far.
  ExportedProcess& process(const Rows& rows, int column);
  ExportedThread thread(const Rows& rows, int column);
  /// The processes that have events.
  std::deque<ExportedProcess>& processes() { return processes_; }

  /// The text of an id of StringIds; empty for none.
  std::string_view string(const Rows& rows, int column) const;
  /// The same as an id of the process. An id missing from StringIds gives "unknown", with a note.
  uint32_t name(ExportedProcess& process, const Rows& rows, int column);

  /// False, with a note, for a row without usable times: missing, not collected (0), reversed, or beyond any clock.
  bool times(const Rows& rows, int begin, int end, std::string_view what, Interval* interval);
  /// CUPTI's correlation id; 0: none.
  uint32_t correlation(const Rows& rows, int column);
  /// Adds what is wrong with the rows to the notes.
  void note(const Rows& rows);

 private:
  uint32_t string_number(const Rows& rows, int column) const;

  Database& database_;
  ProfileTimeline& timeline_;
  StringPool strings_;
  std::unordered_map<int64_t, uint32_t, SeededHash> string_numbers_;  // by id of StringIds
  std::deque<ExportedProcess> processes_;
  std::unordered_map<uint64_t, ExportedProcess*, SeededHash> process_by_key_;
  std::unordered_map<int64_t, ExportedThread, SeededHash> threads_;  // by serialized id
};

}  // namespace xsp::nsight_systems
