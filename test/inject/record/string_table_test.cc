#include "inject/record/string_table.h"

#include <sys/mman.h>
#include <unistd.h>

#include <set>
#include <string>
#include <thread>

#include "proto/string_ids.h"
#include "test/catch.h"

namespace {

using namespace xsp::guest;

struct Fixture {
  SharedRegion region{};
  StringTable strings{};
  Fixture() {
    REQUIRE(create_shared_region(&region, 0));
    REQUIRE(strings.open(region));
  }
  ~Fixture() {
    munmap(region.base, region.bytes);
    close(region.descriptor);
  }
};

TEST_CASE("a string has one id, from 1 without gaps, and reads back") {
  Fixture fixture;
  for (uint32_t i = 1; i <= 20000; ++i) {
    REQUIRE(fixture.strings.intern(fixture.region, "layer" + std::to_string(i)) == i);
  }
  for (uint32_t i = 1; i <= 20000; i += 7) {
    REQUIRE(fixture.strings.intern(fixture.region, "layer" + std::to_string(i)) == i);
    REQUIRE(fixture.strings.text(fixture.region, i) == "layer" + std::to_string(i));
  }
  CHECK(fixture.strings.intern(fixture.region, "") == 0);
  CHECK(fixture.strings.text(fixture.region, 0).empty());
  CHECK(fixture.strings.text(fixture.region, 20001).empty());
}

TEST_CASE("a string that can be found is counted") {
  Fixture fixture;
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    for (uint32_t i = 1; i <= 200'000; ++i) fixture.strings.intern(fixture.region, std::to_string(i));
    is_over.store(true);
  });
  uint32_t found = 0;
  bool is_counted = true;
  while (!is_over.load()) {
    const uint32_t id = fixture.strings.find(fixture.region, std::to_string(found + 1));
    is_counted = is_counted && id <= fixture.region.header()->string_count.load(std::memory_order_acquire);
    if (id != 0) found = id;
  }
  writer.join();
  CHECK(found > 0);
  CHECK(is_counted);
}

TEST_CASE("bytes of any kind are kept, and long strings are cut") {
  Fixture fixture;
  const std::string binary("\0\xff<>\n", 5);
  const uint32_t id = fixture.strings.intern(fixture.region, binary);
  CHECK(fixture.strings.text(fixture.region, id) == binary);
  const std::string longest(xsp::kMaxStringBytes + 5000, 'x');
  const uint32_t cut = fixture.strings.intern(fixture.region, longest);
  CHECK(fixture.strings.text(fixture.region, cut).size() == xsp::kMaxStringBytes);
  CHECK(fixture.strings.intern(fixture.region, longest) == cut);
}

TEST_CASE("a full arena gives no id, counts, and keeps what it has") {
  Fixture fixture;
  const std::string filler(16000, 'y');
  uint32_t last = 0;
  for (uint32_t i = 0; i < 10000; ++i) {
    const uint32_t id = fixture.strings.intern(fixture.region, std::to_string(i) + filler);
    if (id == 0) break;
    last = id;
  }
  CHECK(last > 1000);
  CHECK(fixture.strings.intern(fixture.region, filler + "one more") == 0);
  CHECK(fixture.region.header()->losses[4].load() >= 1);
  CHECK(fixture.strings.text(fixture.region, last).substr(0, 4) == std::to_string(last - 1).substr(0, 4));
}

TEST_CASE("strings copied to another region keep their ids there") {
  Fixture parent;
  for (int i = 1; i <= 5000; ++i) parent.strings.intern(parent.region, "name" + std::to_string(i));
  SharedRegion region{};
  REQUIRE(create_shared_region(&region, 0));
  copy_strings(parent.region, region);
  StringTable strings{};
  REQUIRE(strings.open(region));
  CHECK(strings.intern(region, "name4711") == 4711);
  CHECK(strings.intern(region, "new in the child") == 5001);
  CHECK(parent.strings.intern(parent.region, "new in the parent") == 5001);
  munmap(region.base, region.bytes);
  close(region.descriptor);
}

}  // namespace
