#pragma once

/// Reads the packets about the circumstances of a recording: what was lost or not seen, on which devices it was made,
/// how a recording that goes on samples, with how many threads calls were computed, and what recording costs. As those
/// of packet_body.h.

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Index of Trace::gaps by (reason, level, begin) of one process: of equal ones the last holds.
using GapNumbers = std::map<std::tuple<GapReason, Level, int64_t>, size_t>;

/// Index of Trace::devices by the device's number in one process, likewise.
using DeviceNumbers = std::map<uint32_t, size_t>;

bool read_loss(std::string_view encoded, Process* process);
bool read_notice(std::string_view encoded, uint32_t process, std::vector<Notice>* notices);
bool read_unintercepted(std::string_view encoded, uint32_t process, std::vector<Unintercepted>* libraries);
/// Each part of a recording repeats them; each is kept once.
bool read_used_library(std::string_view encoded, uint32_t process, std::vector<UsedLibrary>* libraries);
bool read_gap(std::string_view encoded, uint32_t process, GapNumbers* numbers, std::vector<Gap>* gaps);
bool read_device(std::string_view encoded, uint32_t process, DeviceNumbers* numbers, std::vector<Device>* devices);
bool read_sampling(std::string_view encoded, Process* process);
bool read_overhead(std::string_view encoded, Process* process);
/// Packets add up. Calls without a span, and what is not known, are left out.
bool read_thread_counts(std::string_view encoded, Process* process);

}  // namespace xsp::analysis
