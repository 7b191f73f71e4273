#include "test/collector/fake_guest.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/catch.h"

namespace xsp::test {

namespace {

/// As the column of correlation ids has it: 1 + zigzag of the difference to `last`, which becomes `id`.
uint64_t distance(uint64_t id, uint64_t& last) {
  if (id == 0) return 0;
  const auto delta = static_cast<int64_t>(id - last);
  last = id;
  return (static_cast<uint64_t>(delta) << 1 ^ static_cast<uint64_t>(delta >> 63)) + 1;
}

uint64_t from_distance(uint64_t value, uint64_t& last) {
  if (value == 0) return 0;
  --value;
  last += value >> 1 ^ (~(value & 1) + 1);
  return last;
}

}  // namespace

std::string framed(const Packet& packet) {
  Trace trace;
  *trace.add_packet() = packet;
  return trace.SerializeAsString();
}

FakeGuest::FakeGuest() : FakeGuest(Setup{}) {}

FakeGuest::FakeGuest(const Setup& setup) : setup_(setup) {
  size_ = shm::total_bytes(setup.rings, setup.overflows, setup.arena_bytes);
  fd_ = ::memfd_create("xsp-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  REQUIRE(fd_ >= 0);
  REQUIRE(::ftruncate(fd_, static_cast<off_t>(size_)) == 0);
  memory_ = static_cast<char*>(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
  REQUIRE(memory_ != MAP_FAILED);
  if (setup.sealed) REQUIRE(::fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
  header().magic = shm::kMagic;
  header().layout_version = shm::kLayoutVersion;
  header().pid = setup.pid;
  header().total_bytes = size_;
  header().arena_offset = shm::overflow_offset(setup.rings, setup.overflows);
  header().overflow_count = setup.overflows;
  header().arena_bytes = setup.arena_bytes;
  header().ring_capacity = setup.rings;
  header().clock = setup.clock;
}

FakeGuest::~FakeGuest() {
  ::munmap(memory_, size_);
  ::close(fd_);
}

int FakeGuest::memory_fd() const { return ::fcntl(fd_, F_DUPFD_CLOEXEC, 0); }

shm::RingHeader& FakeGuest::ring(uint32_t index) {
  return *reinterpret_cast<shm::RingHeader*>(memory_ + shm::kRingsOffset + index * shm::kRingStride);
}

shm::Record& FakeGuest::record(uint32_t index, uint64_t sequence) {
  const uint32_t memory = shm::placement_of(ring(index), sequence).memory;
  char* first = memory == 0 ? reinterpret_cast<char*>(&ring(index)) + shm::kPage
                            : memory_ + shm::overflow_offset(setup_.rings, memory - 1);
  return reinterpret_cast<shm::Record*>(first)[sequence % shm::records_in(memory)];
}

void FakeGuest::begin_stretch(uint32_t index, uint32_t memory) {
  shm::RingHeader& of = ring(index);
  shm::Stretch& stretch = of.stretches[of.stretch_count.load() % shm::kStretches];
  stretch.begin = of.head.load();
  stretch.memory = memory;
  ++of.stretch_count;
}

uint32_t FakeGuest::intern(const std::string& text) {
  interned_.push_back(text);
  const uint64_t at = header().arena_committed.load();
  char* entry = memory_ + header().arena_offset + at;
  const shm::ArenaEntry head{static_cast<uint32_t>(text.size()), 0};
  REQUIRE(at + sizeof head + text.size() + 8 <= header().arena_bytes);
  std::memcpy(entry, &head, sizeof head);
  std::memcpy(entry + sizeof head, text.data(), text.size());
  header().arena_committed = at + sizeof head + ((text.size() + 7) & ~size_t{7});
  return ++header().string_count;
}

uint32_t FakeGuest::add_span(uint32_t index, uint64_t begin, uint64_t end, uint32_t name, uint32_t parent,
                             Level level) {
  const uint64_t sequence = ring(index).head.load();
  if (header().rings_used <= index) header().rings_used = index + 1;
  ring(index).thread = ring(index).sent_thread = 100 + index;
  ring(index).state = static_cast<uint32_t>(shm::RingState::kActive);
  shm::Record& to = record(index, sequence);
  to = {};
  to.begin = begin;
  to.end = end;
  to.id = static_cast<uint32_t>(sequence + 1);
  to.parent = parent;
  to.name = name;
  to.record_type = static_cast<uint8_t>(shm::RecordType::kSpan);
  to.level = static_cast<uint8_t>(level);
  to.kind = KIND_TORCH_MODULE;
  to.sequence = static_cast<uint32_t>(sequence + 1);
  ring(index).head = sequence + 1;
  return to.id;
}

void FakeGuest::add_tag(uint32_t index, uint32_t span, uint32_t key, uint32_t value) {
  add_span(index, 0, key, 0, value);
  shm::Record& to = record(index, ring(index).head - 1);
  to.id = span;
  to.record_type = static_cast<uint8_t>(shm::RecordType::kTag);
}

void FakeGuest::add_argument_part(uint32_t index, uint32_t span, uint32_t layout, uint8_t part,
                                  const std::string& values) {
  add_span(index, 0, 0, 0);
  auto& to = reinterpret_cast<shm::ArgumentRecord&>(record(index, ring(index).head - 1));
  const uint32_t sequence = to.sequence;
  to = {};
  to.span = span;
  to.layout = layout;
  to.record_type = static_cast<uint8_t>(shm::RecordType::kArguments);
  to.part = part;
  to.length = static_cast<uint8_t>(values.size());
  std::memcpy(to.values, values.data(), std::min(values.size(), sizeof to.values));
  to.sequence = sequence;
}

uint32_t FakeGuest::add_call(uint32_t index, uint64_t begin, uint64_t end, uint32_t name, uint32_t layout,
                             const std::string& values) {
  const size_t parts = (values.size() + shm::kArgumentBytes - 1) / shm::kArgumentBytes;
  const auto id = static_cast<uint32_t>(ring(index).head + parts + 1);
  for (size_t part = 0; part < parts; ++part) {
    add_argument_part(index, id, layout, static_cast<uint8_t>(part),
                      values.substr(part * shm::kArgumentBytes, shm::kArgumentBytes));
  }
  REQUIRE(add_span(index, begin, end, name, 0, LEVEL_LIBRARY) == id);
  return id;
}

uint32_t FakeGuest::add_launch(uint32_t index, uint64_t begin, uint64_t end, uint32_t name, uint32_t correlation) {
  const uint32_t id = add_span(index, begin, end, name, 0, LEVEL_RUNTIME);
  record(index, ring(index).head - 1).kind = KIND_RUNTIME_CALL;
  record(index, ring(index).head - 1).correlation = correlation;
  return id;
}

void FakeGuest::add_activity(uint32_t index, const shm::ActivityRecord& activity) {
  add_span(index, 0, 0, 0);
  auto& to = reinterpret_cast<shm::ActivityRecord&>(record(index, ring(index).head - 1));
  const uint32_t sequence = to.sequence;
  to = activity;
  to.record_type = static_cast<uint8_t>(shm::RecordType::kActivity);
  to.sequence = sequence;
}

void FakeGuest::add_graph_node(uint32_t index, uint64_t node, uint64_t original, uint32_t span) {
  add_span(index, 0, 0, 0);
  auto& to = reinterpret_cast<shm::GraphNodeRecord&>(record(index, ring(index).head - 1));
  const uint32_t sequence = to.sequence;
  to = {};
  to.node = node;
  to.original = original;
  to.span = span;
  to.record_type = static_cast<uint8_t>(shm::RecordType::kGraphNode);
  to.sequence = sequence;
}

void FakeGuest::add_owner(uint32_t index, uint32_t thread) {
  add_span(index, 0, 0, 0);
  shm::Record& to = record(index, ring(index).head - 1);
  to.id = thread;
  to.record_type = static_cast<uint8_t>(shm::RecordType::kOwner);
}

void FakeGuest::push_open(uint32_t index, uint64_t begin, uint32_t id, uint32_t name) {
  if (header().rings_used <= index) header().rings_used = index + 1;
  ring(index).thread = ring(index).sent_thread = 100 + index;
  shm::OpenSpan& slot = ring(index).open[ring(index).depth++];
  slot.begin = begin;
  slot.name = name;
  slot.level = LEVEL_LAYER;
  slot.kind = KIND_TORCH_MODULE;
  slot.id = id;
}

std::string FakeGuest::hello() {
  Packet packet;
  auto& hello = *packet.mutable_hello();
  hello.set_protocol_version(1);
  hello.set_pid(setup_.pid);
  hello.set_executable("/bin/guest");
  hello.add_command("guest");
  hello.set_clock(setup_.clock);
  hello.set_shared_memory_bytes(size_);
  (*hello.mutable_environment())["RANK"] = "3";
  return framed(packet);
}

std::string FakeGuest::strings() {
  if (strings_sent_ == interned_.size()) return {};
  Packet packet;
  auto& strings = *packet.mutable_strings();
  strings.set_first_id(static_cast<uint32_t>(strings_sent_ + 1));
  for (; strings_sent_ < interned_.size(); ++strings_sent_) strings.add_text(interned_[strings_sent_]);
  return framed(packet);
}

std::string FakeGuest::batch(uint32_t index, uint32_t limit) {
  Packet tags_packet;
  Packet arguments_packet;
  Packet packet;
  auto& tags = *tags_packet.mutable_tags();
  auto& arguments = *arguments_packet.mutable_arguments();
  Packet nodes_packet;
  auto& spans = *packet.mutable_spans();
  auto& nodes = *nodes_packet.mutable_graph_nodes();
  nodes.set_ring(index);
  uint64_t correlation = 0;
  const uint64_t first = ring(index).sent;
  uint64_t last = first;
  while (last < std::min(ring(index).head.load(), first + limit) &&
         record(index, last).record_type != static_cast<uint8_t>(shm::RecordType::kActivity)) {
    ++last;
  }
  if (first == last) return {};
  tags.set_thread(ring(index).thread);
  tags.set_ring(index);
  arguments.set_thread(ring(index).thread);
  arguments.set_ring(index);
  uint32_t argument_span = 0;
  spans.set_thread(ring(index).thread);
  spans.set_ring(index);
  spans.set_first_record(first);
  spans.set_record_count(static_cast<uint32_t>(last - first));
  spans.set_clock(setup_.clock);
  uint64_t begin = 0;
  uint32_t id = 0;
  for (uint64_t sequence = first; sequence < last; ++sequence) {
    const shm::Record& from = record(index, sequence);
    if (from.record_type == static_cast<uint8_t>(shm::RecordType::kTag)) {
      tags.add_span(from.id);
      tags.add_key(static_cast<uint32_t>(from.end));
      tags.add_value(from.parent);
      continue;
    }
    if (from.record_type == static_cast<uint8_t>(shm::RecordType::kArguments)) {
      const auto& part = reinterpret_cast<const shm::ArgumentRecord&>(from);
      arguments.mutable_values()->append(reinterpret_cast<const char*>(part.values), part.length);
      if (part.part != 0) {
        const int open = arguments.length_size() - 1;
        arguments.set_length(open, arguments.length(open) + part.length);
        continue;
      }
      const auto difference = static_cast<int32_t>(part.span - argument_span);
      argument_span = part.span;
      arguments.add_span(static_cast<uint32_t>(difference) << 1 ^ static_cast<uint32_t>(difference >> 31));
      arguments.add_layout(part.layout);
      arguments.add_length(part.length);
      continue;
    }
    if (from.record_type == static_cast<uint8_t>(shm::RecordType::kOwner)) continue;
    if (from.record_type == static_cast<uint8_t>(shm::RecordType::kGraphNode)) {
      const auto& made = reinterpret_cast<const shm::GraphNodeRecord&>(from);
      nodes.add_node(made.node);
      nodes.add_original(made.original);
      nodes.add_span(made.span);
      continue;
    }
    spans.add_begin(static_cast<int64_t>(from.begin - begin));
    spans.add_duration(from.end - from.begin);
    const auto delta = static_cast<int32_t>(from.id - id);
    spans.add_id(static_cast<uint32_t>(delta) << 1 ^ static_cast<uint32_t>(delta >> 31));
    spans.add_parent(from.parent == 0 ? 0 : from.id - from.parent);
    spans.add_level_kind(from.level | static_cast<uint32_t>(from.kind) << 3);
    spans.add_name(from.name);
    spans.add_correlation(distance(from.correlation, correlation));
    begin = from.begin;
    id = from.id;
  }
  spans.set_count(static_cast<uint32_t>(spans.begin_size()));
  ring(index).sent = last;
  std::string bytes;
  if (tags.span_size() > 0) bytes = framed(tags_packet);
  if (arguments.span_size() > 0) bytes += framed(arguments_packet);
  if (nodes.node_size() > 0) bytes += framed(nodes_packet);
  bytes += framed(packet);
  return bytes;
}

std::string FakeGuest::activities(uint32_t index, uint32_t limit) {
  Packet packet;
  auto& batch = *packet.mutable_activities();
  const uint64_t first = ring(index).sent;
  const uint64_t head = std::min(ring(index).head.load(), first + limit);
  uint64_t last = first;
  uint64_t begin = 0;
  uint64_t correlation = 0;
  uint64_t node = 0;
  uint64_t launch = 0;
  for (; last < head; ++last) {
    const auto& from = reinterpret_cast<const shm::ActivityRecord&>(record(index, last));
    if (from.record_type != static_cast<uint8_t>(shm::RecordType::kActivity)) break;
    const bool is_interval = from.kind == KIND_STREAM_INTERVAL;
    const bool is_call = from.kind == KIND_RUNTIME_CALL || from.kind == KIND_DRIVER_CALL;
    const Clock clock = is_interval ? setup_.clock : CLOCK_CUPTI;
    if (last > first && clock != batch.clock()) break;
    batch.set_clock(clock);
    auto& queue = *batch.add_queue();
    queue.set_device(from.device);
    queue.set_context(is_call ? 0 : from.context);
    queue.set_stream(from.stream);
    batch.add_queue_index(static_cast<uint32_t>(last - first));
    batch.add_begin(static_cast<int64_t>(from.begin - begin));
    begin = from.begin;
    batch.add_duration(from.end - from.begin);
    batch.add_level_kind((is_call ? LEVEL_RUNTIME : LEVEL_DEVICE) | static_cast<uint32_t>(from.kind) << 3);
    batch.add_name(from.name);
    batch.add_configuration(from.configuration);
    batch.add_bytes(from.bytes);
    batch.add_correlation(distance(is_interval ? 0 : from.correlation, correlation));
    batch.add_graph_node(distance(is_interval ? 0 : from.graph_node, node));
    batch.add_graph(from.graph);
    batch.add_thread(is_call ? from.context : 0);
    batch.add_failed((from.flags & shm::kFlagFailed) != 0 ? 1 : 0);
    batch.add_launch_ring(is_interval ? from.correlation + 1 : 0);
    batch.add_launch(distance(is_interval ? from.graph_node : 0, launch));
  }
  if (first == last) return {};
  batch.set_ring(index);
  batch.set_first_record(first);
  batch.set_record_count(static_cast<uint32_t>(last - first));
  batch.set_count(static_cast<uint32_t>(last - first));
  ring(index).sent = last;
  return framed(packet);
}

std::string FakeGuest::cupti_reading(uint64_t ticks, uint64_t ns) {
  Packet packet;
  packet.mutable_clock()->set_clock(CLOCK_CUPTI);
  packet.mutable_clock()->set_ticks(ticks);
  packet.mutable_clock()->set_monotonic_ns(ns);
  return framed(packet);
}

std::string FakeGuest::clock_reading(uint64_t ticks, uint64_t ns) {
  Packet packet;
  packet.mutable_clock()->set_clock(setup_.clock);
  packet.mutable_clock()->set_ticks(ticks);
  packet.mutable_clock()->set_monotonic_ns(ns);
  return framed(packet);
}

std::string FakeGuest::goodbye() {
  header().goodbye = 1;
  Packet packet;
  packet.mutable_process_end()->set_how(ProcessEnd::GOODBYE);
  packet.mutable_process_end()->set_guest_cpu_ns(77);
  return framed(packet);
}

Trace parse_trace(const std::string& bytes) {
  Trace trace;
  REQUIRE(trace.ParseFromString(bytes));
  return trace;
}

std::vector<ReadArguments> read_arguments(const Trace& trace) {
  std::vector<ReadArguments> all;
  std::map<std::pair<uint32_t, uint32_t>, std::string> strings;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> ended;
  for (const Packet& packet : trace.packet()) {
    uint32_t string_id = packet.strings().first_id();
    for (const auto& text : packet.strings().text()) strings[{packet.process(), string_id++}] = text;
    uint32_t id = 0;
    for (const uint32_t coded : packet.spans().id()) {
      id += static_cast<uint32_t>(static_cast<int32_t>(coded >> 1) ^ -static_cast<int32_t>(coded & 1));
      ended.emplace(packet.process(), packet.spans().ring(), id);
    }
    const ArgumentBatch& batch = packet.arguments();
    REQUIRE(batch.layout_size() == batch.span_size());
    REQUIRE(batch.length_size() == batch.span_size());
    uint32_t span = 0;
    size_t at = 0;
    for (int i = 0; i < batch.span_size(); ++i) {
      const uint32_t coded = batch.span(i);
      span += static_cast<uint32_t>(static_cast<int32_t>(coded >> 1) ^ -static_cast<int32_t>(coded & 1));
      REQUIRE(strings.count({packet.process(), batch.layout(i)}) == 1);
      REQUIRE(ended.count({packet.process(), batch.ring(), span}) == 0);
      REQUIRE(at + batch.length(i) <= batch.values().size());
      all.push_back({packet.process(), batch.ring(), span, strings[{packet.process(), batch.layout(i)}],
                     batch.values().substr(at, batch.length(i))});
      at += batch.length(i);
    }
    REQUIRE(at == batch.values().size());
  }
  return all;
}

std::vector<ReadSpan> read_spans(const Trace& trace) {
  std::vector<ReadSpan> spans;
  std::map<uint32_t, uint64_t> sequences;
  std::map<std::pair<uint32_t, uint32_t>, std::string> strings;
  for (const Packet& packet : trace.packet()) {
    const uint32_t process = packet.process();
    REQUIRE(packet.sequence() == ++sequences[process]);
    if (packet.has_strings()) {
      uint32_t id = packet.strings().first_id();
      for (const auto& text : packet.strings().text()) {
        REQUIRE(strings.emplace(std::make_pair(process, id++), text).second);
      }
    }
    if (!packet.has_spans()) continue;
    const SpanBatch& batch = packet.spans();
    REQUIRE(batch.clock() == CLOCK_MONOTONIC_NS);
    const auto count = static_cast<int>(batch.count());
    REQUIRE(batch.begin_size() == count);
    REQUIRE(batch.duration_size() == count);
    uint64_t begin = 0;
    uint32_t id = 0;
    uint64_t correlation = 0;
    for (int i = 0; i < count; ++i) {
      const auto at = [&](const auto& column) { return column.empty() ? 0 : column.Get(i); };
      const auto string_at = [&](const auto& column) -> std::string {
        const uint32_t string = at(column);
        if (string == 0) return {};
        REQUIRE(strings.count({process, string}) == 1);
        return strings[{process, string}];
      };
      ReadSpan span;
      begin += static_cast<uint64_t>(batch.begin(i));
      span.process = process;
      span.thread = batch.thread();
      span.ring = batch.ring();
      span.begin = begin;
      span.end = begin + batch.duration(i);
      const uint32_t coded = at(batch.id());
      id += static_cast<uint32_t>(static_cast<int32_t>(coded >> 1) ^ -static_cast<int32_t>(coded & 1));
      span.id = id;
      const uint32_t parent = at(batch.parent());
      span.parent = parent == 0 ? 0 : id - parent;
      span.level = at(batch.level_kind()) & 7;
      span.kind = at(batch.level_kind()) >> 3;
      span.bytes = at(batch.bytes());
      span.has_bytes = batch.has_bytes() || at(batch.bytes_known()) != 0;
      span.correlation = static_cast<uint32_t>(from_distance(at(batch.correlation()), correlation));
      span.failed = at(batch.failed()) != 0;
      span.name = string_at(batch.name());
      span.type = string_at(batch.type());
      span.shape = string_at(batch.shape());
      span.scope = string_at(batch.scope());
      spans.push_back(span);
    }
  }
  return spans;
}

std::vector<ReadExecution> read_executions(const Trace& trace) {
  std::vector<ReadExecution> executions;
  std::map<std::pair<uint32_t, uint32_t>, std::string> strings;
  std::map<uint32_t, uint64_t> written;
  for (const Packet& packet : trace.packet()) {
    const uint32_t process = packet.process();
    uint32_t string_id = packet.strings().first_id();
    for (const auto& text : packet.strings().text()) strings[{process, string_id++}] = text;
    if (!packet.has_activities()) continue;
    const ActivityBatch& batch = packet.activities();
    const auto count = static_cast<int>(batch.count());
    REQUIRE(batch.clock() == CLOCK_MONOTONIC_NS);
    REQUIRE(batch.first_record() == written[process]);
    REQUIRE(batch.record_count() == batch.count());
    written[process] += batch.count();
    REQUIRE(batch.begin_size() == count);
    REQUIRE(batch.duration_size() == count);
    const auto at = [&](const auto& column, int i) {
      REQUIRE((column.empty() || column.size() == count));
      return column.empty() ? 0 : column.Get(i);
    };
    const auto string_at = [&](const auto& column, int i) -> std::string {
      const uint32_t string = at(column, i);
      if (string == 0) return {};
      REQUIRE(strings.count({process, string}) == 1);
      return strings[{process, string}];
    };
    uint64_t begin = 0;
    uint64_t correlation = 0;
    uint64_t node = 0;
    uint64_t launch = 0;
    uint64_t capture = 0;
    for (int i = 0; i < count; ++i) {
      ReadExecution execution;
      const uint32_t queue = at(batch.queue_index(), i);
      REQUIRE(queue < static_cast<uint32_t>(batch.queue_size()));
      execution.process = process;
      execution.device = batch.queue(static_cast<int>(queue)).device();
      execution.context = batch.queue(static_cast<int>(queue)).context();
      execution.stream = batch.queue(static_cast<int>(queue)).stream();
      begin += static_cast<uint64_t>(batch.begin(i));
      execution.begin = begin;
      execution.end = begin + batch.duration(i);
      execution.level = at(batch.level_kind(), i) & 7;
      execution.kind = at(batch.level_kind(), i) >> 3;
      execution.bytes = at(batch.bytes(), i);
      execution.correlation = static_cast<uint32_t>(from_distance(at(batch.correlation(), i), correlation));
      execution.graph_node = from_distance(at(batch.graph_node(), i), node);
      execution.graph = at(batch.graph(), i);
      execution.launch.first = int64_t{at(batch.launch_ring(), i)} - 1;
      execution.launch.second = static_cast<uint32_t>(from_distance(at(batch.launch(), i), launch));
      execution.capture.first = int64_t{at(batch.capture_ring(), i)} - 1;
      execution.capture.second = static_cast<uint32_t>(from_distance(at(batch.capture(), i), capture));
      execution.name = string_at(batch.name(), i);
      execution.configuration = string_at(batch.configuration(), i);
      executions.push_back(execution);
    }
  }
  return executions;
}

}  // namespace xsp::test
