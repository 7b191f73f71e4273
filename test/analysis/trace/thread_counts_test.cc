#include <cmath>
#include <limits>

#include "analysis/trace/loader.h"
#include "test/analysis/support/loaded_bytes.h"
#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

TEST_CASE("the processors of a header arrive, and numbers that are none are not known") {
  TraceBuilder builder;
  auto* told = builder.message().mutable_packet(0)->mutable_header()->mutable_processors();
  told->set_online(64);
  told->set_allowed(4);
  told->set_cores(2);
  told->set_quota(1.5);
  told->set_runnable(7);
  told->set_load(3.25);
  builder.add_process(10);
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  REQUIRE(trace.segments.size() == 1);
  CHECK(trace.segments[0].processors ==
        wire::Processors{.online = 64, .allowed = 4, .cores = 2, .quota = 1.5, .runnable = 7, .load = 3.25});
  told->set_quota(-std::numeric_limits<double>::infinity());
  told->set_load(std::nan(""));
  analysis::Trace odd;
  REQUIRE(load(builder.bytes(), &odd).ok());
  CHECK(odd.segments[0].processors->quota == 0);
  CHECK(odd.segments[0].processors->load == 0);
  builder.message().mutable_packet(0)->mutable_header()->clear_processors();
  analysis::Trace without;
  REQUIRE(load(builder.bytes(), &without).ok());
  CHECK_FALSE(without.segments[0].processors);
}

TEST_CASE("the processors of a recording in parts are those of the part that is read first") {
  TraceBuilder first;
  first.describe_part(1);
  first.message().mutable_packet(0)->mutable_header()->mutable_processors()->set_allowed(4);
  first.add_process(10);
  TraceBuilder second = first.next_part(100);
  second.message().mutable_packet(0)->mutable_header()->mutable_processors()->set_allowed(4);
  analysis::Trace trace;
  analysis::OpenRecordings recordings;
  for (const std::string& bytes : {second.bytes(), first.bytes()}) {
    analysis::MemorySource source(bytes);
    REQUIRE(analysis::load_trace(source, "part.pb", &recordings, &trace).ok());
  }
  REQUIRE(trace.segments.size() == 1);
  CHECK(trace.segments[0].processors->allowed == 4);
}

TEST_CASE("what packets tell of threads adds up, and of what is known the last holds") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  auto* first = builder.packet(1)->mutable_thread_counts();
  first->set_cores(8);
  first->set_own(4);
  first->set_sessions(2);
  first->set_sessions_intra(3);
  first->add_call()->set_span(5);
  auto* change = first->add_switch_();
  change->set_from(1);
  change->set_to(4);
  change->set_cost_ns(25);
  change->set_n(9);
  auto* second = builder.packet(1)->mutable_thread_counts();
  second->set_own(6);
  second->set_sessions(1);
  second->set_ended(ThreadCounts::HARMFUL);
  auto* call = second->add_call();
  call->set_ring(2);
  call->set_span(7);
  call->set_threads(3);
  call->set_setting(ThreadCounts::ADVISED);
  call->set_block(4);
  call->set_runnable(11);
  call->set_waited_ns(12);
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.files[0].corrupt_packets == 0);
  const auto of = [&](uint32_t pid) {
    for (const auto& process : trace.processes) {
      if (process.pid == pid) return process.thread_counts;
    }
    return std::optional<analysis::ThreadCounts>();
  };
  CHECK_FALSE(of(11));
  const auto told = of(10);
  REQUIRE(told);
  CHECK(told->totals == wire::ThreadCounts{.cores = 8,
                                           .own = 6,
                                           .ended = static_cast<uint32_t>(wire::ThreadCountsEnded::kHarmful),
                                           .sessions_intra = 3,
                                           .sessions = 3});
  REQUIRE(told->calls.size() == 2);
  CHECK(told->calls[0].span == 5);
  CHECK(told->calls[1] == wire::ThreadCount{.ring = 2,
                                            .span = 7,
                                            .threads = 3,
                                            .setting = static_cast<uint32_t>(wire::ThreadCountsSetting::kAdvised),
                                            .block = 4,
                                            .runnable = 11,
                                            .waited_ns = 12});
  REQUIRE(told->switches.size() == 1);
  CHECK(told->switches[0] == wire::ThreadSwitch{.from = 1, .to = 4, .cost_ns = 25, .n = 9});
}

TEST_CASE("of what packets tell of threads nothing is taken that makes no sense, and no more than may be") {
  TraceBuilder builder;
  builder.add_process(10);
  auto* counts = builder.packet(1)->mutable_thread_counts();
  counts->set_ended(static_cast<ThreadCounts::Ended>(4711));
  counts->set_sessions(UINT32_MAX);
  counts->add_call()->set_threads(9);  // of no span
  auto* call = counts->add_call();
  call->set_span(UINT32_MAX);
  call->set_setting(static_cast<ThreadCounts::Setting>(4711));
  for (int i = 0; i < 10'000; ++i) {
    auto* change = counts->add_switch_();
    change->set_from(1);
    change->set_to(i == 0 ? 0 : 2);
  }
  builder.packet(1)->mutable_thread_counts()->set_sessions(7);
  analysis::Trace trace;
  REQUIRE(load(builder.bytes(), &trace).ok());
  CHECK(trace.files[0].corrupt_packets == 0);
  for (const auto& process : trace.processes) {
    if (process.pid != 10) continue;
    REQUIRE(process.thread_counts);
    CHECK(process.thread_counts->totals.ended == 0);
    CHECK(process.thread_counts->totals.sessions == UINT32_MAX);
    REQUIRE(process.thread_counts->calls.size() == 1);
    CHECK(process.thread_counts->calls[0].setting == 0);
    CHECK(process.thread_counts->switches.size() == 4096);
  }
}

}  // namespace
}  // namespace xsp::test
