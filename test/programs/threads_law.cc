// A model whose layers take a known time with each number of threads: threads_law [EVALUATIONS]. With n threads, as
// OMP_NUM_THREADS says, a layer takes a/n + b·n: work that n threads share, and what each of them costs. So sqrt(a/b)
// threads are best for it, or one of the two whole numbers around that. All of it is printed as JSON, so that a test
// has the truth from here. No threads are started: time passes by the clock.
#include <xsp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

constexpr int64_t kUs = 1000;
// A sleep ends late, by its timer's slack at least: the rest of the time is spent by looking at the clock.
constexpr int64_t kBusyNs = 1000 * kUs;

struct LayerLaw {
  const char* name;
  int64_t shared_us;  // a
  int64_t each_us;    // b
};

// Best with 4, with 1, and with 3 threads; together (a = 12.4 ms, b = 3.1 ms) with 2.
constexpr LayerLaw kLaws[] = {{"conv", 8000, 500}, {"dense", 2200, 2400}, {"pool", 2200, 200}};

int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1'000'000'000) + time.tv_nsec;
}

void pass_until(int64_t end) {
  const int64_t wake = end - kBusyNs;
  const timespec at = {static_cast<time_t>(wake / 1'000'000'000), static_cast<long>(wake % 1'000'000'000)};
  if (now_ns() < wake) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  while (now_ns() < end) {
  }
}

int64_t law_ns(const LayerLaw& law, int64_t threads) {
  return law.shared_us * kUs / threads + law.each_us * kUs * threads;
}

int64_t model_ns(int64_t threads) {
  int64_t sum = 0;
  for (const LayerLaw& law : kLaws) sum += law_ns(law, threads);
  return sum;
}

/// The fewest threads with the shortest time. The time falls up to the best number and rises behind it.
template <typename Time>
int64_t best_threads(const Time& time) {
  int64_t best = 1;
  while (time(best + 1) < time(best)) ++best;
  return best;
}

}  // namespace

int main(int count, char** arguments) {
  const int evaluations = count > 1 ? std::atoi(arguments[1]) : 10;
  const char* given = std::getenv("OMP_NUM_THREADS");
  const int threads = given != nullptr && std::atoi(given) > 0 ? std::atoi(given) : 1;
  const xsp_name net = xsp_intern("net");
  for (int i = 0; i < evaluations; ++i) {
    const xsp_span model = xsp_start_span(net, XSP_MODEL);
    for (const LayerLaw& law : kLaws) {
      const int64_t begin = now_ns();
      const xsp_span layer = xsp_start_span(xsp_intern(law.name), XSP_LAYER);
      pass_until(begin + law_ns(law, threads));
      xsp_finish_span(layer);
    }
    xsp_finish_span(model);
  }
  const auto ms = [](int64_t ns) { return static_cast<double>(ns) / 1e6; };
  std::printf("{\"threads\": %d, \"evaluations\": %d, \"net\": {\"ms\": %g, \"best\": %lld}", threads, evaluations,
              ms(model_ns(threads)), static_cast<long long>(best_threads(model_ns)));
  for (const LayerLaw& law : kLaws) {
    std::printf(", \"%s\": {\"ms\": %g, \"best\": %lld}", law.name, ms(law_ns(law, threads)),
                static_cast<long long>(best_threads([&](int64_t n) { return law_ns(law, n); })));
  }
  std::printf("}\n");
  return 0;
}
