#include "inject/torch/live_blocks.h"

#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "test/catch.h"

namespace {

using xsp::guest::LiveBlocks;

class Table {
 public:
  explicit Table(size_t count) : entries_(count), blocks_(entries_.data(), count) {}
  const LiveBlocks* operator->() const { return &blocks_; }

 private:
  std::vector<LiveBlocks::Entry> entries_;
  LiveBlocks blocks_;
};

const void* address(uint64_t number) { return reinterpret_cast<const void*>(0x7f0000000000 + number * 64); }

TEST_CASE("what was entered is taken out once, with its size") {
  const Table table(1024);
  std::map<uint64_t, uint64_t> known;
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t number = random() % 400;
    if (const auto found = known.find(number); found != known.end()) {
      REQUIRE(table->take(address(number)) == found->second);
      known.erase(found);
    } else {
      REQUIRE(table->take(address(number)) == 0);
      const uint64_t bytes = 1 + random() % 1000;
      if (table->enter(address(number), bytes)) known[number] = bytes;
    }
  }
  // At most 40 % full, hardly any window is.
  CHECK(known.size() > 150);
}

TEST_CASE("a full table refuses what it cannot hold and keeps the rest") {
  const Table table(64);
  std::vector<uint64_t> held;
  for (uint64_t number = 0; number < 1000; ++number) {
    if (table->enter(address(number), number + 1)) held.push_back(number);
  }
  CHECK(held.size() >= 32);
  CHECK(held.size() <= 64);
  for (const uint64_t number : held) CHECK(table->take(address(number)) == number + 1);
  for (uint64_t number = 0; number < 1000; ++number) CHECK(table->take(address(number)) == 0);
}

TEST_CASE("threads enter and take their blocks beside one another") {
  const Table table(1 << 14);
  std::vector<std::thread> threads;
  std::atomic<uint64_t> wrong{0};
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(thread);
      for (int i = 0; i < 50'000; ++i) {
        const uint64_t number = random() % 500 * 4 + thread;
        if (!table->enter(address(number), number + 1)) continue;
        if (table->take(address(number)) != number + 1) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  for (uint64_t number = 0; number < 2000; ++number) CHECK(table->take(address(number)) == 0);
}

}  // namespace
