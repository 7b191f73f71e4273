#include "analysis/trace/call_arguments.h"

#include <functional>
#include <random>

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::ArgumentField;
using analysis::ArgumentLayout;
using analysis::CallArguments;

SpanSpec call(uint32_t id, const std::string& layout, const std::string& values) {
  SpanSpec span{.begin = 100 * int64_t{id}, .end = 100 * int64_t{id} + 50, .id = id};
  span.level = LEVEL_LIBRARY;
  span.kind = KIND_LIBRARY_CALL;
  span.name = "cublasGemmEx";
  span.type = "cublas";
  span.layout = layout;
  span.values = values;
  return span;
}

TEST_CASE("a layout says which bytes each field has") {
  const auto layout = ArgumentLayout::parse("class=gemm m:i4 op_a:e1{0=N,1=T,-1=none} alpha:f8 stream:p8 x:s4");
  REQUIRE(layout.fields.size() == 6);
  CHECK_FALSE(layout.damaged);
  CHECK(layout.find("class")->constant == "gemm");
  CHECK(layout.find("m")->offset == 0);
  CHECK(layout.find("op_a")->offset == 4);
  CHECK(layout.find("op_a")->name_of(-1) == "none");
  CHECK(layout.find("op_a")->name_of(5).empty());
  CHECK(layout.find("alpha")->offset == 5);
  CHECK(layout.find("stream")->offset == 13);
  CHECK(layout.find("x")->offset == 21);
  CHECK(layout.find("y") == nullptr);
}

TEST_CASE("a field of a kind of a later version is skipped by its width") {
  const auto layout = ArgumentLayout::parse("a:q8<new> b:i2 c:f2 d:s8");
  REQUIRE(layout.fields.size() == 4);
  CHECK_FALSE(layout.damaged);
  CHECK(layout.fields[0].kind == ArgumentField::Kind::kUnknown);
  CHECK(layout.fields[1].offset == 8);
  CHECK(layout.fields[2].kind == ArgumentField::Kind::kUnknown);
  CHECK(layout.fields[3].kind == ArgumentField::Kind::kUnknown);
}

