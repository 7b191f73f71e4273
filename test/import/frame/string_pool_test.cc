#include "import/frame/string_pool.h"

#include <string>

#include "test/catch.h"

namespace xsp::test {
namespace {

TEST_CASE("equal texts have one id, and texts stay where they are") {
  StringPool pool;
  CHECK(pool.intern("") == 0);
  CHECK(pool.intern("a") == 1);
  const std::string_view first = pool.text(1);
  for (uint32_t i = 0; i < 100'000; ++i) REQUIRE(pool.intern(std::to_string(i) + std::string(i % 50, 'x')) == i + 2);
  CHECK(pool.intern("a") == 1);
  CHECK(pool.text(1).data() == first.data());
  CHECK(pool.text(0).empty());
  CHECK(pool.intern("99xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") == 101);
  const std::string large(1'000'000, 'y');
  CHECK(pool.text(pool.intern(large)) == large);
  CHECK(pool.size() == 100'002);
}

}  // namespace
}  // namespace xsp::test
