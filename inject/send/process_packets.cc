#include "inject/send/process_packets.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "inject/guard/mapped_memory.h"
#include "proto/environment.h"
#include "proto/packet_writer.h"
#include "proto/versions.h"

namespace xsp::guest {
namespace {

constexpr size_t kCommandBytes = size_t{8} * 1024;

/// Variables that describe a process among its peers, and what is to be recorded of devices. No other variable leaves
/// the process.
constexpr const char* kEnvironmentNames[] = {"RANK",
                                             "LOCAL_RANK",
                                             "WORLD_SIZE",
                                             "SLURM_PROCID",
                                             "OMPI_COMM_WORLD_RANK",
                                             "CUDA_VISIBLE_DEVICES",
                                             "OMP_NUM_THREADS",
                                             "OMP_WAIT_POLICY",
                                             "CUDA_LAUNCH_BLOCKING",
                                             variable::kConcurrency,
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
  // The last byte stays zero: a command line that was cut still ends.
  const size_t length = read_file("/proc/self/cmdline", text, memory.size() - 1);
  for (size_t at = 0; at < length;) {
    const size_t word = strlen(text + at);
    writer.element(wire::Hello::kCommand, text + at, word);
    at += word + 1;
  }
}

void write_environment(WireWriter& writer) {
  char value[256];
  for (const char* name : kEnvironmentNames) {
    copy_environment(name, value, sizeof value);
    if (value[0] == '\0') continue;
    write_nested(writer, wire::Hello::kEnvironment, wire::HelloEnvironmentEntry{.key = name, .value = value});
  }
}

}  // namespace

void write_hello(WireWriter& writer, const Process& process, uint64_t shared_bytes) {
  wire::Hello hello{.protocol_version = kProtocolVersion,
                    .pid = static_cast<uint32_t>(process.pid),
                    .parent_pid = static_cast<uint32_t>(getppid()),
                    .start_ns = process.first_clock.monotonic_ns,
                    .clock = static_cast<uint32_t>(clock_source),
                    .shared_memory_bytes = shared_bytes};
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length > 0) hello.executable = {path, static_cast<size_t>(length)};
  write_packet(writer, wire::Hello::kBody, [&] {
    wire::write(
        writer, hello, [&] { write_command(writer); }, [&] { write_environment(writer); });
  });
}

void write_goodbye(WireWriter& writer) {
  write_packet(writer, wire::ProcessEnd{.how = static_cast<uint32_t>(wire::ProcessEndHow::kGoodbye),
                                        .end_ns = nanoseconds(CLOCK_MONOTONIC),
                                        .guest_cpu_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID)});
}

bool post_profile_file(const wire::ProfileFile& file) {
  uint8_t buffer[6 * 1024];
  WireWriter writer(buffer, sizeof buffer);
  write_packet(writer, file);
  return !writer.failed() && post_packet(writer.data(), writer.size());
}

}  // namespace xsp::guest
