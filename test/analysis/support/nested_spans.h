#pragma once

/// Writes a trace the way a program runs: spans that begin and end on threads, one millisecond per time step, and
/// kernels that they launch.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "test/analysis/support/trace_builder.h"

namespace xsp::test {

/// One process. Everything is written into one TraceBuilder.
class NestedSpans {
 public:
  NestedSpans() { builder_.add_process(7); }

  /// Switches to another thread, whose time is the same.
  void on_thread(uint32_t thread) { thread_ = thread; }
  /// Begins a span inside the open one; returns its id.
  uint32_t begin(int kind, const std::string& name, const std::string& type = "", int level = LEVEL_APPLICATION) {
    auto& open = open_[thread_];
    const uint32_t id = next_id();
    open.push_back({.begin = tick(),
                    .id = id,
                    .parent = open.empty() ? 0 : open.back().id,
                    .level = level,
                    .kind = kind,
                    .name = name,
                    .type = type,
                    .thread = 100 + thread_,
                    .ring = thread_});
    return id;
  }
  /// The most recently begun span that is open on this thread.
  SpanSpec& last() { return open_[thread_].back(); }
  void end() {
    last().end = tick();
    builder_.add(last());
    open_[thread_].pop_back();
  }
  /// A span with nothing in it; returns its id.
  uint32_t leaf(int kind, const std::string& name, const std::string& type = "", int level = LEVEL_APPLICATION) {
    const uint32_t id = begin(kind, name, type, level);
    end();
    return id;
  }
  /// A launch inside the open span, and its kernel.
  void kernel(const std::string& name) {
    const uint64_t correlation = ++correlation_;
    begin(KIND_RUNTIME_CALL, "cudaLaunchKernel", "cudart", LEVEL_RUNTIME);
    last().correlation = correlation;
    end();
    kernels_.push_back({.begin = now_, .end = now_ + 500'000, .name = name, .correlation = correlation});
  }
  void wait(int64_t ms) { now_ += ms * 1'000'000; }

  /// The trace, with the kernels so far.
  std::string bytes() {
    if (!kernels_.empty()) builder_.add_executions(kernels_);
    kernels_.clear();
    return builder_.bytes();
  }
  TraceBuilder& builder() { return builder_; }

 protected:
  int64_t tick() { return now_ += 1'000'000; }
  int64_t now() const { return now_; }
  uint32_t next_id() { return ++last_id_[thread_]; }

 private:
  TraceBuilder builder_;
  std::map<uint32_t, std::vector<SpanSpec>> open_;
  std::map<uint32_t, uint32_t> last_id_;
  std::vector<ExecutionSpec> kernels_;
  uint64_t correlation_ = 0;
  uint32_t thread_ = 0;
  int64_t now_ = 0;
};

}  // namespace xsp::test
