#include "collector/writing/process_description.h"

#include "base/text_encoding.h"
#include "collector/writing/trace_fields.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

constexpr size_t kMaxHelloElements = 4096;

std::string text(protozero::data_view view) { return trace_text({view.data(), view.size()}); }

std::pair<std::string, std::string> read_entry(protozero::pbf_reader entry) {
  std::pair<std::string, std::string> pair;
  while (entry.next()) {
    switch (entry.tag()) {
      case 1:
        pair.first = text(entry.get_view());
        break;
      case 2:
        pair.second = text(entry.get_view());
        break;
      default:
        entry.skip();
    }
  }
  return pair;
}

}  // namespace

Status read_hello(protozero::data_view bytes, ProcessDescription* hello) {
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    switch (fields.tag()) {
      case 1:
        hello->protocol_version = fields.get_uint32();
        break;
      case 2:
        hello->pid = fields.get_uint32();
        break;
      case 3:
        hello->parent_pid = fields.get_uint32();
        break;
      case 4:
        hello->start_ns = fields.get_uint64();
        break;
      case 5:
        hello->executable = text(fields.get_view());
        break;
      case 6:
        if (hello->command.size() < kMaxHelloElements) {
          hello->command.push_back(text(fields.get_view()));
        } else {
          fields.skip();
        }
        break;
      case 7:
        hello->clock = static_cast<uint32_t>(fields.get_enum());
        break;
      case 8:
        hello->shared_memory_bytes = fields.get_uint64();
        break;
      case 9:
        if (hello->environment.size() == kMaxHelloElements) return Status{"a Hello of too many variables"};
        hello->environment.push_back(read_entry(fields.get_message()));
        break;
      default:
        fields.skip();
    }
  }
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
  writer.uint64(1, hello.protocol_version);
  writer.uint64(2, hello.pid);
  writer.uint64(3, hello.parent_pid);
  writer.uint64(4, hello.start_ns);
  writer.string(5, hello.executable);
  for (const auto& argument : hello.command) writer.element(6, argument.data(), argument.size());
  for (const auto& [name, value] : hello.environment) {
    auto entry = writer.begin(9);
    writer.string(1, name);
    writer.string(2, value);
    writer.end(entry);
  }
  if (hello.has_user) {
    writer.varint(10 << 3);
    writer.varint(hello.user);
  }
}

}  // namespace xsp
