// How much work a processor hides behind a pair of clock reads: the time from one rdtsc to the next with a number of
// instructions between them that depend on neither. Prints TSC ticks a pair, for instructions that only compute and for
// those of which every fourth stores.

#include <x86intrin.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

constexpr int kPairs = 2000;
constexpr int kRounds = 400;

constexpr int kLines = 16;
uint64_t lines[kLines][64];  // what is stored to

template <int instructions, bool stores>
void work(int pair, uint64_t (&values)[4]) {
  uint64_t* const places = lines[pair % kLines];
#pragma GCC unroll 64
  for (int i = 0; i < instructions; i += 4) {
    uint64_t& place = places[i / 4];
    if constexpr (stores) {
      asm volatile("mov %3, %4\n lea 1(%0), %0\n lea 1(%1), %1\n lea 1(%2), %2"
                   : "+r"(values[0]), "+r"(values[1]), "+r"(values[2])
                   : "r"(values[3]), "m"(place)
                   : "memory");
    } else {
      asm volatile("lea 1(%0), %0\n lea 1(%1), %1\n lea 1(%2), %2\n lea 1(%3), %3"
                   : "+r"(values[0]), "+r"(values[1]), "+r"(values[2]), "+r"(values[3]));
    }
  }
}

/// The first decile of the rounds: those that nothing interrupted.
template <int instructions, bool stores>
double ticks_of_pair() {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    uint64_t values[4] = {1, 2, 3, 4};
    const uint64_t begin = __rdtsc();
    for (int pair = 0; pair < kPairs; ++pair) {
      const uint64_t first = __rdtsc();
      work<instructions, stores>(pair, values);
      const uint64_t second = __rdtsc();
      asm volatile("" : : "r"(first), "r"(second));
    }
    rounds.push_back(static_cast<double>(__rdtsc() - begin) / kPairs);
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 10, rounds.end());
  return rounds[kRounds / 10];
}

template <bool stores, int... instructions>
void print(const char* what, std::integer_sequence<int, instructions...>) {
  std::printf("%-22s", what);
  (std::printf("  %d: %.1f", instructions, ticks_of_pair<instructions, stores>()), ...);
  std::puts("");
}

}  // namespace

int main() {
  using Steps = std::integer_sequence<int, 0, 16, 32, 64, 96, 128, 192>;
  print<false>("only computing", Steps{});
  print<true>("every fourth stores", Steps{});
}
