/// Parts of a recording, each read as any libprotobuf program would.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <sys/resource.h>

#include "base/monotonic_clock.h"
#include "collector/recording/part_sequence.h"
#include "collector/server/peer.h"
#include "test/catch.h"
#include "test/collector/fake_guest.h"
#include "test/collector/peer_bench.h"
#include "test/temporary_folder.h"

namespace xsp::test {
namespace {

/// A collector without its loop that writes parts.
struct PartBench {
  explicit PartBench(uint64_t max_bytes = 1 << 20) {
    const auto write_header = [](TraceWriter& to, const RecordingPart& part) {
      to.write(0, Body::kHeader, 200, [&](WireWriter& header) { part.write(header); });
    };
    REQUIRE(parts.open({folder.path(), false, max_bytes, 3600'000'000'000}, write_header).ok());
    writer = std::make_unique<TraceWriter>(parts.file());
    recording = std::make_unique<Recording>(*writer);
    recording->divide(parts);
    recording->storage.limit(0, 0, monotonic_ns());
    parts.begin(*writer, monotonic_ns());
  }
  std::unique_ptr<Peer> connect(FakeGuest& guest) {
    auto peer = std::make_unique<Peer>(-1, *recording, processes);
    receive(*peer, guest.hello(), {guest.memory_fd()});
    return peer;
  }
  static void receive(Peer& peer, const std::string& bytes, std::vector<int> fds = {}) {
    REQUIRE(peer.receive(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), std::move(fds)) ==
            Peer::State::kOpen);
  }
  static void end(Peer& peer) {
    peer.disconnect();
    while (peer.process()->work()) {
    }
  }
  void rotate() {
    parts.ask_for_end();
    recording->rotate_if_due(monotonic_ns());
  }
  std::vector<Trace> finish() {
    writer->flush();
    REQUIRE(parts.publish().ok());
    std::vector<Trace> traces;
    for (uint32_t i = 1; i <= parts.folder().last_index(); ++i) {
      char name[32];
      std::snprintf(name, sizeof name, "%06u.pb", i);
      if (std::filesystem::exists(folder / name)) traces.push_back(parse_trace(read_file(folder / name)));
    }
    return traces;
  }

  TemporaryFolder folder;
  PartSequence parts;
  std::unique_ptr<TraceWriter> writer;
  std::unique_ptr<Recording> recording;
  uint32_t processes = 0;
};

uint64_t count_spans(const std::vector<Trace>& traces) {
  uint64_t spans = 0;
  for (const Trace& trace : traces) spans += read_spans(trace).size();
  return spans;
}

std::set<std::string> names_of(const std::vector<ReadSpan>& spans) {
  std::set<std::string> names;
  for (const auto& span : spans) names.insert(span.name);
  return names;
}

TEST_CASE("a name that was sent in the first part is there in all later ones, however old") {
  PartBench bench;
  FakeGuest guest;
  auto peer = bench.connect(guest);
  const uint32_t first = guest.intern("first");
  for (int part = 0; part < 5; ++part) {
    guest.intern("later " + std::to_string(part));
    guest.add_span(0, 100, 200, first);
    bench.receive(*peer, guest.strings() + guest.batch(0));
    bench.rotate();
  }
  guest.add_span(0, 100, 200, first);
  bench.end(*peer);
  const auto traces = bench.finish();
  REQUIRE(traces.size() == 6);
  uint32_t index = 0;
  for (const Trace& trace : traces) {
    const auto& header = trace.packet(0).header();
    CHECK(header.part().index() == ++index);
    CHECK(header.part().recording() == traces[0].packet(0).header().part().recording());
    CHECK(header.part().recording().size() == 16);
    const auto spans = read_spans(trace);
    REQUIRE(spans.size() == 1);
    CHECK(spans[0].name == "first");
    CHECK(spans[0].process == 1);
  }
}

TEST_CASE("what is held for its batch over the end of a part comes once, in the next one") {
  PartBench bench;
  FakeGuest guest;
  auto peer = bench.connect(guest);
  const uint32_t name = guest.intern("call");
  const uint32_t layout = guest.intern("m:i4");
  const uint32_t key = guest.intern("key");
  guest.add_call(0, 100, 200, name, layout, std::string("\1\0\0\0", 4));
  guest.add_tag(0, 5, key, name);
  const std::string whole = guest.strings() + guest.batch(0);
  // The batch's packet is the last: the arguments and the tag before it are in, and wait.
  size_t last = 0;
  for (size_t at = 0; at < whole.size();) {
    last = at++;
    size_t length = 0;
    for (int shift = 0;; shift += 7) {
      length |= (static_cast<size_t>(whole[at]) & 0x7f) << shift;
      if ((whole[at++] & 0x80) == 0) break;
    }
    at += length;
  }
  bench.receive(*peer, whole.substr(0, last));
  guest.add_span(1, 100, 200, name);
  bench.receive(*peer, guest.batch(1));
  bench.rotate();
  bench.receive(*peer, whole.substr(last));
  bench.rotate();
  bench.end(*peer);
  const auto traces = bench.finish();
  REQUIRE(traces.size() >= 2);
  std::vector<size_t> arguments;
  std::vector<int> tags;
  size_t spans = 0;
  for (const Trace& trace : traces) {
    arguments.push_back(read_arguments(trace).size());
    spans += read_spans(trace).size();
    int seen = 0;
    for (const auto& packet : trace.packet()) seen += packet.tags().span_size();
    tags.push_back(seen);
  }
  CHECK(arguments[0] == 0);
  CHECK(arguments[1] == 1);
  CHECK(tags[0] == 0);
  CHECK(tags[1] == 1);
  CHECK(spans == 2);
}

TEST_CASE("each part says anew what is known of a process that lives") {
  PartBench bench;
  FakeGuest guest;
  auto peer = bench.connect(guest);
  bench.receive(*peer, with([](Packet& packet) {
    packet.mutable_device()->set_name("a device");
    packet.mutable_device()->set_uuid("u");
  }));
  const auto gap = [](uint64_t begin, uint64_t end) {
    return with([&](Packet& packet) {
      packet.mutable_gap()->set_reason(Gap::OUTSIDE_RANGE);
      packet.mutable_gap()->set_begin_ns(begin);
      packet.mutable_gap()->set_end_ns(end);
    });
  };
  bench.receive(*peer, gap(10, 0) + gap(10, 20) + gap(30, 0));
  bench.receive(*peer, with([](Packet& packet) {
    packet.mutable_unintercepted()->set_library("onednn");
    packet.mutable_unintercepted()->set_reason(Unintercepted::STATIC);
  }));
  bench.receive(*peer, with([](Packet& packet) { packet.mutable_used_library()->set_file("/lib/libblas.so.3"); }));
  bench.receive(*peer, with([](Packet& packet) {
    packet.mutable_loss()->set_reason(Loss::RING_FULL);
    packet.mutable_loss()->set_count(7);
  }));
  bench.receive(*peer, with([](Packet& packet) {
    packet.mutable_sampling()->set_every(4);
    packet.mutable_sampling()->set_seen(100);
    packet.mutable_sampling()->set_recorded(25);
    packet.mutable_sampling()->set_is_adaptive(true);
  }));
  bench.receive(*peer, with([](Packet& packet) { packet.mutable_overhead()->set_hooks_ns(99); }));
  bench.rotate();
  bench.end(*peer);
  const auto traces = bench.finish();
  REQUIRE(traces.size() == 2);
  int seen = 0;
  for (const auto& packet : traces[1].packet()) {
    if (packet.has_hello()) {
      CHECK(packet.process() == 1);
      CHECK(packet.hello().environment().at("RANK") == "3");
      seen |= 1;
    }
    if (packet.has_device()) seen |= packet.device().name() == "a device" ? 2 : 64;
    if (packet.has_gap()) seen |= packet.gap().begin_ns() == 30 && packet.gap().end_ns() == 0 ? 4 : 64;
    if (packet.has_unintercepted()) seen |= packet.unintercepted().library() == "onednn" ? 8 : 64;
    if (packet.has_loss()) seen |= packet.loss().count() == 7 ? 16 : 64;
    if (packet.has_sampling()) {
      CHECK(packet.sampling().every() == 4);
      CHECK(packet.sampling().seen() == 100);
      CHECK(packet.sampling().recorded() == 25);
      CHECK(packet.sampling().is_adaptive());
      seen |= 32;
    }
    if (packet.has_used_library()) seen |= packet.used_library().file() == "/lib/libblas.so.3" ? 256 : 64;
    if (packet.has_overhead()) seen |= packet.overhead().hooks_ns() == 99 ? 128 : 64;
  }
  CHECK(seen == (1 | 2 | 4 | 8 | 16 | 32 | 128 | 256));
}

TEST_CASE("a process without shared memory cannot be in a recording in parts, and is told so") {
  PartBench bench;
  Peer peer(-1, *bench.recording, bench.processes);
  const std::string bytes = with([](Packet& packet) { packet.mutable_hello()->set_protocol_version(1); });
  CHECK(peer.receive(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) == Peer::State::kGone);
  REQUIRE(bench.recording->summary.notices.size() == 1);
  CHECK(bench.recording->summary.notices[0].text.find("shares no memory") != std::string::npos);
}

TEST_CASE("a ring that is found full at a process's end spreads over parts, and no span is lost or doubled") {
  PartBench bench(1 << 20);
  uint64_t sent = 0;
  for (int process = 0; process < 4; ++process) {
    FakeGuest guest;
    auto peer = bench.connect(guest);
    const uint32_t name = guest.intern("left behind");
    for (uint32_t i = 0; i < shm::kRingRecords; ++i, ++sent) {
      guest.add_span(0, 1000 + i, 2000 + i, name, i);
    }
    bench.end(*peer);
  }
  const uint64_t removed = bench.parts.folder().removed();
  const auto traces = bench.finish();
  CHECK(traces.size() + removed > 3);
  uint64_t stored = 0;
  for (const Trace& trace : traces) {
    const auto spans = read_spans(trace);
    CHECK((spans.empty() || names_of(spans) == std::set<std::string>{"left behind"}));
    stored += spans.size();
  }
  if (removed == 0) CHECK(stored == sent);
  // The counts are of all, whatever was removed.
  uint64_t counted = 0;
  std::set<uint32_t> seen;
  for (const Trace& trace : traces) {
    for (const auto& packet : trace.packet()) {
      if (!packet.has_aggregates()) continue;
      const auto& aggregates = packet.aggregates();
      if (!seen.insert(packet.process()).second && aggregates.is_total()) continue;
      for (const uint64_t spans : aggregates.spans()) counted += spans;
    }
  }
  CHECK(counted == sent);
}

TEST_CASE("a goodbye from the far future stops neither the budget nor the ends of parts") {
  PartBench bench(64 << 20);
  bench.recording->storage.limit(1, 0, monotonic_ns());
  FakeGuest guest;
  auto peer = bench.connect(guest);
  const uint32_t name = guest.intern("left behind");
  guest.add_span(0, 100, 200, name);
  constexpr uint64_t kFuture = uint64_t{1} << 63;
  bench.receive(*peer, with([](Packet& packet) { packet.mutable_process_end()->set_end_ns(kFuture); }));
  bench.end(*peer);
  const uint64_t now = monotonic_ns();
  bench.recording->tick(now + 1'000'000'000);
  CHECK_FALSE(bench.recording->storage.budget().stores(now + 1'000'000'000));
  CHECK(bench.parts.is_due(*bench.writer, now + 3601'000'000'000));
  const auto traces = bench.finish();
  REQUIRE(traces.size() == 1);
  for (const auto& packet : traces[0].packet()) {
    if (packet.has_process_end()) CHECK(packet.process_end().end_ns() <= now);
  }
}

TEST_CASE("a part whose begin takes most of all room still has something of its own") {
  constexpr uint64_t kBytes = 1 << 20;
  PartBench bench(kBytes);
  FakeGuest guest;
  auto peer = bench.connect(guest);
  for (int i = 0; i < 7; ++i) guest.intern(std::string(100'000, static_cast<char>('a' + i)));
  bench.receive(*peer, guest.strings());
  bench.rotate();
  const uint64_t described = bench.writer->file_bytes();
  REQUIRE(described > kBytes / 2);
  uint64_t spans = 0;
  while (!bench.parts.is_due(*bench.writer, monotonic_ns())) {
    for (int i = 0; i < 1000; ++i) guest.add_span(0, 1000 * ++spans, uint64_t{1} << 40, 1);
    bench.receive(*peer, guest.batch(0));
  }
  CHECK(bench.writer->file_bytes() - described >= kBytes / 16);
}

TEST_CASE("what the disk lost is told as a total in each part, and once in the summary") {
  PartBench bench(1 << 20);
  FakeGuest guest({.arena_bytes = 4 << 20});
  auto peer = bench.connect(guest);
  for (int i = 0; i < 20; ++i) {
    guest.intern(std::string(100'000, static_cast<char>('a' + i)));
    bench.receive(*peer, guest.strings());
  }
  FakeGuest late;  // its spans come when the disk is full
  auto late_peer = bench.connect(late);
  constexpr uint64_t kSpans = 20;
  for (uint64_t i = 0; i < kSpans; ++i) late.add_span(0, 1000 * i, 1000 * i + 100, late.intern("late"));
  bench.receive(*late_peer, late.strings() + late.batch(0));
  bench.end(*late_peer);
  for (const uint64_t later_ns : {0, 1, 2}) {
    bench.writer->flush();
    REQUIRE(bench.writer->failed());
    bench.recording->rotate_if_due(monotonic_ns() + later_ns * 11'000'000'000);
  }
  const uint64_t told = bench.parts.told_lost_spans();
  CHECK(bench.recording->summary.losses[Loss::DISK_FULL] == told);
  uint64_t last = 0;
  const auto traces = bench.finish();
  for (const auto& packet : traces.back().packet()) {
    if (packet.loss().reason() == Loss::DISK_FULL) last = packet.loss().count();
  }
  CHECK(last == told);
  CHECK(told == kSpans - count_spans(traces));
  CHECK(told > 0);
}

TEST_CASE("tags that are found at a process's end stand in the part of their spans") {
  PartBench bench(1 << 20);
  FakeGuest guest;
  auto peer = bench.connect(guest);
  const uint32_t name = guest.intern("tagged");
  for (uint32_t i = 0; i < 8000; ++i) {
    const auto id = static_cast<uint32_t>(guest.ring(0).head + 2);  // of the record behind the tag
    guest.add_tag(0, id, name, name);
    REQUIRE(guest.add_span(0, uint64_t{1} << i % 60, uint64_t{1} << 60, name, i) == id);
  }
  bench.end(*peer);
  const auto traces = bench.finish();
  CHECK(traces.size() > 1);
  size_t tags = 0;
  for (const Trace& trace : traces) {
    std::set<uint32_t> stored;
    for (const auto& span : read_spans(trace)) stored.insert(span.id);
    for (const auto& packet : trace.packet()) {
      for (const uint32_t span : packet.tags().span()) tags += stored.count(span);
    }
  }
  CHECK(tags == 8000);
}

TEST_CASE("arguments and tags of a span that is not stored are not either") {
  MemoryFile file;
  TraceWriter writer(file);
  Recording recording(writer);
  const uint64_t long_ago = monotonic_ns() - 1'000'000'000;
  recording.storage.limit(1, 0, long_ago);
  uint32_t processes = 0;
  Peer peer(-1, recording, processes);
  FakeGuest guest;
  PartBench::receive(peer, guest.hello(), {guest.memory_fd()});
  const uint32_t name = guest.intern("call");
  const uint32_t layout = guest.intern("m:i4");
  guest.add_call(0, long_ago, long_ago + 1, name, layout, std::string("\1\0\0\0", 4));
  const uint64_t now = monotonic_ns();
  guest.add_call(0, now, now + 1, name, layout, std::string("\2\0\0\0", 4));
  PartBench::receive(peer, guest.strings() + guest.batch(0));
  PartBench::end(peer);
  writer.flush();
  const Trace trace = parse_trace(file.bytes);
  const auto spans = read_spans(trace);
  const auto arguments = read_arguments(trace);
  REQUIRE(spans.size() == 1);
  REQUIRE(arguments.size() == 1);
  CHECK(arguments[0].span == spans[0].id);
  CHECK(arguments[0].values == std::string("\1\0\0\0", 4));
  CHECK(trace.packet(trace.packet_size() - 1).process_end().spans() == 2);
  CHECK(trace.packet(trace.packet_size() - 1).process_end().not_stored() == 1);
}

TEST_CASE("a process of another user has none of its files opened") {
  PartBench bench;
  FakeGuest guest;
  ProcessDescription hello;
  hello.is_foreign = true;
  hello.user = 4242;
  TemporaryFolder theirs;
  write_file(theirs / "profile.json", "[]");
  ProcessTrace process(*bench.recording, 1, hello, nullptr);
  ProfileFile profile;
  profile.set_format(ProfileFile::ORT_JSON);
  profile.set_path(theirs / "profile.json");
  profile.set_complete(true);
  const std::string bytes = profile.SerializeAsString();
  REQUIRE(process.receive(Body::kProfileFile, {bytes.data(), bytes.size()}).ok());
  process.end(EndHow::kGoodbye, "");
  while (process.work()) {
  }
  CHECK(std::filesystem::exists(theirs / "profile.json"));
  const auto traces = bench.finish();
  bool told = false;
  for (const auto& packet : traces[0].packet()) {
    if (packet.has_hello()) CHECK(packet.hello().user() == 4242);
    told |= packet.notice().text().find("of another user") != std::string::npos;
  }
  CHECK(told);
}

TEST_CASE("a disk that stays full gets no part for each try, and the recording goes on when there is room") {
  constexpr uint64_t kTry = 11'000'000'000;
  PartBench bench;
  FakeGuest guest;
  auto peer = bench.connect(guest);
  const uint32_t name = guest.intern(std::string(2000, 'n'));
  guest.add_span(0, 100, 200, name);
  bench.receive(*peer, guest.strings() + guest.batch(0));
  rlimit room{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &room) == 0);
  const rlimit full{300, room.rlim_max};  // for a header, and not for what is needed to read a part alone
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
  bench.writer->flush();
  const uint64_t now = monotonic_ns();
  for (uint64_t i = 0; i < 6; ++i) bench.recording->rotate_if_due(now + i * kTry);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &room) == 0);
  ::signal(SIGXFSZ, handler);
  const auto entries = std::filesystem::directory_iterator(bench.folder.path());
  CHECK(std::distance(begin(entries), end(entries)) <= 2);
  bench.recording->rotate_if_due(now + 6 * kTry);
  CHECK_FALSE(bench.writer->failed());
  guest.add_span(0, 300, 400, name);
  bench.receive(*peer, guest.batch(0));
  bench.end(*peer);
  const auto traces = bench.finish();
  const auto spans = read_spans(traces.back());
  REQUIRE_FALSE(spans.empty());
  CHECK(spans.back().name == std::string(2000, 'n'));
  // The first span waited for room, and is in the part that the disk cut short.
  REQUIRE(traces.size() == 2);
  CHECK(std::ranges::any_of(traces[0].packet(), [](const Packet& packet) { return packet.has_spans(); }));
  CHECK(bench.parts.told_lost_spans() == 0);
}

/// A disk on which nothing can be written, for as long as it lives.
class FullDisk {
 public:
  FullDisk() : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &room_) == 0);
    const rlimit full{0, room_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &room_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit room_{};
  sighandler_t handler_;
};

/// A recording whose last part begins on a full disk, and that is closed when there is room or not.
std::string last_part_closed(PartBench& bench, bool has_room) {
  FakeGuest guest;
  auto peer = bench.connect(guest);
  guest.add_span(0, 100, 200, guest.intern("first"));
  bench.receive(*peer, guest.strings() + guest.batch(0));
  bench.writer->flush();
  std::optional<FullDisk> full(std::in_place);
  bench.rotate();
  REQUIRE(bench.writer->failed());
  guest.add_span(0, 300, 400, guest.intern("first"));
  bench.receive(*peer, guest.batch(0));
  bench.writer->flush();
  if (has_room) full.reset();
  bench.end(*peer);
  bench.parts.begin_again_to_close(*bench.recording, monotonic_ns());
  bench.writer->reopen_for_closing();
  bench.writer->write(0, wire::TraceEnd{.why = "the disk was full"});
  bench.finish();
  return bench.folder / "000002.pb";
}

TEST_CASE("a part that began on a full disk is closed behind its header") {
  PartBench bench;
  const Trace trace = parse_trace(read_file(last_part_closed(bench, true)));
  REQUIRE(trace.packet_size() > 2);
  CHECK(trace.packet(0).header().part().index() == 2);
  const auto& end = trace.packet(trace.packet_size() - 1);
  CHECK(end.trace_end().why() == "the disk was full");
  CHECK_FALSE(end.trace_end().complete());
  const uint64_t lost = bench.parts.told_lost_spans();
  CHECK(lost == 2);  // as last_part_closed() recorded
  CHECK(read_spans(trace).empty());
  CHECK(bench.recording->summary.losses[Loss::DISK_FULL] == lost);
}

TEST_CASE("a part that could not begin before the recording ended stays as an empty file, and is no part") {
  PartBench bench;
  const std::string path = last_part_closed(bench, false);
  REQUIRE(std::filesystem::exists(path));
  CHECK(std::filesystem::file_size(path) == 0);
  CHECK(bench.parts.folder().parts() == 1);
}

}  // namespace
}  // namespace xsp::test
