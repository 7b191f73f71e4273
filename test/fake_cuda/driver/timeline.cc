// Streams: queues whose times are exact, and threads that really take so long.
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "simulation.h"

namespace fake {
namespace {

void sleep_until(uint64_t time) {
  const timespec end = {static_cast<time_t>(time / 1000000000), static_cast<long>(time % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr) != 0) {
  }
}

void finish_work(Work& work, uint64_t begin) {
  work.execution.begin = begin;
  work.execution.end = begin + work.duration;
  sleep_until(work.execution.end);
  if (work.effect) work.effect();
  if (work.lasts_as_effect) work.execution.end = std::max(work.execution.end, now());
  if (work.name.empty()) return;
  work.execution.name = work.name.c_str();
  write_truth(work);
  tell_execution(work.execution);
}

/// Runs the operation from `begin` on; returns its end.
uint64_t run(Operation& operation, uint64_t begin) {
  std::vector<Work>& works = operation.works;
  if (operation.dependencies.empty()) {
    for (Work& work : works) {
      finish_work(work, begin);
      begin = work.execution.end;
    }
    return begin;
  }
  std::vector<uint64_t> begins(works.size(), begin);
  for (size_t i = 0; i < works.size(); ++i)
    for (const size_t before : operation.dependencies[i])
      begins[i] = std::max(begins[i], begins[before] + works[before].duration);
  std::vector<size_t> order(works.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return begins[a] + works[a].duration < begins[b] + works[b].duration; });
  uint64_t end = begin;
  for (const size_t i : order) {
    finish_work(works[i], begins[i]);
    end = std::max(end, works[i].execution.end);
  }
  return end;
}

void* work_off(void* argument) {
  Stream& stream = *static_cast<Stream*>(argument);
  State& s = state();
  std::unique_lock held(s.lock);
  for (;;) {
    while (stream.queue.empty() && !stream.closing) stream.work.wait(held);
    if (stream.queue.empty()) break;
    const OperationRef operation = stream.queue.front();
    uint64_t begin = std::max(stream.free_at, operation->enqueued);
    for (const OperationRef& before : operation->after) {
      while (!before->done) s.progress.wait(held);
      begin = std::max(begin, before->end);
    }
    operation->after.clear();
    held.unlock();
    const uint64_t end = run(*operation, begin);
    held.lock();
    operation->end = stream.free_at = end;
    operation->done = true;
    stream.queue.pop_front();
    s.progress.notify_all();
  }
  stream.running = false;
  s.progress.notify_all();
  return nullptr;
}

void start_thread(Stream& stream) {
  stream.running = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, work_off, &stream) != 0) give_up("no thread for a stream");
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

uint64_t with_unit(const char* text) {
  char* unit;
  const double number = strtod(text, &unit);
  const double factor = strncmp(unit, "ms", 2) == 0 ? 1e6 : strncmp(unit, "us", 2) == 0 ? 1e3 : 1;
  return static_cast<uint64_t>(number * factor + 0.5);
}

}  // namespace

uint64_t duration_of(const std::string& kernel) {
  const char* list = getenv("FAKE_CUDA_KERNELS");
  uint64_t found = 0;
  size_t longest = 0;
  while (list != nullptr && *list != 0) {
    const size_t entry = strcspn(list, ",");
    const size_t name = strcspn(list, "=");
    if (name < entry && name >= longest && kernel.compare(0, name, list, name) == 0) {
      longest = name;
      found = with_unit(list + name + 1);
    }
    list += entry + (list[entry] == ',');
  }
  if (found != 0) return found;
  const size_t last = kernel.rfind('_');
  if (last != std::string::npos && last + 1 < kernel.size() && isdigit(kernel[last + 1]) && kernel.back() == 's')
    return with_unit(kernel.c_str() + last + 1);
  return 10000;
}
uint64_t copy_duration(uint64_t bytes) {
  const char* const rate = getenv("FAKE_CUDA_COPY_RATE");
  return 2000 + bytes / (rate == nullptr ? 16 : strtoull(rate, nullptr, 10));
}
uint64_t memset_duration(uint64_t bytes) { return 1000 + bytes / 64; }

OperationRef enqueue(Stream& stream, Operation&& operation) {
  State& s = state();
  auto ref = std::make_shared<Operation>(std::move(operation));
  ref->enqueued = now();
  // The legacy stream and the blocking ones wait for each other.
  if (stream.legacy) {
    for (Stream* other : stream.context->streams)
      if (other != &stream && other->blocking && other->last && !other->last->done) ref->after.push_back(other->last);
  } else if (stream.blocking && stream.context->legacy != nullptr) {
    const OperationRef& last = stream.context->legacy->last;
    if (last && !last->done) ref->after.push_back(last);
  }
  stream.last = ref;
  stream.queue.push_back(ref);
  if (!stream.running) start_thread(stream);
  stream.work.notify_all();
  (void)s;
  return ref;
}

void wait_for(std::unique_lock<std::mutex>& held, const OperationRef& operation) {
  while (operation && !operation->done) state().progress.wait(held);
}
void wait_for_stream(std::unique_lock<std::mutex>& held, Stream& stream) {
  const OperationRef last = stream.last;
  wait_for(held, last);
}
void wait_for_context(std::unique_lock<std::mutex>& held, Context& context) {
  std::vector<OperationRef> all;
  for (Stream* stream : context.streams) all.push_back(stream->last);
  for (const OperationRef& operation : all) wait_for(held, operation);
}
void stop_stream(std::unique_lock<std::mutex>& held, Stream& stream) {
  stream.closing = true;
  stream.work.notify_all();
  while (stream.running) state().progress.wait(held);
}

}  // namespace fake
