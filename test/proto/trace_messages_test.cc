#include "proto/trace_messages.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "proto/packet_writer.h"
#include "proto/trace_readers.h"
#include "test/catch.h"
#include "trace.pb.h"

namespace {

using google::protobuf::FieldDescriptor;
namespace wire = xsp::wire;

/// Gives every plain field of a message a value of its own.
void fill(google::protobuf::Message* message) {
  const auto* type = message->GetDescriptor();
  const auto* reflection = message->GetReflection();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const int value = 3 * field->number() + 1;
    if (field->is_repeated()) continue;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_UINT32:
        reflection->SetUInt32(message, field, UINT32_MAX - static_cast<uint32_t>(value));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        reflection->SetUInt64(message, field, UINT64_MAX - static_cast<uint64_t>(value));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        reflection->SetInt64(message, field, INT64_MIN + value);
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        reflection->SetDouble(message, field, value / 8.0);
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection->SetBool(message, field, true);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection->SetEnumValue(message, field, 1000 + value);
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        reflection->SetString(message, field, "text of field " + std::to_string(value));
        break;
      default:
        break;
    }
  }
}

/// What write() makes of it; within its capacity.
template <typename Message, typename... Parts>
std::string written(const Message& message, Parts&&... parts) {
  std::string bytes(wire::capacity(message) + 4096, '\0');
  xsp::WireWriter writer(bytes.data(), bytes.size());
  wire::write(writer, message, parts...);
  REQUIRE_FALSE(writer.failed());
  bytes.resize(writer.size());
  return bytes;
}

/// Reads what libprotobuf wrote, writes it again, and has libprotobuf read that.
template <typename Message, typename Theirs>
void check_plain(Theirs theirs) {
  INFO(theirs.GetDescriptor()->full_name());
  fill(&theirs);
  const std::string encoded = theirs.SerializeAsString();
  Message ours;
  wire::read(encoded, &ours);
  CHECK_FALSE(ours == Message());
  CHECK(encoded.size() + 10 <= wire::capacity(ours));
  const std::string again = written(ours);
  CHECK(again == encoded);
  // Unknown fields are skipped, an absent one keeps its default.
  const std::string with_unknown = encoded + "\xfa\x07\x03xyz";
  Message other;
  wire::read(with_unknown, &other);
  CHECK(other == ours);
  Message empty;
  wire::read("", &empty);
  CHECK(empty == Message());
  CHECK(written(empty).empty());
}

TEST_CASE("messages of plain fields are read and written as libprotobuf does") {
  check_plain<wire::Device>(xsp::Device());
  check_plain<wire::Gap>(xsp::Gap());
  check_plain<wire::Loss>(xsp::Loss());
  check_plain<wire::Notice>(xsp::Notice());
  check_plain<wire::ClockReading>(xsp::ClockReading());
  check_plain<wire::Sampling>(xsp::Sampling());
  check_plain<wire::Overhead>(xsp::Overhead());
  check_plain<wire::ProcessEnd>(xsp::ProcessEnd());
  check_plain<wire::TraceEnd>(xsp::TraceEnd());
  check_plain<wire::Unintercepted>(xsp::Unintercepted());
  check_plain<wire::UsedLibrary>(xsp::UsedLibrary());
  check_plain<wire::ProfileFile>(xsp::ProfileFile());
  check_plain<wire::TracePart>(xsp::TracePart());
  check_plain<wire::ActivityBatchQueue>(xsp::ActivityBatch::Queue());
  check_plain<wire::OpenSpansSpan>(xsp::OpenSpans::Span());
  check_plain<wire::ExperimentRunParameter>(xsp::ExperimentRun::Parameter());
}

TEST_CASE("what is repeated is handed over in its order") {
  xsp::Hello hello;
  fill(&hello);
  for (const char* word : {"python", "", "infer.py"}) hello.add_command(word);
  (*hello.mutable_environment())["RANK"] = "3";
  const std::string encoded = hello.SerializeAsString();
  wire::Hello read;
  std::vector<std::string> command;
  wire::HelloEnvironmentEntry entry;
  REQUIRE(wire::read(encoded, &read, [&](uint32_t field, std::string_view bytes) {
    if (field == wire::Hello::kCommand) command.emplace_back(bytes);
    if (field == wire::Hello::kEnvironment) wire::read(bytes, &entry);
    return true;
  }));
  CHECK(command == std::vector<std::string>{"python", "", "infer.py"});
  CHECK(entry.key == "RANK");
  CHECK(entry.value == "3");
  REQUIRE(read.user);

  std::string bytes(4096, '\0');
  xsp::WireWriter writer(bytes.data(), bytes.size());
  wire::write(
      writer, read,
      [&] {
        for (const auto& word : command) writer.element(wire::Hello::kCommand, word.data(), word.size());
      },
      [&] { xsp::write_nested(writer, wire::Hello::kEnvironment, entry); });
  xsp::Hello again;
  REQUIRE(again.ParseFromArray(writer.data(), static_cast<int>(writer.size())));
  CHECK(again.SerializeAsString() == encoded);

  CHECK_FALSE(wire::read(encoded, &read, [](uint32_t, std::string_view) { return false; }));
}

