#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "proto/pbf.h"
#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp {

/// xsp.Hello: the description of a process. Texts are well-formed UTF-8. `user` is what the kernel says of the
/// connection.
struct ProcessDescription : wire::HelloOf<std::string> {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  /// The process belongs to a different user than the collector.
  bool is_foreign = false;
};

/// Decodes a Hello and checks its version. Throws protozero::exception on broken protobuf.
Status read_hello(protozero::data_view bytes, ProcessDescription* hello);

/// Upper bound on the bytes that write_hello() needs.
size_t hello_capacity(const ProcessDescription& hello);
/// Writes the fields in trace-file form: nanoseconds, no shared memory.
void write_hello(WireWriter& writer, const ProcessDescription& hello);

}  // namespace xsp
