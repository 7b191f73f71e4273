#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_pieces.h"
#include "base/status.h"
#include "import/frame/json_document.h"
#include "import/frame/profile_input.h"
#include "import/frame/profile_timeline.h"

namespace xsp {

/// One event of a profile in the trace event format of Chrome's tracing, as frameworks write it by hand.
struct TraceEvent {
  std::string phase;
  std::string category;
  std::string name;
  std::optional<int64_t> process;
  std::optional<uint64_t> thread;
  std::optional<int64_t> begin_ns;
  std::optional<int64_t> duration_ns;
  nlohmann::json args;  // an object

  /// End of an event with a begin and a duration, which is never negative.
  int64_t end_ns() const { return *begin_ns + *duration_ns; }
};

/// Parses one event; false if it is not a JSON object. What is missing, of another type or absurdly large is left out.
/// Numbers may be quoted. Bytes that are not UTF-8 are replaced.
bool read_trace_event(std::string_view text, TraceEvent* event);

/// Parses a document; `discarded` if it is invalid. Bytes that are not UTF-8 are replaced.
nlohmann::json parse_json(std::string_view text);
/// An integer that may be quoted.
std::optional<int64_t> integer_of(const nlohmann::json& value);
/// The member of an object if it is text, else empty.
std::string_view text_of(const nlohmann::json& object, std::string_view key);
/// The member of an object as an integer, which may be quoted.
std::optional<int64_t> integer_of(const nlohmann::json& object, std::string_view key);

/// The events of a document: the elements of the arrays at `paths` (JsonPieces).
class TraceEvents {
 public:
  TraceEvents(ProfileInput& input, const std::vector<std::string>& paths) : input_(input), pieces_(input, paths) {}

  /// Advances to the next event that can be parsed; false at the end.
  bool next(TraceEvent* event);
  /// Advances to the next event that `read` accepts; false at the end. Those it rejects count as damaged.
  bool next_taken(const std::function<bool(std::string_view text)>& read);

  /// Adds what was damaged to the notes. An error, which names the position, if nothing was `usable`.
  Status finish(bool usable, std::string_view format, ProfileTimeline* timeline) const;

 private:
  ProfileInput& input_;
  JsonPieces pieces_;
  JsonPieces::Piece last_ = JsonPieces::Piece::kValue;
  uint64_t damaged_ = 0;
  uint64_t first_damaged_ = 0;  // byte offset
};

/// Small numbers for thread ids that are hashes, in order of first use.
class ThreadNumbers {
 public:
  uint32_t of(uint64_t id) {
    return numbers_.try_emplace(id, static_cast<uint32_t>(numbers_.size()) + 1).first->second;
  }

 private:
  std::map<uint64_t, uint32_t> numbers_;
};

}  // namespace xsp