TEST_CASE("a field of another wire type is skipped or refused, as the reader asks") {
  const std::string text_for_a_number = "\x08\x05\x0a\x01x\x10\x07";  // reason: 5, then as bytes; level: 7
  wire::Gap gap;
  wire::read<wire::Mismatch::kSkip>(text_for_a_number, &gap);
  CHECK(gap.reason == 5);
  CHECK(gap.level == 7);
  CHECK_THROWS_AS(wire::read(text_for_a_number, &gap), protozero::exception);
}

TEST_CASE("a message that ends in the middle of a field is refused") {
  xsp::Device device;
  fill(&device);
  const std::string encoded = device.SerializeAsString();
  wire::Device read;
  CHECK_THROWS_AS(wire::read(encoded.substr(0, encoded.size() - 1), &read), protozero::exception);
}

TEST_CASE("texts of a message are converted, bytes are copied") {
  const wire::Device device{.index = 4, .name = "name", .uuid = "uuid", .chip = "chip"};
  const auto longer =
      wire::convert_texts<std::string>(device, [](std::string_view text) { return std::string(text) + "!"; });
  CHECK(longer.index == 4);
  CHECK(longer.name == "name!");
  CHECK(longer.uuid == "uuid");
  CHECK(longer.chip == "chip!");
}

TEST_CASE("a packet has the frame and the number of its body") {
  uint8_t bytes[256];
  xsp::WireWriter writer(bytes, sizeof bytes);
  xsp::write_packet(writer, wire::Loss{.reason = static_cast<uint32_t>(wire::LossReason::kNoRing), .count = 3});
  xsp::Trace trace;
  REQUIRE(trace.ParseFromArray(writer.data(), static_cast<int>(writer.size())));
  REQUIRE(trace.packet_size() == 1);
  CHECK(trace.packet(0).loss().reason() == xsp::Loss::NO_RING);
  CHECK(trace.packet(0).loss().count() == 3);
}

TEST_CASE("enumerators have the numbers of trace.proto") {
  CHECK(static_cast<int>(wire::Body::kHeader) == xsp::Packet::kHeader);
  CHECK(static_cast<int>(wire::Body::kUsedLibrary) == xsp::Packet::kUsedLibrary);
  CHECK(static_cast<int>(wire::kBodyCount) == xsp::Packet::descriptor()->field_count() + 1);
  CHECK(static_cast<int>(wire::Level::kLayer) == xsp::LEVEL_LAYER);
  CHECK(static_cast<int>(wire::kLevelCount) == xsp::Level_ARRAYSIZE);
  CHECK(static_cast<int>(wire::Kind::kOrtNode) == xsp::KIND_ORT_NODE);
  CHECK(static_cast<int>(wire::kKindCount) == xsp::Kind_ARRAYSIZE);
  CHECK(static_cast<int>(wire::Clock::kCupti) == xsp::CLOCK_CUPTI);
  CHECK(static_cast<int>(wire::LossReason::kRemoved) == xsp::Loss::REMOVED);
  CHECK(static_cast<int>(wire::kLossReasonCount) == xsp::Loss::Reason_ARRAYSIZE);
  CHECK(static_cast<int>(wire::GapReason::kNoCallbacks) == xsp::Gap::NO_CALLBACKS);
  CHECK(static_cast<int>(wire::ProcessEndHow::kCutOff) == xsp::ProcessEnd::CUT_OFF);
  CHECK(static_cast<int>(wire::NoticeSeverity::kError) == xsp::Notice::ERROR);
  CHECK(static_cast<int>(wire::ExperimentRunPurpose::kSerialised) == xsp::ExperimentRun::SERIALISED);
}

}  // namespace
