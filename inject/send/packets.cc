#include "inject/send/packets.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/span_columns.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kProtocolVersion = 1;
constexpr size_t kStringPacketBytes = size_t{64} * 1024;

/// Names whose values describe a process among its peers; nothing else of the environment leaves it.
constexpr const char* kEnvironmentNames[] = {"RANK",           "LOCAL_RANK",           "WORLD_SIZE",
                                             "SLURM_PROCID",   "OMPI_COMM_WORLD_RANK", "CUDA_VISIBLE_DEVICES",
                                             "OMP_NUM_THREADS"};

size_t read_file(const char* path, char* to, size_t capacity) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, to, capacity);
  close(file);
  return length > 0 ? static_cast<size_t>(length) : 0;
}

void write_command(WireWriter& writer) {
  char text[8192];
  const size_t length = read_file("/proc/self/cmdline", text, sizeof text - 1);
  text[length] = '\0';
  for (size_t at = 0; at < length;) {
    const size_t word = strlen(text + at);
    writer.element(6, text + at, word);
    at += word + 1;
  }
}

void write_environment(WireWriter& writer) {
  char value[256];
  for (const char* name : kEnvironmentNames) {
    copy_environment(name, value, sizeof value);
    if (value[0] == '\0') continue;
    const auto entry = writer.begin(9);
    writer.string(1, name);
    writer.string(2, value);
    writer.end(entry);
  }
}

SpanRow row_of(const shm::Record& record) {
  SpanRow row{.begin = record.begin,
              .end = record.end,
              .bytes = record.bytes,
              .id = record.id,
              .parent = record.parent,
              .name = record.name,
              .type = record.type,
              .shape = record.shape,
              .input = record.input,
              .scope = record.scope,
              .level = record.level,
              .kind = record.kind,
              .has_bytes = (record.flags & shm::kFlagHasBytes) != 0,
              .failed = (record.flags & shm::kFlagFailed) != 0};
  if ((record.flags & shm::kFlagForeign) != 0) {
    row.start_thread = record.type;
    row.start_ring = record.shape + 1;
    row.type = 0;
    row.shape = 0;
  }
  return row;
}

void write_tags(WireWriter& writer, uint32_t thread, const shm::Record* const* tags, size_t count) {
  if (count == 0) return;
  const auto packet = writer.begin(1);
  const auto batch = writer.begin(7);
  writer.uint64(1, thread);
  writer.uint64(2, tags[0]->scope);
  auto column = [&](uint32_t field, auto&& value) {
    const auto mark = writer.begin(field);
    for (size_t i = 0; i < count; ++i) writer.varint(value(*tags[i]));
    writer.end(mark);
  };
  column(3, [](const shm::Record& tag) { return uint64_t{tag.id}; });
  column(4, [](const shm::Record& tag) { return tag.end; });
  column(5, [](const shm::Record& tag) { return uint64_t{tag.parent}; });
  writer.end(batch);
  writer.end(packet);
}

}  // namespace

void write_hello(WireWriter& writer, const Process& process) {
  const auto packet = writer.begin(1);
  const auto hello = writer.begin(4);
  writer.uint64(1, kProtocolVersion);
  writer.uint64(2, static_cast<uint64_t>(process.pid));
  writer.uint64(3, static_cast<uint64_t>(getppid()));
  writer.uint64(4, process.first_clock.monotonic_ns);
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length > 0) writer.bytes(5, path, static_cast<size_t>(length));
  write_command(writer);
  writer.uint64(7, static_cast<uint64_t>(clock_source));
  writer.uint64(8, process.region.bytes);
  write_environment(writer);
  writer.end(hello);
  writer.end(packet);
}

uint32_t write_strings(WireWriter& writer, const SharedRegion& region, uint32_t first, uint32_t last,
                       uint64_t* offset) {
  const auto packet = writer.begin(1);
  const auto strings = writer.begin(5);
  writer.uint64(1, first);
  const size_t start = writer.size();
  uint32_t id = first;
  for (; id <= last && writer.size() - start < kStringPacketBytes; ++id) {
    const auto* entry = reinterpret_cast<const shm::ArenaEntry*>(region.arena() + *offset);
    writer.element(2, entry + 1, entry->length);
    *offset += (sizeof(shm::ArenaEntry) + entry->length + 7) & ~uint64_t{7};
  }
  writer.end(strings);
  writer.end(packet);
  return id - 1;
}

void write_clock(WireWriter& writer, const ClockPair& clock) {
  const auto packet = writer.begin(1);
  const auto reading = writer.begin(9);
  writer.uint64(1, static_cast<uint64_t>(clock_source));
  writer.uint64(2, clock.ticks);
  writer.uint64(3, clock.monotonic_ns);
  writer.sint64(4, clock.realtime_offset_ns);
  writer.end(reading);
  writer.end(packet);
}

size_t write_records(WireWriter& writer, const SharedRegion& region, uint32_t ring_index, uint64_t first,
                     uint64_t end) {
  const shm::RingHeader* ring = region.ring(ring_index);
  const shm::Record* records = region.records(ring_index);
  const shm::Record* spans[kBatchRecords];
  const shm::Record* tags[kBatchRecords];
  size_t span_count = 0;
  size_t tag_count = 0;
  uint64_t at = first;
  for (; at < end && at - first < kBatchRecords; ++at) {
    const shm::Record* record = records + (at & (shm::kRingRecords - 1));
    if (__atomic_load_n(&record->sequence, __ATOMIC_ACQUIRE) != static_cast<uint32_t>(at + 1)) break;
    if (record->record_type == static_cast<uint8_t>(shm::RecordType::kSpan)) {
      spans[span_count++] = record;
    } else {
      if (tag_count > 0 && tags[0]->scope != record->scope) break;
      tags[tag_count++] = record;
    }
  }
  if (at == first) return 0;
  const uint32_t thread = ring->thread.load(std::memory_order_relaxed);
  write_tags(writer, thread, tags, tag_count);
  const auto packet = writer.begin(1);
  const auto batch = writer.begin(6);
  const BatchHead head{.thread = thread,
                       .ring = ring_index,
                       .first_record = first,
                       .record_count = static_cast<uint32_t>(at - first),
                       .clock = static_cast<uint32_t>(clock_source)};
  write_span_columns(writer, head, span_count, [&](size_t i) { return row_of(*spans[i]); });
  writer.end(batch);
  writer.end(packet);
  return at - first;
}

void write_loss(WireWriter& writer, uint32_t reason, uint64_t count) {
  const auto packet = writer.begin(1);
  const auto loss = writer.begin(10);
  writer.uint64(1, reason);
  writer.uint64(2, count);
  writer.end(loss);
  writer.end(packet);
}

void write_notice(WireWriter& writer, uint32_t severity, std::string_view component, std::string_view text) {
  const auto packet = writer.begin(1);
  const auto notice = writer.begin(11);
  writer.uint64(1, severity);
  writer.string(2, component.substr(0, 64));
  writer.string(3, text.substr(0, 1500));
  writer.end(notice);
  writer.end(packet);
}

void write_goodbye(WireWriter& writer) {
  const auto packet = writer.begin(1);
  const auto end = writer.begin(13);
  writer.uint64(1, 1);
  writer.uint64(3, nanoseconds(CLOCK_MONOTONIC));
  writer.uint64(6, nanoseconds(CLOCK_THREAD_CPUTIME_ID));
  writer.end(end);
  writer.end(packet);
}

}  // namespace xsp::guest
