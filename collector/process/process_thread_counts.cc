#include "collector/process/process_thread_counts.h"

#include <string_view>
#include <vector>

#include "collector/messages/guest_messages.h"
#include "collector/messages/peer_limits.h"
#include "proto/packet_writer.h"

namespace xsp {
namespace {

struct ReadCounts {
  wire::ThreadCounts totals;
  std::vector<wire::ThreadCount> calls;
  std::vector<wire::ThreadSwitch> switches;
};

template <typename Message>
Message nested(std::string_view encoded) {
  Message message;
  wire::read(encoded, &message);
  return message;
}

/// Whether no limit is exceeded.
bool read_counts(std::string_view encoded, ReadCounts* counts) {
  const bool is_within = wire::read(encoded, &counts->totals, [&](uint32_t field, std::string_view bytes) {
    if (field == wire::ThreadCounts::kSwitch) {
      if (counts->switches.size() == kMaxThreadSwitches) return false;
      const auto change = nested<wire::ThreadSwitch>(bytes);
      if (change.from != 0 && change.to != 0) counts->switches.push_back(change);
      return true;
    }
    if (counts->calls.size() == kMaxThreadCounts) return false;
    auto call = nested<wire::ThreadCount>(bytes);
    if (call.setting >= wire::kThreadCountsSettingCount) call.setting = 0;
    // It could not be found again.
    if (call.span != 0) counts->calls.push_back(call);
    return true;
  });
  if (counts->totals.ended >= wire::kThreadCountsEndedCount) counts->totals.ended = 0;
  return is_within;
}

}  // namespace

Status ProcessThreadCounts::receive(protozero::data_view bytes) {
  ReadCounts counts;
  if (!read_counts(view_of(bytes), &counts)) return Status{"numbers of threads of too many calls at once"};
  const size_t capacity = wire::capacity(counts.totals) +
                          counts.calls.size() * (16 + wire::capacity(wire::ThreadCount())) +
                          counts.switches.size() * (16 + wire::capacity(wire::ThreadSwitch()));
  context_.writer.write(context_.number, Body::kThreadCounts, capacity, [&](WireWriter& body) {
    const auto write_calls = [&] {
      for (const wire::ThreadCount& call : counts.calls) write_nested(body, wire::ThreadCounts::kCall, call);
    };
    const auto write_switches = [&] {
      for (const wire::ThreadSwitch& change : counts.switches) write_nested(body, wire::ThreadCounts::kSwitch, change);
    };
    wire::write(body, counts.totals, write_calls, write_switches);
  });
  return Status();
}

}  // namespace xsp
