#include "collector/continuous/storage_budget.h"

#include "test/catch.h"
#include "test/collector/nanoseconds.h"

namespace xsp::test {
namespace {

constexpr uint64_t kBegin = 1000 * kSecond;

TEST_CASE("without limits everything is stored") {
  StorageBudget budget;
  CHECK_FALSE(budget.has_limits());
  CHECK_FALSE(budget.advance(kBegin, 1 << 30));
  CHECK(budget.stores(0));
  CHECK(budget.stores(UINT64_MAX));
}

/// Writes all that is stored, `rate` bytes a second for a minute, and returns how many bytes these were.
uint64_t written_in_a_minute(StorageBudget& budget, uint64_t rate, uint64_t delay_ns) {
  constexpr uint64_t kStep = 10'000'000;
  uint64_t written = 0;
  for (uint64_t now = kBegin; now < kBegin + 60 * kSecond; now += kStep) {
    budget.advance(now, written);
    if (budget.stores(now - delay_ns)) written += rate / 100;
  }
  return written;
}

TEST_CASE("the rate is kept, whatever comes and however late") {
  for (const uint64_t rate : {20'000, 200'000, 10'000'000}) {
    for (const uint64_t delay : {uint64_t{0}, kSecond / 2, 2 * kSecond}) {
      StorageBudget budget({.bytes_per_second = 100'000}, kBegin);
      const uint64_t written = written_in_a_minute(budget, rate, delay);
      const uint64_t late = (delay + StorageBudget::kWindowNs) * rate / kSecond;
      INFO("rate " << rate << " delay " << delay << " written " << written);
      CHECK(written <= 64 * 100'000 + late);
      if (rate == 20'000) CHECK(written == 60 * 20'000);
      if (rate == 200'000) CHECK(written >= 50 * 100'000);
    }
  }
}

TEST_CASE("what is decided of a window holds for it, for all that comes late") {
  StorageBudget budget({.bytes_per_second = 1000}, kBegin);
  REQUIRE_FALSE(budget.advance(kBegin, 0));
  REQUIRE_FALSE(budget.off_since_ns());
  // Far too much at once: from the next window on nothing is stored.
  REQUIRE(budget.advance(kBegin + StorageBudget::kWindowNs, 10'000));
  const uint64_t off = kBegin + StorageBudget::kWindowNs;
  CHECK(budget.off_since_ns() == off);
  CHECK(budget.stores(kBegin));
  CHECK(budget.stores(off - 1));
  CHECK_FALSE(budget.stores(off));
  CHECK_FALSE(budget.stores(off + 5 * StorageBudget::kWindowNs));
  CHECK_FALSE(budget.advance(off + kSecond, 10'000));
  // 6,000 bytes of debt, and 2,000 to be full by half: eight seconds from then.
  CHECK_FALSE(budget.advance(kBegin + 8 * kSecond, 10'000));
  REQUIRE(budget.advance(kBegin + 9 * kSecond, 10'000));
  CHECK_FALSE(budget.off_since_ns());
  const uint64_t on = budget.on_since_ns();
  CHECK(on > kBegin + 8 * kSecond);
  CHECK(budget.stores(on));
  CHECK_FALSE(budget.stores(on - 1));
  CHECK_FALSE(budget.stores(off));
  CHECK(budget.stores(off - 1));
  // Days later the windows of then are forgotten; what began in them is stored.
  budget.advance(kBegin + 4 * 86400 * kSecond, 10'000);
  CHECK(budget.stores(off));
}

TEST_CASE("a file that is full stays so, with room for what closes it") {
  constexpr uint64_t kSize = 1 << 20;
  const uint64_t room = StorageBudget::room_for_counts(kSize);
  StorageBudget budget({.bytes = kSize}, kBegin);
  CHECK_FALSE(budget.advance(kBegin + kSecond, kSize - room - 1));
  CHECK(budget.advance(kBegin + 2 * kSecond, kSize - room));
  CHECK(budget.is_full());
  // What began before may come; it has half of the room.
  CHECK(budget.stores(kBegin + kSecond));
  CHECK_FALSE(budget.stores(kBegin + 2 * kSecond));
  budget.advance(kBegin + 3 * kSecond, kSize - room, room / 2);
  CHECK_FALSE(budget.stores(kBegin + kSecond));
  CHECK_FALSE(budget.advance(kBegin + 1000 * kSecond, kSize - room));
  CHECK(budget.is_full());
}

TEST_CASE("a burst that would not fit ends the storing at once") {
  constexpr uint64_t kSize = 1 << 20;
  StorageBudget budget({.bytes = kSize}, kBegin);
  CHECK(budget.advance(kBegin + 1, 0, kSize));
  CHECK(budget.off_since_ns());
  CHECK_FALSE(budget.stores(kBegin));
}

}  // namespace
}  // namespace xsp::test