TEST_CASE("a layout that breaks the grammar is read up to that place") {
  for (const char* text : {"m:i4 n", "m:i4 N:i4", "m:i4 n:i3", "m:i4  n:i4", "m:i4 :i4", "m:i4 n:e1{0N}",
                           "m:i4 n:e1{0=N", "m:i4 n:i4{0=N}", "m:i4 n:e1{x=N}", "m:i4 n:i"}) {
    INFO(text);
    const auto layout = ArgumentLayout::parse(text);
    CHECK(layout.damaged);
    CHECK(layout.fields.size() == 1);
  }
  std::string endless;
  for (int i = 0; i < 100'000; ++i) endless += "m:i8 ";
  CHECK(ArgumentLayout::parse(endless).fields.size() <= 256);
}

TEST_CASE("values are read by name and shown in the order of the layout") {
  TraceBuilder builder;
  builder.add_process(10);
  const uint32_t shape = builder.string_id(1, "f16[8,64]");
  builder.add(
      call(1,
           "class=gemm m:i4 n:i8 op_a:e1{0=N,1=T} op_b:e4{0=N} type_a=R_16F beta:f4 workspace:u4 stream:p8 x:s4 "
           "none:s4 status:e4{0=SUCCESS,14=INTERNAL_ERROR}",
           Values()
               .add(int32_t{-128})
               .add(int64_t{1} << 40)
               .add(uint8_t{1})
               .add(int32_t{-3})
               .add(0.5f)
               .add(uint32_t{4'000'000'000})
               .add(uint64_t{0x7f0012345678})
               .add(shape)
               .add(uint32_t{0})
               .add(int32_t{14})));
  builder.add(call(2, "m:i4 n:i4", Values().add(int32_t{7}).add(uint16_t{9})));
  builder.add(call(3, "", ""));
  builder.add(call(4, "class=gemm type_a=R_16F", ""));
  const Analysed analysed({builder.bytes()});
  const CallArguments first(analysed.trace, 0);
  REQUIRE(first.any());
  CHECK(first.integer("m") == -128);
  CHECK(first.integer("n") == int64_t{1} << 40);
  CHECK(first.integer("op_a") == 1);
  CHECK(first.integer("workspace") == 4'000'000'000);
  CHECK(first.number("beta") == 0.5);
  CHECK(first.number("m") == -128.0);
  CHECK(first.text("class") == "gemm");
  CHECK(first.text("op_a") == "T");
  CHECK(first.text("x") == "f16[8,64]");
  CHECK_FALSE(first.text("op_b"));
  CHECK_FALSE(first.text("none"));
  CHECK_FALSE(first.integer("x"));
  CHECK_FALSE(first.integer("nothing"));
  CHECK(first.status() == "INTERNAL_ERROR");
  CHECK(first.display() ==
        "m=-128 n=1099511627776 op_a=T op_b=-3 beta=0.5 workspace=4000000000 stream=0x7f0012345678 "
        "x=f16[8,64] type_a=R_16F");
  const CallArguments cut(analysed.trace, 1);
  CHECK(cut.integer("m") == 7);
  CHECK_FALSE(cut.integer("n"));
  CHECK(cut.display() == "m=7");
  CHECK(CallArguments(analysed.trace, 3).display() == "type_a=R_16F");
  CHECK_FALSE(CallArguments(analysed.trace, 2).any());
  CHECK(CallArguments(analysed.trace, 2).display().empty());
}

TEST_CASE("a text of several words is shown as one value") {
  TraceBuilder builder;
  builder.add_process(10);
  const uint32_t convolution = builder.string_id(1, "pad=[1,1] groups=2");
  builder.add(call(1, "conv:s4 groups:i4", Values().add(convolution).add(int32_t{1})));
  const Analysed analysed({builder.bytes()});
  CHECK(CallArguments(analysed.trace, 0).display() == "conv=(pad=[1,1] groups=2) groups=1");
}

TEST_CASE("calls that differ in addresses only are asked for the same") {
  TraceBuilder builder;
  builder.add_process(10);
  for (uint32_t i = 1; i <= 3; ++i) {
    builder.add(call(i, "stream:p8 m:i4", Values().add(uint64_t{i}).add(int32_t{i == 3 ? 2 : 1})));
  }
  const Analysed analysed({builder.bytes()});
  const auto comparable = [&](analysis::Row row) { return CallArguments(analysed.trace, row).comparable(); };
  CHECK(comparable(0) == comparable(1));
  CHECK(comparable(0) != comparable(2));
}

TEST_CASE("arguments belong to the span of their ring and id, strings to their process") {
  TraceBuilder builder;
  builder.add_process(10);
  builder.add_process(11);
  builder.string_id(2, "only here, so that ids differ");
  for (const uint32_t process : {1u, 2u}) {
    for (const uint32_t ring : {0u, 1u}) {
      for (uint32_t id = 1; id <= 3; ++id) {
        const uint32_t text = builder.string_id(process, "text of process " + std::to_string(process));
        SpanSpec span = call(id, "ring:i4 id:i4 x:s4", Values().add(ring).add(id).add(text));
        span.process = process;
        span.ring = ring;
        span.thread = 100 + ring;
        builder.add(span);
      }
    }
  }
  const Analysed analysed({builder.bytes()});
  const auto& trace = analysed.trace;
  REQUIRE(trace.spans.size() == 12);
  for (analysis::Row row = 0; row < trace.spans.size(); ++row) {
    const CallArguments arguments(trace, row);
    CHECK(arguments.integer("ring") == int64_t{trace.tracks[trace.spans.track[row]].ring});
    CHECK(arguments.integer("id") == int64_t{trace.spans.id[row]});
    CHECK(arguments.text("x") == "text of process " + std::to_string(trace.process_of(row) == 1 ? 1 : 2));
  }
}

TEST_CASE("argument batches that contradict themselves are counted, and the rest is read") {
  const auto damage = [](const std::function<void(ArgumentBatch&)>& spoil) {
    TraceBuilder builder;
    builder.add_process(10);
    builder.add(call(1, "m:i4", Values().add(int32_t{5})));
    builder.bytes();
    for (auto& packet : *builder.message().mutable_packet()) {
      if (packet.has_arguments()) spoil(*packet.mutable_arguments());
    }
    const Analysed analysed({builder.message().SerializeAsString()});
    CHECK(analysed.trace.spans.size() == 1);
    return analysed.trace.files[0].corrupt_packets;
  };
  CHECK(damage([](ArgumentBatch&) {}) == 0);
  CHECK(damage([](ArgumentBatch& batch) { batch.set_values("abc"); }) == 1);
  CHECK(damage([](ArgumentBatch& batch) { batch.set_values("abcde"); }) == 1);
  CHECK(damage([](ArgumentBatch& batch) { batch.set_length(0, UINT32_MAX); }) == 1);
  CHECK(damage([](ArgumentBatch& batch) { batch.add_span(1); }) == 1);
  CHECK(damage([](ArgumentBatch& batch) { batch.clear_layout(); }) == 1);
}

TEST_CASE("random layouts and values are never read out of range") {
  std::mt19937 random(7);
  const std::string alphabet = "abm:=0123456789 iufpsexq{},-_";
  for (int round = 0; round < 3000; ++round) {
    TraceBuilder builder;
    builder.add_process(10);
    std::string layout = round % 2 == 0 ? "m:i4 x:s4 op:e1{0=N} f:f8 p:p8 " : "x:";
    for (size_t i = random() % 60; i > 0; --i) layout += alphabet[random() % alphabet.size()];
    std::string values;
    for (size_t i = random() % 40; i > 0; --i) values += static_cast<char>(random());
    builder.add(call(1, layout, values));
    const Analysed analysed({builder.bytes()});
    const CallArguments arguments(analysed.trace, 0);
    arguments.display();
    arguments.comparable();
    arguments.status();
    for (const char* name : {"m", "x", "op", "f", "p", ""}) {
      arguments.integer(name);
      arguments.number(name);
      arguments.text(name);
    }
  }
}

}  // namespace
}  // namespace xsp::test
