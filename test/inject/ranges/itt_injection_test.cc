#include "inject/ranges/itt_injection.h"

#include <unistd.h>

#include <cstdarg>
#include <cstring>
#include <map>

#include "inject/ranges/range_text.h"
#include "inject/record/tracer.h"
#include "test/catch.h"
#include "test/inject/listening_peer.h"

namespace {

using namespace xsp::guest;
using xsp::test::ListeningPeer;
using xsp::test::Received;

constexpr auto kIttTask = static_cast<uint32_t>(xsp::wire::Kind::kIttTask);
constexpr auto kLibraryCall = static_cast<uint32_t>(xsp::wire::Kind::kLibraryCall);

void expect(bool condition) {
  if (!condition) _exit(99);
}

/// A copy of ittnotify as a library carries one, by its ABI alone.
class FakeItt {
 public:
  FakeItt() {
    std::memcpy(global.magic, itt::kMagic, sizeof itt::kMagic);
    global.version_major = 3;
    static constexpr const char* kNames[] = {"__itt_domain_create",
                                             "__itt_string_handle_create",
                                             "__itt_task_begin",
                                             "__itt_task_begin_fn",
                                             "__itt_task_end",
                                             "__itt_metadata_str_add",
                                             "__itt_formatted_metadata_add",
                                             "__itt_sync_create"};
    size_t at = 0;
    for (const char* name : kNames) {
      pointers[at] = before_init;
      functions[at] = {name, &pointers[at], before_init, nullptr, 1};
      index[name] = at++;
    }
    global.functions = functions;
  }

  template <typename Signature, typename... Arguments>
  auto call(const char* name, Arguments... arguments) {
    return reinterpret_cast<Signature*>(pointers[index.at(name)])(arguments...);
  }
  itt::Domain* domain(const char* name) { return call<itt::Domain*(const char*)>("__itt_domain_create", name); }
  itt::StringHandle* string(const char* text) {
    return call<itt::StringHandle*(const char*)>("__itt_string_handle_create", text);
  }
  void begin(const itt::Domain* domain, itt::StringHandle* name) {
    call<void(const itt::Domain*, itt::Id, itt::Id, itt::StringHandle*)>("__itt_task_begin", domain, itt::Id{},
                                                                         itt::Id{}, name);
  }
  void end(const itt::Domain* domain) { call<void(const itt::Domain*)>("__itt_task_end", domain); }
  void format(const itt::Domain* domain, const char* format, const char* text) {
    auto* pointer = pointers[index.at("__itt_formatted_metadata_add")];
    reinterpret_cast<void (*)(const itt::Domain*, itt::StringHandle*, ...)>(pointer)(domain, string(format), text);
  }

