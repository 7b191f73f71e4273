#include "collector/writing/trace_description.h"

#include <optional>
#include <string>

#include "proto/pbf.h"
#include "proto/trace_readers.h"
#include "test/catch.h"
#include "test/collector/memory_file.h"

namespace xsp::test {
namespace {

/// The only field with this number in a message.
std::string_view field_of(std::string_view message, uint32_t number) {
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    if (reader.tag() != number) {
      reader.skip();
      continue;
    }
    const auto view = reader.get_view();
    return {view.data(), view.size()};
  }
  return {};
}

/// What the header of a trace says.
std::optional<wire::Processors> told_processors(const TraceSubject& subject, uint32_t part = 0) {
  MemoryFile file;
  TraceWriter writer(file);
  write_trace_header(writer, subject, {.index = part});
  writer.flush();
  const std::string_view packet = field_of(file.bytes, wire::Trace::kPacket);
  const std::string_view header = field_of(packet, static_cast<uint32_t>(Body::kHeader));
  REQUIRE_FALSE(header.empty());
  const std::string_view told = field_of(header, wire::TraceHeader::kProcessors);
  if (told.empty()) return {};
  wire::Processors processors;
  wire::read(told, &processors);
  return processors;
}

TEST_CASE("a trace says which processors the command may use, in each of its parts") {
  TraceSubject subject;
  subject.processors = {.online = 64, .allowed = 4, .cores = 2, .quota = 1.5, .runnable = 7, .load = 3.25};
  for (const uint32_t part : {0U, 1U, 9U}) {
    CHECK(told_processors(subject, part) ==
          wire::Processors{.online = 64, .allowed = 4, .cores = 2, .quota = 1.5, .runnable = 7, .load = 3.25});
  }
  subject.processors.quota.reset();
  CHECK(told_processors(subject)->quota == 0);
}

TEST_CASE("a trace whose processors are not known does not say any") { CHECK_FALSE(told_processors({})); }

}  // namespace
}  // namespace xsp::test
