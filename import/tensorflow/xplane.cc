#include "import/tensorflow/xplane.h"

#include "base/number_text.h"
#include "import/tensorflow/wire_fields.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

using protozero::pbf_reader;

// Field numbers.
namespace plane {
enum : uint32_t { kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5, kStats = 6 };
}
namespace line {
enum : uint32_t { kId = 1, kName = 2, kTimestampNs = 3, kEvents = 4, kDisplayName = 11 };
}
namespace event {
enum : uint32_t { kMetadata = 1, kOffsetPs = 2, kDurationPs = 3, kStats = 4, kOccurrences = 5 };
}
namespace stat {
enum : uint32_t { kMetadata = 1, kDouble = 2, kUnsigned = 3, kSigned = 4, kText = 5, kBytes = 6, kReference = 7 };
}
namespace entry {
enum : uint32_t { kKey = 1, kValue = 2 };
}
namespace event_metadata {
enum : uint32_t { kName = 2, kStats = 5 };
}
namespace stat_metadata {
enum : uint32_t { kName = 2 };
}

constexpr int64_t kPsPerNs = 1000;

pbf_reader reader_of(std::string_view bytes) { return pbf_reader{bytes.data(), bytes.size()}; }

std::string_view view_of(protozero::data_view view) { return {view.data(), view.size()}; }

const XStat* find_stat(const std::vector<XStat>& stats, std::string_view name) {
  for (const XStat& stat : stats) {
    if (stat.name == name) return &stat;
  }
  return nullptr;
}

/// Reads a map entry: calls `field(value)` at each field of its value. Returns its key.
template <typename Field>
int64_t read_entry(std::string_view entry, Field&& field) {
  int64_t key = 0;
  pbf_reader reader = reader_of(entry);
  while (reader.next()) {
    if (reader.tag() == entry::kKey) {
      key = reader.get_int64();
    } else if (reader.tag() == entry::kValue) {
      pbf_reader value = reader.get_message();
      while (value.next()) field(value);
    } else {
      reader.skip();
    }
  }
  return key;
}

/// What a program attaches to an annotation may be a number or a text.
std::optional<int64_t> integer_of(const XStat* stat) {
  if (stat == nullptr || stat->integer) return stat == nullptr ? std::nullopt : stat->integer;
  return number_in<int64_t>(stat->text);
}

}  // namespace

const XStat* XEvent::find(std::string_view stat) const { return find_stat(stats, stat); }

std::string_view XEvent::text(std::string_view stat) const {
  const XStat* const found = find(stat);
  return found == nullptr ? std::string_view() : found->text;
}

std::optional<int64_t> XEvent::integer(std::string_view stat) const { return integer_of(find(stat)); }

std::optional<int64_t> XPlane::integer(std::string_view stat) const { return integer_of(find_stat(stats_, stat)); }

std::string_view XPlane::text(std::string_view stat) const {
  const XStat* const found = find_stat(stats_, stat);
  return found == nullptr ? std::string_view() : found->text;
}

bool XPlane::read(std::string_view bytes) {
  std::vector<std::string_view> stats;
  bool is_whole = true;
  WireFields fields(bytes);
  try {
    while (fields.next()) {
      if (fields.is_scalar()) continue;
      switch (fields.number()) {
        case plane::kName:
          name_ = fields.payload();
          break;
        case plane::kLines:
          is_whole &= read_line(fields.payload());
          break;
        case plane::kEventMetadata:
          if (!fields.is_damaged()) is_whole &= read_event_metadata(fields.payload());
          break;
        case plane::kStatMetadata:
          if (!fields.is_damaged()) read_stat_metadata(fields.payload());
          break;
        case plane::kStats:
          if (!fields.is_damaged()) stats.push_back(fields.payload());
          break;
        default:
          break;
      }
    }
    for (const std::string_view one : stats) stats_.push_back(read_stat(one));
  } catch (const protozero::exception&) {
    return false;
  }
  return is_whole && !fields.is_damaged();
}

bool XPlane::read_line(std::string_view bytes) {
  XLine line{.bytes = bytes};
  std::string_view display_name;
  WireFields fields(bytes);
  while (fields.next()) {
    if (fields.number() == line::kId && fields.is_scalar()) line.id = static_cast<int64_t>(fields.varint());
    if (fields.number() == line::kName) line.name = fields.payload();
    if (fields.number() == line::kDisplayName) display_name = fields.payload();
  }
  if (line.name.empty()) line.name = display_name;
  lines_.push_back(line);
  return !fields.is_damaged();
}

