#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "proto/pbf.h"
#include "proto/wire_writer.h"

namespace xsp {

inline constexpr uint32_t kProtocolVersion = 1;

/// xsp.Hello: the description of a process. Texts are well-formed UTF-8.
struct ProcessDescription {
  uint32_t protocol_version = 0;
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint64_t start_ns = 0;
  std::string executable;
  std::vector<std::string> command;
  uint32_t clock = 0;
  uint64_t shared_memory_bytes = 0;
  std::vector<std::pair<std::string, std::string>> environment;
  /// As the kernel tells of the connection.
  bool has_user = false;
  uint32_t user = 0;
  /// Of another user than the collector.
  bool is_foreign = false;
};

/// Decodes a Hello and checks its version. Throws protozero::exception on broken protobuf.
Status read_hello(protozero::data_view bytes, ProcessDescription* hello);

/// Bytes that write_hello() needs at most.
size_t hello_capacity(const ProcessDescription& hello);
/// Writes the fields as a trace file carries them: nanoseconds, no shared memory.
void write_hello(WireWriter& writer, const ProcessDescription& hello);

}  // namespace xsp
