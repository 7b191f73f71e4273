#include "collector/writing/process_description.h"

#include "base/text_encoding.h"
#include "collector/writing/trace_fields.h"
#include "proto/packet_writer.h"
#include "proto/trace_readers.h"
#include "proto/versions.h"

namespace xsp {
namespace {

constexpr size_t kMaxHelloElements = 4096;

std::string own_text(std::string_view text) { return trace_text(text); }

std::string_view view_of(const std::string& text) { return text; }

}  // namespace

Status read_hello(protozero::data_view bytes, ProcessDescription* hello) {
  wire::Hello read;
  const auto take = [&](uint32_t field, std::string_view element) {
    if (field == wire::Hello::kCommand) {
      if (hello->command.size() < kMaxHelloElements) hello->command.push_back(own_text(element));
      return true;
    }
    if (hello->environment.size() == kMaxHelloElements) return false;
    wire::HelloEnvironmentEntry entry;
    wire::read(element, &entry);
    hello->environment.emplace_back(own_text(entry.key), own_text(entry.value));
    return true;
  };
  if (!wire::read({bytes.data(), bytes.size()}, &read, take)) return Status{"a Hello of too many variables"};
  static_cast<wire::HelloOf<std::string>&>(*hello) = wire::convert_texts<std::string>(read, own_text);
  hello->user.reset();
  if (hello->protocol_version != kProtocolVersion) {
    return Status{"it speaks protocol version " + std::to_string(hello->protocol_version) + ", this collector speaks " +
                  std::to_string(kProtocolVersion)};
  }
  if (hello->clock > static_cast<uint32_t>(TraceClock::kTsc)) return Status{"its clock is unknown"};
  return Status();
}

size_t hello_capacity(const ProcessDescription& hello) {
  size_t capacity = 256 + hello.executable.size();
  for (const auto& argument : hello.command) capacity += argument.size() + 16;
  for (const auto& [name, value] : hello.environment) capacity += name.size() + value.size() + 32;
  return capacity;
}

void write_hello(WireWriter& writer, const ProcessDescription& hello) {
  auto in_file = wire::convert_texts<std::string_view>(hello, view_of);
  in_file.clock = static_cast<uint32_t>(wire::Clock::kMonotonicNs);
  in_file.shared_memory_bytes = 0;
  const auto write_command = [&] {
    for (const auto& word : hello.command) writer.element(wire::Hello::kCommand, word.data(), word.size());
  };
  const auto write_environment = [&] {
    for (const auto& [name, value] : hello.environment) {
      write_nested(writer, wire::Hello::kEnvironment, wire::HelloEnvironmentEntry{.key = name, .value = value});
    }
  };
  wire::write(writer, in_file, write_command, write_environment);
}

}  // namespace xsp
