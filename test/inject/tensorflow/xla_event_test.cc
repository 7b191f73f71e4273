#include "inject/tensorflow/xla_event.h"

#include "test/catch.h"

namespace xsp::guest {
namespace {

using Kind = XlaEvent::Kind;

TEST_CASE("an operation has its name, type, module and the id by which its end is told") {
  const XlaEvent event = parse_xla_event(
      "convolution.2#hlo_op=convolution.2,hlo_module=a_inference_f_12__.4,program_id=0,run_id=-1,_pt=0,_p=4294967297#");
  CHECK(event.kind == Kind::kOperation);
  CHECK(event.operation == "convolution.2");
  CHECK(event.type == "convolution");
  CHECK(event.module == "a_inference_f_12__.4");
  CHECK(event.id == 4294967297);
}

TEST_CASE("an end has the id of its operation") {
  const XlaEvent event = parse_xla_event("end: convolution.2#_ct=0,_c=4294967297#");
  CHECK(event.kind == Kind::kEnd);
  CHECK(event.id == 4294967297);
}

TEST_CASE("what followed an operation has an event of its own") {
  CHECK(parse_xla_event("ThunkExecutor::Execute").kind == Kind::kFollowing);
}

TEST_CASE("numbers and copies are no part of an operation's type") {
  const auto type_of = [](const char* name) { return parse_xla_event(name).type; };
  CHECK(type_of("x#hlo_op=dot.12#") == "dot");
  CHECK(type_of("x#hlo_op=dot.12.clone#") == "dot");
  CHECK(type_of("x#hlo_op=add_rsqrt_fusion#") == "add_rsqrt_fusion");
  CHECK(type_of("x#hlo_op=conv2d#") == "conv2d");
  CHECK(type_of("x#hlo_op=.12#") == ".12");
  CHECK(type_of("x#hlo_op=.clone#") == ".clone");
}

TEST_CASE("what is not about operations, or is damaged, is neither") {
  for (const char* name :
       {"", "#", "ThunkExecutor", "EagerExecute#eager_op=Conv2D,is_func=0#", "end: x", "end: x#_ct=0#", "end: x#_c=#",
        "end: x#_c=1a#", "x#hlo_op=#", "x#hlo_module=m#", "hlo_op=x", "x#other_hlo_op=y#"}) {
    INFO(name);
    CHECK(parse_xla_event(name).kind == Kind::kOther);
  }
  CHECK(parse_xla_event("x#hlo_op=dot.1,_p=abc#").id == 0);
  CHECK(parse_xla_event("x#hlo_op=dot.1").operation == "dot.1");
}

}  // namespace
}  // namespace xsp::guest
