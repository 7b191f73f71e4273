#include "analysis/trace/circumstance_packets.h"

#include <fmt/format.h>

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {

using packet::bytes;
using packet::clamp_time;
using packet::fields;
using packet::number;

namespace {

/// Of a process. A guest tells of 64 at most.
constexpr size_t kMostUsedLibraries = 256;

}  // namespace

bool read_loss(std::string_view encoded, Process* process) {
  auto reader = fields(encoded);
  uint32_t reason = 0;
  Loss loss;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        reason = reader.get_uint32();
        break;
      case number(2):
        loss.count = reader.get_uint64();
        break;
      case bytes(3):
        loss.detail = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  if (reason >= process->losses.size()) reason = 0;
  // Totals grow: of parts of a recording that come in any order the latest holds.
  Loss& known = process->losses[reason];
  if (loss.count >= known.count) known = std::move(loss);
  return true;
}

bool read_notice(std::string_view encoded, uint32_t process, std::vector<Notice>* notices) {
  auto reader = fields(encoded);
  Notice notice{.process = process};
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        notice.severity = static_cast<int>(reader.get_uint32() & 0xff);
        break;
      case bytes(2):
        notice.component = reader.get_string();
        break;
      case bytes(3):
        notice.text = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  notices->push_back(std::move(notice));
  return true;
}

bool read_unintercepted(std::string_view encoded, uint32_t process, std::vector<Unintercepted>* libraries) {
  auto reader = fields(encoded);
  Unintercepted library{.process = process};
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1): {
        const uint32_t reason = reader.get_uint32();
        const bool known = reason <= static_cast<uint32_t>(UninterceptedReason::kNoHook);
        library.reason = known ? static_cast<UninterceptedReason>(reason) : UninterceptedReason::kUnspecified;
        break;
      }
      case bytes(2):
        library.library = reader.get_string();
        break;
      case bytes(3):
        library.file = reader.get_string();
        break;
      case bytes(4):
        library.user = reader.get_string();
        break;
      case bytes(5):
        library.detail = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  libraries->push_back(std::move(library));
  return true;
}

bool read_used_library(std::string_view encoded, uint32_t process, std::vector<UsedLibrary>* libraries) {
  auto reader = fields(encoded);
  UsedLibrary used{.process = process};
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case bytes(1):
        used.library = reader.get_string();
        break;
      case bytes(2):
        used.file = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  size_t of_process = 0;
  for (const UsedLibrary& known : *libraries) {
    if (known == used) return true;
    of_process += known.process == process ? 1 : 0;
  }
  if (of_process < kMostUsedLibraries) libraries->push_back(std::move(used));
  return true;
}

bool read_gap(std::string_view encoded, uint32_t process, GapNumbers* numbers, std::vector<Gap>* gaps) {
  auto reader = fields(encoded);
  Gap gap{.process = process};
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1): {
        const uint32_t reason = reader.get_uint32();
        const bool known = reason <= static_cast<uint32_t>(GapReason::kCuptiFailed);
        gap.reason = known ? static_cast<GapReason>(reason) : GapReason::kUnspecified;
        break;
      }
      case number(2): {
        const uint32_t level = reader.get_uint32();
        if (level >= kLevelCount) return false;
        gap.level = static_cast<Level>(level);
        break;
      }
      case number(3):
        gap.begin = clamp_time(reader.get_uint64());
        break;
      case number(4):
        gap.end = clamp_time(reader.get_uint64());
        break;
      case bytes(5):
        gap.detail = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  if (gap.end != 0 && gap.end < gap.begin) return false;
  const auto [found, added] = numbers->try_emplace({gap.reason, gap.level, gap.begin}, gaps->size());
  if (added) {
    gaps->push_back(std::move(gap));
  } else if (Gap& known = (*gaps)[found->second]; gap.end != 0 || known.end == 0) {
    known = std::move(gap);
  }
  return true;
}

/// Empty for what is no UUID, and for that of none.
std::string uuid_text(protozero::data_view bytes) {
  constexpr size_t kBytes = 16;
  const std::string_view text(bytes.data(), bytes.size());
  if (text.size() != kBytes || text.find_first_not_of('\0') == std::string_view::npos) return {};
  std::string uuid = "GPU";
  for (size_t i = 0; i < kBytes; ++i) {
    const bool begins_group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    uuid += fmt::format("{}{:02x}", begins_group ? "-" : "", static_cast<unsigned char>(text[i]));
  }
  return uuid;
}

bool read_device(std::string_view encoded, uint32_t process, DeviceNumbers* numbers, std::vector<Device>* devices) {
  auto reader = fields(encoded);
  Device device{.process = process};
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case number(1):
        device.index = reader.get_uint32();
        break;
      case bytes(2):
        device.name = reader.get_string();
        break;
      case bytes(3):
        device.uuid = uuid_text(reader.get_view());
        break;
      case number(4):
        device.compute_capability_major = reader.get_uint32();
        break;
      case number(5):
        device.compute_capability_minor = reader.get_uint32();
        break;
      case number(6):
        device.multiprocessors = reader.get_uint32();
        break;
      case number(7):
        device.memory_bytes = reader.get_uint64();
        break;
      case number(8):
        device.clock_khz = reader.get_uint32();
        break;
      case number(9):
        device.memory_clock_khz = reader.get_uint32();
        break;
      case number(10):
        device.memory_bus_bits = reader.get_uint32();
        break;
      case number(11):
        device.driver_version = reader.get_uint32();
        break;
      case number(12):
        device.cupti_version = reader.get_uint32();
        break;
      case number(13):
        device.l2_cache_bytes = reader.get_uint64();
        break;
      case number(14):
        device.memory_bandwidth = reader.get_uint64();
        break;
      case bytes(15):
        device.chip = reader.get_string();
        break;
      default:
        reader.skip();
    }
  }
  const auto [found, added] = numbers->try_emplace(device.index, devices->size());
  if (added) {
    devices->push_back(std::move(device));
  } else {
    (*devices)[found->second] = std::move(device);
  }
  return true;
}

}  // namespace xsp::analysis
