#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xsp {

/// Reads the messages of an XSpace (tsl/profiler/protobuf/xplane.proto), the profile of XLA: planes (a host, a device)
/// have lines (a thread, a stream), lines have events. Names of events and of their values are stored separately in
/// their plane. Refers to the bytes of the file. Truncated parts are read as far as they go.

/// A value of an event, of its metadata or of a plane.
struct XStat {
  std::string_view name;
  std::string_view text;           // the text, or the text that it refers to
  std::optional<int64_t> integer;  // signed or unsigned
  std::optional<double> floating;
};

struct XEvent {
  std::string_view name;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::vector<XStat> stats;  // its own, then those of its metadata

  const XStat* find(std::string_view stat) const;
  std::string_view text(std::string_view stat) const;
  std::optional<int64_t> integer(std::string_view stat) const;
};

struct XLine {
  int64_t id = 0;
  std::string_view name;
  std::string_view bytes;
};

class XPlane {
 public:
  /// False if the plane is damaged or cut off.
  bool read(std::string_view bytes);

  std::string_view name() const { return name_; }
  const std::vector<XStat>& stats() const { return stats_; }
  std::optional<int64_t> integer(std::string_view stat) const;
  std::string_view text(std::string_view stat) const;
  const std::vector<XLine>& lines() const { return lines_; }

  /// Passes on the events of a line, valid during the call. Counts in `*damaged` those that cannot be read, and in
  /// `*aggregated` those that sum up several occurrences and have no time.
  void read_events(const XLine& line, const std::function<void(const XEvent&)>& event, uint64_t* damaged,
                   uint64_t* aggregated) const;

 private:
  struct EventMetadata {
    std::string_view name;
    std::vector<std::string_view> stats;
  };

  bool read_event_metadata(std::string_view entry);
  void read_stat_metadata(std::string_view entry);
  bool read_line(std::string_view bytes);
  XStat read_stat(std::string_view bytes) const;

  std::string_view name_;
  std::vector<XStat> stats_;
  std::vector<XLine> lines_;
  std::unordered_map<int64_t, EventMetadata> events_;
  std::unordered_map<int64_t, std::string_view> stat_names_;
};

}  // namespace xsp
