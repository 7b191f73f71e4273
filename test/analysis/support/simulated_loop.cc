#include "test/analysis/support/simulated_loop.h"

#include <algorithm>
#include <cmath>

namespace xsp::test {
namespace {

using analysis::Noise;
using analysis::SymbolRole;

/// Factors of one series of times.
class JitterSeries {
 public:
  JitterSeries(Jitter jitter, Noise* noise) : jitter_(jitter), noise_(noise) {}

  double next() {
    switch (jitter_) {
      case Jitter::kNone:
        return 1;
      case Jitter::kSmall:
        return std::exp(0.05 * noise_->normal());
      case Jitter::kLarge:
        return std::exp(0.3 * noise_->normal());
      case Jitter::kBursts:
        if (burst_ > 0) --burst_;
        if (burst_ == 0 && noise_->happens(0.01)) burst_ = 5 + static_cast<int>(15 * noise_->uniform());
        return (burst_ > 0 ? 1.3 : 1.0) * std::exp(0.1 * noise_->normal());
      case Jitter::kTwoModes:
        return (noise_->happens(0.3) ? 1.25 : 1.0) * std::exp(0.05 * noise_->normal());
      case Jitter::kHeavyTail:
        break;
    }
    return 0.9 + 0.1 * std::pow(noise_->uniform(), -1.0 / 3);
  }

 private:
  Jitter jitter_;
  Noise* noise_;
  int burst_ = 0;
};

}  // namespace

void add_simulated_loop(uint32_t count, Jitter jitter, Noise* noise, const Fault& fault, IterationBuilder* builder) {
  JitterSeries host(jitter, noise);
  JitterSeries device(jitter, noise);
  JitterSeries copy(jitter, noise);
  double at = 1e6;
  std::vector<int64_t> begins;
  std::vector<std::string> pattern = {"HtoD"};
  for (uint32_t i = 0; i < count; ++i) {
    SimulatedIteration of;
    if (i == 0) {
      for (uint32_t k = 0; k < of.kernels; ++k) pattern.push_back("kernel" + std::to_string(k));
      pattern.emplace_back("DtoH");
    }
    if (fault) fault(i, &of);
    const auto add = [&](const std::string& name, double duration, SymbolRole role, uint64_t bytes = 0) {
      builder->add({name, std::llround(at), std::llround(at + duration), role, bytes});
      at += duration;
    };
    at += of.host * host.next();
    begins.push_back(std::llround(at));
    add("HtoD", of.copy * copy.next(), SymbolRole::kToDevice, of.bytes);
    at += 2e3;
    const double factor = device.next();
    if (of.prefetch > 0) {
      builder->add({"HtoD", std::llround(at + 1e3), std::llround(at + 1e3 + of.prefetch), SymbolRole::kToDevice, 100});
    }
    for (uint32_t k = 0; k < of.kernels; ++k) {
      if (k != 0) at += of.gap * factor;
      add("kernel" + std::to_string(k), of.kernel * factor * (k == 2 ? of.odd_kernel : 1), SymbolRole::kWork);
    }
    for (const std::string& name : of.extra) {
      at += 5e3;
      add(name, of.extra_kernel, SymbolRole::kWork);
    }
    at += 2e3;
    add("DtoH", 3e3, SymbolRole::kToHost, 8);
  }
  builder->sort();
  std::vector<analysis::LoopIteration> iterations;
  const auto index = [&](int64_t begin) {
    const auto& all = builder->operations();
    return static_cast<uint32_t>(
        std::partition_point(all.begin(), all.end(), [&](const OperationSpec& of) { return of.begin < begin; }) -
        all.begin());
  };
  for (size_t i = 0; i < begins.size(); ++i) {
    const uint32_t end =
        i + 1 < begins.size() ? index(begins[i + 1]) : static_cast<uint32_t>(builder->operations().size());
    iterations.push_back({index(begins[i]), end});
  }
  builder->add_loop(pattern, iterations);
}

}  // namespace xsp::test
