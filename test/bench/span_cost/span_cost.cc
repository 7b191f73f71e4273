#include "test/bench/span_cost/span_cost.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>

#include <pthread.h>
#include <sched.h>

namespace xsp::bench {
namespace {

void nothing() { asm volatile("" ::: "memory"); }

double nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double calibrate_ns_per_tick() {
  const double begin_ns = nanoseconds(CLOCK_MONOTONIC);
  const uint64_t begin = __rdtsc();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const uint64_t ticks = __rdtsc() - begin;
  return (nanoseconds(CLOCK_MONOTONIC) - begin_ns) / static_cast<double>(ticks);
}

template <typename Number>
double quantile(std::vector<Number>& values, double fraction) {
  if (values.empty()) return 0;
  const auto at = std::min(values.size() - 1, static_cast<size_t>(fraction * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return static_cast<double>(values[at]);
}

struct Samples {
  std::vector<uint32_t> batches;  // ticks of kBatch spans
  std::vector<uint32_t> singles;  // ticks of one span and of the probe
  std::vector<uint32_t> firsts;   // those of them that were the first ones after a rest
  std::vector<double> cpu;        // ns a span, of a burst
  uint64_t recorded = 0;
};

/// After the warm-up: a tracer starts its own thread at a first span, and that is not to inherit this.
void claim_processor(const Settings& settings) {
  if (settings.cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(settings.cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  }
  const sched_param priority{.sched_priority = settings.fifo};
  if (settings.fifo > 0) pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
}

/// Between the batches of a stream: the caches stay warm, and the consumer works meanwhile.
void keep_pace(const Settings& settings, uint64_t ticks) {
  if (settings.pace_us == 0) return;
  const uint64_t begin = __rdtsc();
  while (__rdtsc() - begin < ticks) {
  }
}

void rest(const Settings& settings) { std::this_thread::sleep_for(std::chrono::microseconds(settings.rest_us)); }

void run_batches(const Settings& settings, uint64_t pace_ticks, const Subject& subject, Samples* samples) {
  for (int done = 0; done < settings.spans; done += kBatch) {
    const uint64_t begin = __rdtsc();
    subject.batch();
    samples->batches.push_back(static_cast<uint32_t>(__rdtsc() - begin));
    samples->recorded += kBatch;
    keep_pace(settings, pace_ticks);
  }
}

void run_singles(const Settings& settings, uint64_t pace_ticks, const Subject& subject, Samples* samples) {
  const size_t before = samples->singles.size();
  samples->singles.resize(before + static_cast<size_t>(settings.spans));
  for (int done = 0; done < settings.spans; done += kBatch) {
    subject.singles(samples->singles.data() + before + done, kBatch);
    keep_pace(settings, pace_ticks);
  }
  samples->firsts.push_back(samples->singles[before]);
  samples->recorded += static_cast<uint64_t>(settings.spans);
}

void run_for_cpu(int spans, const Subject& subject, Samples* samples) {
  const double begin = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  int done = 0;
  for (; done < spans; done += kBatch) subject.batch();
  samples->cpu.push_back((nanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin) / done);
  samples->recorded += static_cast<uint64_t>(done);
}

/// The subjects in turn, so that what the machine does meanwhile falls on all alike.
void run_rested(const Settings& settings, const std::vector<Subject>& subjects, std::vector<Samples>* samples) {
  for (int done = 0; done < settings.rested; ++done) {
    for (size_t i = 0; i < subjects.size(); ++i) {
      rest(settings);
      uint32_t ticks;
      subjects[i].singles(&ticks, 1);
      (*samples)[i].firsts.push_back(ticks);
      ++(*samples)[i].recorded;
    }
  }
}

/// One thread's part; `samples` by subject. The warm-up burst of each subject is no sample.
void run(const Settings& settings, uint64_t pace_ticks, const std::vector<Subject>& subjects, bool claims,
         std::vector<Samples>* samples) {
  constexpr int kWarmUp = 2000;
  samples->resize(subjects.size());
  for (size_t i = 0; i < subjects.size(); ++i) {
    Samples& own = (*samples)[i];
    const auto room = static_cast<size_t>(settings.bursts) * static_cast<size_t>(settings.spans);
    if (claims) own.singles.resize(room), own.singles.clear();  // touched: no page fault is measured
    if (claims) own.batches.resize(room), own.batches.clear();
    run_for_cpu(kWarmUp, subjects[i], &own);
    own.cpu.clear();
    rest(settings);
  }
  rest(settings);
  if (claims) claim_processor(settings);
  if (settings.rested > 0) return run_rested(settings, subjects, samples);
  for (int burst = 0; burst < settings.bursts; ++burst) {
    for (size_t i = 0; i < subjects.size(); ++i) {
      if (!claims) {
        run_for_cpu(settings.spans, subjects[i], &(*samples)[i]);
      } else if (burst % 2 == 0) {
        run_batches(settings, pace_ticks, subjects[i], &(*samples)[i]);
      } else {
        run_singles(settings, pace_ticks, subjects[i], &(*samples)[i]);
      }
      rest(settings);
    }
  }
}

Settings read_settings(int argc, char** argv) {
  Settings settings;
  const std::pair<const char*, int*> options[] = {
      {"--bursts", &settings.bursts},     {"--spans", &settings.spans},     {"--rest-us", &settings.rest_us},
      {"--threads", &settings.threads},   {"--cpu", &settings.cpu},         {"--fifo", &settings.fifo},
      {"--cpu-time", &settings.cpu_time}, {"--pace-us", &settings.pace_us}, {"--rested", &settings.rested},
  };
  for (int i = 1; i + 1 < argc; i += 2) {
    for (const auto& [name, value] : options) {
      if (std::strcmp(argv[i], name) == 0) *value = std::atoi(argv[i + 1]);
    }
  }
  return settings;
}

double mean(const std::vector<uint32_t>& values) {
  double sum = 0;
  for (const uint32_t value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

void print_percentiles(Samples& samples, double ns_per_tick, double probe) {
  std::printf("\"min\": %.2f, \"median\": %.2f", quantile(samples.batches, 0) * ns_per_tick / kBatch,
              quantile(samples.batches, 0.5) * ns_per_tick / kBatch);
  std::printf(", \"mean\": %.2f", mean(samples.batches) * ns_per_tick / kBatch);
  const std::pair<const char*, double> percentiles[] = {
      {"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};
  for (const auto& [name, fraction] : percentiles) {
    std::printf(", \"%s\": %.1f", name, std::max(0.0, quantile(samples.singles, fraction) - probe) * ns_per_tick);
  }
  std::printf(", \"first\": %.1f", std::max(0.0, quantile(samples.firsts, 0.5) - probe) * ns_per_tick);
}

void print_rested(Samples& samples, double ns_per_tick) {
  const std::pair<const char*, double> percentiles[] = {{"least", 0}, {"p50", 0.5}, {"p99", 0.99}};
  for (const auto& [name, fraction] : percentiles) {
    std::printf("%s\"%s\": %.1f", fraction == 0 ? "" : ", ", name, quantile(samples.firsts, fraction) * ns_per_tick);
  }
}

}  // namespace

int measure(int argc, char** argv, const std::vector<Subject>& own_subjects) {
  const Settings settings = read_settings(argc, argv);
  const double ns_per_tick = calibrate_ns_per_tick();
  std::vector<Subject> subjects = {subject<nothing>("nothing"), subject<two_rdtsc>("floor")};
  subjects.insert(subjects.end(), own_subjects.begin(), own_subjects.end());

  std::vector<std::vector<Samples>> of_threads(static_cast<size_t>(settings.threads));
  const bool is_alone = settings.cpu_time == 0;
  std::vector<std::thread> threads;
  for (auto& samples : of_threads) {
    const auto pace_ticks = static_cast<uint64_t>(settings.pace_us * 1000 / ns_per_tick);
    threads.emplace_back([&, pace_ticks] { run(settings, pace_ticks, subjects, is_alone, &samples); });
  }
  for (auto& thread : threads) thread.join();

  const double probe = is_alone ? quantile(of_threads[0][0].singles, 0.5) : 0;
  std::printf("{");
  for (size_t i = 1; i < subjects.size(); ++i) {
    uint64_t recorded = 0;
    std::vector<double> cpu;
    for (auto& samples : of_threads) {
      recorded += samples[i].recorded;
      cpu.insert(cpu.end(), samples[i].cpu.begin(), samples[i].cpu.end());
    }
    std::printf("%s\"%s\": {\"recorded\": %llu, ", i == 1 ? "" : ", ", subjects[i].name.c_str(),
                static_cast<unsigned long long>(recorded));
    if (settings.rested > 0) {
      print_rested(of_threads[0][i], ns_per_tick);
    } else if (is_alone) {
      print_percentiles(of_threads[0][i], ns_per_tick, probe);
    } else {
      std::printf("\"cpu_min\": %.2f, \"cpu_median\": %.2f", quantile(cpu, 0), quantile(cpu, 0.5));
    }
    std::printf("}");
  }
  std::printf("}\n");
  std::fflush(stdout);
  return 0;
}

}  // namespace xsp::bench
