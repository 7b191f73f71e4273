#pragma once

/// A recording of CUPTI as test/gpu/programs/cupti_recorder.cc writes it, or as written by hand (doc/recorder.md). An
/// unreadable file ends the process: otherwise a test would pass on nothing.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fake {

struct RecordedActivity {
  uint32_t kind = 0;
  std::vector<uint8_t> bytes;  // as many as lie in the buffer
  std::string name;            // of a kernel
  bool cut = false;            // the end of the buffer cuts it
  bool unknown = false;        // CUPTI's walk stops before it
};

struct Event {
  enum class What { kCallback, kResource, kState, kRequested, kCompleted, kDropped, kSpan };
  What what = What::kCallback;
  uint64_t t = 0;  // ns of the recording's clock
  uint32_t thread = 0;
  // For callbacks; `id` and `result` also for the others.
  int domain = 0;
  uint32_t id = 0;
  bool enter = false;  // a span: it begins
  uint32_t correlation = 0, context = 0;
  int result = 0;
  std::string name, symbol, message;
  bool has_symbol = false;
  // For a graph's node: its id, and the original's. 0: none.
  uint64_t node = 0, original = 0;
  int node_type = 0;
  // For a buffer.
  uint32_t buffer = 0;
  bool in_flush = false;
  uint64_t count = 0;
};

class Recording {
 public:
  explicit Recording(const std::string& path);

  uint32_t version = 130001;
  /// In the order of their times.
  std::vector<Event> events;
  /// The content of a buffer, by its number.
  std::map<uint32_t, std::vector<RecordedActivity>> buffers;
  /// Function names, by domain and callback.
  std::map<std::pair<int, uint32_t>, std::string> names;

  /// CUPTI's clock at a time on the recording's clock.
  uint64_t cupti_clock(uint64_t t) const { return t + static_cast<uint64_t>(offset_at(t)); }

 private:
  int64_t offset_at(uint64_t t) const;
  void read(const std::string& line);

  std::map<uint64_t, int64_t> offsets_;  // CUPTI's clock minus the recording's
  std::map<std::string, std::string> texts_;
};

}  // namespace fake
