#include "analysis/trace/circumstance_packets.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/trace/packet_fields.h"

namespace xsp::analysis {

using packet::clamp_time;

namespace {

/// Of a process. A guest tells of 64 at most.
constexpr size_t kMostUsedLibraries = 256;
/// Of a process. A guest measures fewer numbers of threads than a machine has processors, each with its neighbours.
constexpr size_t kMostSwitches = 4096;

/// The last number that is known holds.
void take_known(uint32_t number, uint32_t* held) {
  if (number != 0) *held = number;
}

/// Empty for what is no UUID, and for the null UUID.
std::string uuid_text(std::string_view text) {
  constexpr size_t kBytes = 16;
  if (text.size() != kBytes || text.find_first_not_of('\0') == std::string_view::npos) return {};
  std::string uuid = "GPU";
  for (size_t i = 0; i < kBytes; ++i) {
    const bool begins_group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    uuid += fmt::format("{}{:02x}", begins_group ? "-" : "", static_cast<unsigned char>(text[i]));
  }
  return uuid;
}

}  // namespace

bool read_loss(std::string_view encoded, Process* process) {
  const auto loss = packet::read<wire::Loss>(encoded);
  // Totals grow: of parts of a recording that come in any order the latest holds.
  Loss& known = process->losses[loss.reason < process->losses.size() ? loss.reason : 0];
  if (loss.count >= known.count) known = {.count = loss.count, .detail = std::string(loss.detail)};
  return true;
}

bool read_notice(std::string_view encoded, uint32_t process, std::vector<Notice>* notices) {
  const auto notice = packet::read<wire::Notice>(encoded);
  notices->push_back({.process = process,
                      .severity = static_cast<int>(notice.severity & 0xff),
                      .component = std::string(notice.component),
                      .text = std::string(notice.text)});
  return true;
}

bool read_unintercepted(std::string_view encoded, uint32_t process, std::vector<Unintercepted>* libraries) {
  const auto library = packet::read<wire::Unintercepted>(encoded);
  const bool known = library.reason < wire::kUninterceptedReasonCount;
  libraries->push_back(
      {.process = process,
       .reason = known ? static_cast<UninterceptedReason>(library.reason) : UninterceptedReason::kUnspecified,
       .library = std::string(library.library),
       .file = std::string(library.file),
       .user = std::string(library.user),
       .detail = std::string(library.detail)});
  return true;
}

bool read_used_library(std::string_view encoded, uint32_t process, std::vector<UsedLibrary>* libraries) {
  const auto read = packet::read<wire::UsedLibrary>(encoded);
  UsedLibrary used{.process = process, .library = std::string(read.library), .file = std::string(read.file)};
  size_t of_process = 0;
  for (const UsedLibrary& known : *libraries) {
    if (known == used) return true;
    of_process += known.process == process ? 1 : 0;
  }
  if (of_process < kMostUsedLibraries) libraries->push_back(std::move(used));
  return true;
}

bool read_gap(std::string_view encoded, uint32_t process, GapNumbers* numbers, std::vector<Gap>* gaps) {
  const auto read = packet::read<wire::Gap>(encoded);
  if (read.level >= kLevelCount) return false;
  const bool known_reason = read.reason < wire::kGapReasonCount;
  Gap gap{.process = process,
          .reason = known_reason ? static_cast<GapReason>(read.reason) : GapReason::kUnspecified,
          .level = static_cast<Level>(read.level),
          .begin = clamp_time(read.begin_ns),
          .end = clamp_time(read.end_ns),
          .detail = std::string(read.detail)};
  if (gap.end != 0 && gap.end < gap.begin) return false;
  const auto [found, added] = numbers->try_emplace({gap.reason, gap.level, gap.begin}, gaps->size());
  if (added) {
    gaps->push_back(std::move(gap));
  } else if (Gap& known = (*gaps)[found->second]; gap.end != 0 || known.end == 0) {
    known = std::move(gap);
  }
  return true;
}

bool read_device(std::string_view encoded, uint32_t process, DeviceNumbers* numbers, std::vector<Device>* devices) {
  const auto read = packet::read<wire::Device>(encoded);
  Device device{.process = process,
                .index = read.index,
                .name = std::string(read.name),
                .uuid = uuid_text(read.uuid),
                .compute_capability_major = read.compute_capability_major,
                .compute_capability_minor = read.compute_capability_minor,
                .multiprocessors = read.multiprocessors,
                .memory_bytes = read.memory_bytes,
                .clock_khz = read.clock_khz,
                .memory_clock_khz = read.memory_clock_khz,
                .memory_bus_bits = read.memory_bus_bits,
                .driver_version = read.driver_version,
                .cupti_version = read.cupti_version,
                .l2_cache_bytes = read.l2_cache_bytes,
                .memory_bandwidth = read.memory_bandwidth,
                .chip = std::string(read.chip)};
  const auto [found, added] = numbers->try_emplace(device.index, devices->size());
  if (added) {
    devices->push_back(std::move(device));
  } else {
    (*devices)[found->second] = std::move(device);
  }
  return true;
}

bool read_sampling(std::string_view encoded, Process* process) {
  const auto sampling = packet::read<wire::Sampling>(encoded);
  if (sampling.recorded > sampling.seen) return false;
  // Totals grow: of parts of a recording that come in any order the latest holds.
  if (!process->sampling || sampling.seen >= process->sampling->seen) process->sampling = sampling;
  return true;
}

bool read_overhead(std::string_view encoded, Process* process) {
  const auto overhead = packet::read<wire::Overhead>(encoded);
  if (!process->overhead || overhead.wall_ns >= process->overhead->wall_ns) process->overhead = overhead;
  return true;
}

bool read_thread_counts(std::string_view encoded, Process* process) {
  if (!process->thread_counts) process->thread_counts.emplace();
  ThreadCounts& counts = *process->thread_counts;
  wire::ThreadCounts read;
  packet::read(encoded, &read, [&](uint32_t field, std::string_view bytes) {
    if (field == wire::ThreadCounts::kSwitch) {
      const auto change = packet::read<wire::ThreadSwitch>(bytes);
      const bool is_known = change.from != 0 && change.to != 0;
      if (is_known && counts.switches.size() < kMostSwitches) counts.switches.push_back(change);
      return true;
    }
    auto call = packet::read<wire::ThreadCount>(bytes);
    if (call.setting >= wire::kThreadCountsSettingCount) call.setting = 0;
    if (call.span != 0) counts.calls.push_back(call);
    return true;
  });
  if (read.ended >= wire::kThreadCountsEndedCount) read.ended = 0;
  take_known(read.cores, &counts.totals.cores);
  take_known(read.own, &counts.totals.own);
  take_known(read.ended, &counts.totals.ended);
  take_known(read.sessions_intra, &counts.totals.sessions_intra);
  take_known(read.sessions_inter, &counts.totals.sessions_inter);
  counts.totals.sessions += std::min(read.sessions, UINT32_MAX - counts.totals.sessions);
  return true;
}

}  // namespace xsp::analysis
