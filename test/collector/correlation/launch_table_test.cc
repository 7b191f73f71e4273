#include "collector/correlation/launch_table.h"

#include "collector/messages/peer_limits.h"
#include "test/catch.h"

namespace xsp {
namespace {

constexpr size_t kPageIds = 1024;

TEST_CASE("a launch is found by its correlation id, whatever the id") {
  LaunchTable table;
  for (const uint32_t id : {1U, 2U, 1023U, 1024U, 1U << 31, UINT32_MAX}) table.add(id, {id % 7 + 1, id});
  for (const uint32_t id : {1U, 2U, 1023U, 1024U, 1U << 31, UINT32_MAX}) {
    CHECK(table.find(id).id == id);
    CHECK(table.find(id).ring == id % 7 + 1);
  }
  for (const uint32_t id : {0U, 3U, 1025U, 5'000'000U}) CHECK(table.find(id).ring == 0);
}

TEST_CASE("an id that comes again is that of the later launch") {
  LaunchTable table;
  table.add(5, {1, 10});
  table.add(5, {2, 11});
  CHECK(table.find(5).ring == 2);
  CHECK(table.find(5).id == 11);
}

TEST_CASE("ids go on past 2^32") {
  LaunchTable table;
  uint32_t id = UINT32_MAX - 5000;
  for (uint32_t i = 0; i < 10'000; ++i, ++id) table.add(id, {1, i + 1});
  id = UINT32_MAX - 5000;
  for (uint32_t i = 0; i < 10'000; ++i, ++id) REQUIRE(table.find(id).id == (id == 0 ? 0 : i + 1));
}

TEST_CASE("the launches used least recently are forgotten first") {
  LaunchTable table;
  for (uint32_t page = 0; page < kMaxLaunchPages; ++page) table.add(page * kPageIds + 1, {1, page + 1});
  CHECK(table.find(1).id == 1);
  for (uint32_t page = kMaxLaunchPages; page < kMaxLaunchPages + 100; ++page) {
    table.add(page * kPageIds + 2, {1, page + 1});
  }
  CHECK(table.pages() == kMaxLaunchPages);
  CHECK(table.find(1).id == 1);
  CHECK(table.find(kPageIds + 1).ring == 0);
  CHECK(table.find(101 * kPageIds + 1).id == 102);
  // Memory that is used again keeps nothing of what it held.
  for (uint32_t i = 0; i < kPageIds; ++i) {
    REQUIRE(table.find(static_cast<uint32_t>(kMaxLaunchPages * kPageIds) + i).ring == (i == 2 ? 1 : 0));
  }
}

TEST_CASE("launches that nothing asked for during a minute are forgotten, others stay") {
  LaunchTable table;
  table.add(1, {1, 1});
  table.add(kPageIds, {1, 2});
  for (int second = 0; second < 200; ++second) {
    table.begin_second();
    CHECK(table.find(1).id == 1);
  }
  CHECK(table.pages() == 1);
  CHECK(table.find(kPageIds).ring == 0);
}

}  // namespace
}  // namespace xsp