bool XPlane::read_event_metadata(std::string_view entry) {
  EventMetadata metadata;
  const int64_t key = read_entry(entry, [&](pbf_reader& value) {
    if (value.tag() == event_metadata::kName) {
      metadata.name = view_of(value.get_view());
    } else if (value.tag() == event_metadata::kStats) {
      metadata.stats.push_back(view_of(value.get_view()));
    } else {
      value.skip();
    }
  });
  return events_.try_emplace(key, std::move(metadata)).second;
}

void XPlane::read_stat_metadata(std::string_view entry) {
  std::string_view name;
  const int64_t key = read_entry(entry, [&](pbf_reader& value) {
    if (value.tag() == stat_metadata::kName) {
      name = view_of(value.get_view());
    } else {
      value.skip();
    }
  });
  stat_names_.try_emplace(key, name);
}

XStat XPlane::read_stat(std::string_view bytes) const {
  XStat read;
  const auto name_of = [&](int64_t id) {
    const auto found = stat_names_.find(id);
    return found == stat_names_.end() ? std::string_view() : found->second;
  };
  pbf_reader reader = reader_of(bytes);
  while (reader.next()) {
    switch (reader.tag()) {
      case stat::kMetadata:
        read.name = name_of(reader.get_int64());
        break;
      case stat::kDouble:
        read.floating = reader.get_double();
        break;
      case stat::kUnsigned:
      case stat::kSigned:
        read.integer = reader.get_int64();
        break;
      case stat::kText:
      case stat::kBytes:
        read.text = view_of(reader.get_view());
        break;
      case stat::kReference:
        read.text = name_of(reader.get_int64());
        break;
      default:
        reader.skip();
    }
  }
  return read;
}

void XPlane::read_events(const XLine& line, const std::function<void(const XEvent&)>& event, uint64_t* damaged,
                         uint64_t* aggregated) const {
  int64_t timestamp_ns = 0;
  WireFields header(line.bytes);
  while (header.next()) {
    if (header.number() == line::kTimestampNs && header.is_scalar())
      timestamp_ns = static_cast<int64_t>(header.varint());
  }
  XEvent read;
  WireFields fields(line.bytes);
  while (fields.next()) {
    if (fields.number() != line::kEvents || fields.is_scalar()) continue;
    if (fields.is_damaged()) {
      ++*damaged;
      return;
    }
    read.stats.clear();
    int64_t metadata = 0;
    int64_t offset_ps = 0;
    int64_t duration_ps = 0;
    bool has_time = true;
    try {
      pbf_reader reader = reader_of(fields.payload());
      while (reader.next()) {
        switch (reader.tag()) {
          case event::kMetadata:
            metadata = reader.get_int64();
            break;
          case event::kOffsetPs:
            offset_ps = reader.get_int64();
            break;
          case event::kDurationPs:
            duration_ps = reader.get_int64();
            break;
          case event::kStats:
            read.stats.push_back(read_stat(view_of(reader.get_view())));
            break;
          case event::kOccurrences:
            reader.skip();
            has_time = false;
            break;
          default:
            reader.skip();
        }
      }
      const auto found = events_.find(metadata);
      read.name = found == events_.end() ? std::string_view() : found->second.name;
      if (found != events_.end()) {
        for (const std::string_view stat : found->second.stats) read.stats.push_back(read_stat(stat));
      }
    } catch (const protozero::exception&) {
      ++*damaged;
      continue;
    }
    if (!has_time) {
      ++*aggregated;
      continue;
    }
    int64_t end_ps = 0;
    const bool overflows = __builtin_add_overflow(offset_ps, duration_ps, &end_ps) || duration_ps < 0 ||
                           __builtin_add_overflow(timestamp_ns, offset_ps / kPsPerNs, &read.begin_ns) ||
                           __builtin_add_overflow(timestamp_ns, end_ps / kPsPerNs, &read.end_ns);
    if (overflows || read.name.empty()) {
      ++*damaged;
      continue;
    }
    event(read);
  }
}

}  // namespace xsp
