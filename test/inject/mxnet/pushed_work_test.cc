#include "inject/mxnet/pushed_work.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "test/catch.h"

namespace xsp::test {
namespace {

using guest::StdFunction;

/// As large as MXNet's, which are passed on the stack where they are passed by value.
struct RunContext {
  uint64_t words[4];
};
struct Done {
  uint64_t words[3];
};
using Function = std::function<void(RunContext, Done)>;

static_assert(sizeof(Function) == sizeof(StdFunction));

StdFunction& words_of(Function& function) { return reinterpret_cast<StdFunction&>(function); }
Function& function_of(StdFunction& words) { return reinterpret_cast<Function&>(words); }

struct Seen {
  uint64_t sum = 0;
  int calls = 0;
};

Function adds(const std::shared_ptr<Seen>& seen) {
  return [seen](const RunContext& context, const Done& done) {
    seen->calls++;
    for (const uint64_t word : context.words) seen->sum += word;
    for (const uint64_t word : done.words) seen->sum += word;
  };
}

/// A function as older compilers make it, whose parameters are passed by value.
struct ByValue {
  Seen seen;

  static void invoke(const StdFunction* function, RunContext context, Done done) {
    Seen& seen = static_cast<ByValue*>(function->callable[0])->seen;
    seen.calls++;
    for (const uint64_t word : context.words) seen.sum += word;
    for (const uint64_t word : done.words) seen.sum += word;
  }
  static bool manage(StdFunction* to, const StdFunction* from, StdFunction::Operation operation) {
    if (operation == StdFunction::Operation::kClone) to->callable[0] = from->callable[0];
    return false;
  }
};

TEST_CASE("a wrapped function of libstdc++ gets its arguments, and is destroyed once, with its last copy") {
  const auto seen = std::make_shared<Seen>();
  Function original = adds(seen);
  CHECK(seen.use_count() == 2);
  StdFunction wrapped = guest::wrap_work(words_of(original), 0, {});
  REQUIRE(wrapped.manager != nullptr);
  CHECK_FALSE(original);  // taken
  {
    Function copy = function_of(wrapped);
    wrapped.destroy();
    copy({{1, 2, 3, 4}}, {{5, 6, 7}});
    Function moved = std::move(copy);
    CHECK(seen.use_count() == 2);
    moved({{1, 0, 0, 0}}, {{0, 0, 1}});
  }
  CHECK(seen->calls == 2);
  CHECK(seen->sum == 30);
  CHECK(seen.use_count() == 1);
}

TEST_CASE("arguments by value lie on the stack, and arrive as well") {
  ByValue by_value;
  StdFunction original{.callable = {&by_value, nullptr},
                       .manager = ByValue::manage,
                       .invoker = reinterpret_cast<void*>(ByValue::invoke)};
  StdFunction wrapped = guest::wrap_work(original, 0, {});
  const auto invoke = reinterpret_cast<void (*)(const StdFunction*, RunContext, Done)>(wrapped.invoker);
  invoke(&wrapped, {{1, 2, 3, 4}}, {{5, 6, 7}});
  wrapped.destroy();
  CHECK(by_value.seen.calls == 1);
  CHECK(by_value.seen.sum == 28);
}

TEST_CASE("an exception passes through a wrapped function, which is destroyed all the same") {
  const auto seen = std::make_shared<Seen>();
  Function original = [seen](const RunContext&, const Done&) { throw std::runtime_error("no"); };
  StdFunction wrapped = guest::wrap_work(words_of(original), 0, {});
  CHECK_THROWS_AS(function_of(wrapped)({}, {}), std::runtime_error);
  wrapped.destroy();
  CHECK(seen.use_count() == 1);
}

TEST_CASE("a function that destroys itself while it runs is destroyed behind its end") {
  const auto seen = std::make_shared<Seen>();
  StdFunction wrapped{};
  Function original = [seen, &wrapped](const RunContext&, const Done&) {
    wrapped.destroy();
    seen->calls++;
    CHECK(seen.use_count() == 2);
  };
  wrapped = guest::wrap_work(words_of(original), 0, {});
  const StdFunction running = wrapped;
  const auto invoke = reinterpret_cast<void (*)(const StdFunction*, const RunContext&, const Done&)>(running.invoker);
  invoke(&running, {}, {});
  CHECK(seen->calls == 1);
  CHECK(seen.use_count() == 1);
}

TEST_CASE("kept functions are known, and are pushed again") {
  const auto seen = std::make_shared<Seen>();
  Function original = adds(seen);
  CHECK_FALSE(guest::is_kept_work(words_of(original)));
  StdFunction kept = guest::wrap_kept_work(words_of(original));
  CHECK(guest::is_kept_work(kept));
  for (int i = 0; i < 20; ++i) guest::push_again(kept, 0);  // more than it remembers
  for (int i = 0; i < 20; ++i) function_of(kept)({{1}}, {});
  kept.destroy();
  CHECK(seen->calls == 20);
  CHECK(seen.use_count() == 1);
}

}  // namespace
}  // namespace xsp::test