  static inline int dummy = 0;
  static inline void* before_init = &dummy;
  itt::Global global{};
  void* pointers[8] = {};
  itt::Function functions[9] = {};
  std::map<std::string, size_t> index;
};

Received run(const std::function<void(FakeItt&)>& program) {
  ListeningPeer peer;
  int status = 0;
  auto received = peer.run(
      [&] {
        FakeItt fake;
        attach_itt(&fake.global);
        program(fake);
      },
      &status);
  REQUIRE(status == 0);
  REQUIRE(received.size() == 1);
  return received[0];
}

TEST_CASE("tasks nest and carry their domain; what is not wanted is switched off") {
  const auto received = run([](FakeItt& fake) {
    expect(fake.pointers[fake.index.at("__itt_sync_create")] == nullptr);
    itt::Domain* domain = fake.domain("D");
    expect(domain->flags == 1 && std::strcmp(domain->name, "D") == 0 && fake.domain("D") == domain);
    expect(fake.string("outer") == fake.string("outer") && std::strcmp(fake.string("outer")->text, "outer") == 0);
    fake.begin(domain, fake.string("outer"));
    fake.begin(domain, fake.string("inner"));
    fake.end(domain);
    fake.end(domain);
    fake.end(domain);
    fake.begin(domain, nullptr);
    fake.end(domain);
  });
  REQUIRE(received.span_names() == std::vector<std::string>{"inner", "outer", "range"});
  CHECK(received.spans[0].parent == received.spans[1].id);
  CHECK(received.spans[0].kind == kIttTask);
  CHECK(received.spans[0].level == 1);
  CHECK(received.spans[0].type == "D");
}

TEST_CASE("tasks of oneDNN are library calls, named after the primitive") {
  const auto received = run([](FakeItt& fake) {
    itt::Domain* execute = fake.domain("dnnl::primitive::execute");
    itt::Domain* create = fake.domain("dnnl::primitive::create");
    fake.begin(create, fake.string("convolution"));
    fake.end(create);
    fake.begin(execute, fake.string("convolution"));
    fake.begin(execute, fake.string("reorder"));
    fake.end(execute);
    fake.end(execute);
  });
  REQUIRE(received.span_names() == std::vector<std::string>{"convolution create", "reorder", "convolution"});
  CHECK(received.spans[1].parent == received.spans[2].id);
  for (const auto& span : received.spans) {
    CHECK(span.kind == kLibraryCall);
    CHECK(span.level == 4);
    CHECK(span.type == "onednn");
  }
}

TEST_CASE("a task of oneDNN inside a wrapped call of oneDNN is not recorded again") {
  const auto received = run([](FakeItt& fake) {
    itt::Domain* execute = fake.domain("dnnl::primitive::execute");
    const uint64_t wrapped = start_span(intern("dnnl_primitive_execute"), 4, kLibraryCall, intern("onednn"), 0);
    fake.begin(execute, fake.string("convolution"));
    fake.end(execute);
    finish_span(wrapped, {});
    const uint64_t other = start_span(intern("sgemm_"), 4, kLibraryCall, intern("blas"), 0);
    fake.begin(execute, fake.string("matmul"));
    fake.end(execute);
    finish_span(other, {});
  });
  CHECK(received.span_names() == std::vector<std::string>{"dnnl_primitive_execute", "matmul", "sgemm_"});
}

TEST_CASE("--level layer leaves out the calls of oneDNN, and --level model all tasks") {
  for (const std::string level : {"layer", "model"}) {
    ListeningPeer peer;
    const auto received = peer.run([&] {
      setenv("XSP_LEVEL", level.c_str(), 1);
      FakeItt fake;
      attach_itt(&fake.global);
      itt::Domain* execute = fake.domain("dnnl::primitive::execute");
      itt::Domain* plain = fake.domain("D");
      for (itt::Domain* domain : {execute, plain}) {
        fake.begin(domain, fake.string("task"));
        fake.end(domain);
      }
    });
    REQUIRE(received.size() == 1);
    CHECK(received[0].spans.size() == (level == "layer" ? 1 : 0));
  }
}

TEST_CASE("domains and strings made before the library found us work") {
  const auto received = run([](FakeItt& fake) {
    itt::Domain early{1, "early", nullptr, 0, nullptr, nullptr};
    itt::Domain off{0, "off", nullptr, 0, nullptr, nullptr};
    itt::StringHandle name{"name", nullptr, 0, nullptr, nullptr};
    itt::StringHandle odd{"odd", nullptr, 123456, nullptr, nullptr};
    for (itt::Domain* domain : {&early, &off}) {
      for (itt::StringHandle* text : {&name, &odd}) {
        fake.begin(domain, text);
        fake.end(domain);
      }
    }
  });
  CHECK(received.span_names() == std::vector<std::string>{"name", "odd"});
  CHECK(received.spans[0].type == "early");
}

TEST_CASE("the text that oneDNN sends with a task becomes its argument, any other format is left alone") {
  const auto received = run([](FakeItt& fake) {
    itt::Domain* execute = fake.domain("dnnl::primitive::execute");
    fake.format(execute, "%s", "before any task");
    fake.begin(execute, fake.string("convolution"));
    fake.format(execute, "%s", "cpu,convolution,mb1");
    fake.format(execute, "%n%s%s", "not read");
    fake.end(execute);
    itt::Domain* plain = fake.domain("D");
    fake.begin(plain, fake.string("task"));
    fake.call<void(const itt::Domain*, itt::Id, itt::StringHandle*, const char*, size_t)>(
        "__itt_metadata_str_add", plain, itt::Id{}, fake.string("key"), "data that goes on", size_t{4});
    fake.end(plain);
  });
  REQUIRE(received.span_names() == std::vector<std::string>{"convolution", "task"});
  std::vector<std::string> texts;
  for (const auto& packet : received.trace.packet()) {
    if (!packet.has_arguments()) continue;
    const auto& batch = packet.arguments();
    uint32_t span = 0;
    for (int i = 0; i < batch.span_size(); ++i) {
      span += batch.span(i) >> 1;
      REQUIRE(batch.length(i) == 4);
      uint32_t id;
      std::memcpy(&id, batch.values().data() + texts.size() * 4, 4);
      CHECK(span == received.spans[texts.size()].id);
      texts.push_back(received.strings.at(batch.layout(i)) + " " + received.strings.at(id));
    }
  }
  CHECK(texts == std::vector<std::string>{"problem:s4 cpu,convolution,mb1", "metadata:s4 data"});
}

TEST_CASE("a list of another version or without the mark is left as it is") {
  FakeItt fake;
  attach_itt(nullptr);
  fake.global.version_major = 2;
  attach_itt(&fake.global);
  CHECK(fake.pointers[0] == FakeItt::before_init);
  fake.global.version_major = 3;
  fake.global.magic[0] = 0;
  attach_itt(&fake.global);
  CHECK(fake.pointers[0] == FakeItt::before_init);
}

TEST_CASE("hostile names of tasks and domains do no harm") {
  const std::string huge(10'000'000, 'z');
  const auto received = run([&](FakeItt& fake) {
    itt::Domain* domain = fake.domain(huge.c_str());
    fake.begin(domain, fake.string(huge.c_str()));
    fake.end(domain);
    itt::Domain* dnnl = fake.domain(("dnnl::" + huge).c_str());
    fake.begin(dnnl, fake.string(huge.c_str()));
    fake.end(dnnl);
    fake.begin(nullptr, nullptr);
    fake.end(nullptr);
    fake.begin(fake.domain(nullptr), fake.string(nullptr));
    fake.begin(domain, fake.string("\xff\x01%s"));
    fake.end(domain);
  });
  REQUIRE(received.spans.size() == 3);
  CHECK(received.spans[0].name == std::string(kMaxRangeText, 'z'));
  CHECK(received.spans[1].name.size() < 256);
  CHECK(received.spans[2].name == "\xff\x01%s");
}

}  // namespace
