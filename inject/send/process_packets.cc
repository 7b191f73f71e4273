#include "inject/send/process_packets.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "inject/guard/mapped_memory.h"
#include "proto/environment.h"
#include "proto/trace_numbers.h"

namespace xsp::guest {
namespace {

constexpr uint32_t kProtocolVersion = 1;
constexpr size_t kCommandBytes = size_t{8} * 1024;

/// Names whose values describe a process among its peers, and what was asked to be recorded of devices; nothing else of
/// the environment leaves it.
constexpr const char* kEnvironmentNames[] = {"RANK",
                                             "LOCAL_RANK",
                                             "WORLD_SIZE",
                                             "SLURM_PROCID",
                                             "OMPI_COMM_WORLD_RANK",
                                             "CUDA_VISIBLE_DEVICES",
                                             "OMP_NUM_THREADS",
                                             "CUDA_LAUNCH_BLOCKING",
                                             variable::kActivities,
                                             variable::kMetrics};

size_t read_file(const char* path, char* to, size_t capacity) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, to, capacity);
  close(file);
  return length > 0 ? static_cast<size_t>(length) : 0;
}

void write_command(WireWriter& writer) {
  const MappedMemory memory(kCommandBytes);
  auto* text = reinterpret_cast<char*>(memory.data());
  if (text == nullptr) return;
  // The last byte stays zero.
  const size_t length = read_file("/proc/self/cmdline", text, memory.size() - 1);
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

}  // namespace

void write_hello(WireWriter& writer, const Process& process, uint64_t shared_bytes) {
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
  writer.uint64(8, shared_bytes);
  write_environment(writer);
  writer.end(hello);
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

void write_used_library(WireWriter& writer, std::string_view library, std::string_view file) {
  const auto packet = writer.begin(1);
  const auto body = writer.begin(static_cast<uint32_t>(wire::Body::kUsedLibrary));
  writer.string(1, library);
  writer.string(2, file);
  writer.end(body);
  writer.end(packet);
}

bool post_profile_file(const ProfileFile& file) {
  constexpr uint64_t kOrtJson = 1;
  uint8_t buffer[6 * 1024];
  WireWriter writer(buffer, sizeof buffer);
  const auto packet = writer.begin(1);
  const auto body = writer.begin(static_cast<uint32_t>(wire::Body::kProfileFile));
  writer.uint64(1, kOrtJson);
  writer.string(2, file.path);
  writer.boolean(3, file.complete);
  writer.boolean(4, file.keep);
  writer.string(5, file.scope);
  writer.uint64(6, file.start_realtime);
  writer.sint64(7, file.realtime_offset);
  writer.boolean(8, file.of_runs);
  writer.end(body);
  writer.end(packet);
  return !writer.failed() && post_packet(writer.data(), writer.size());
}

}  // namespace xsp::guest
