#include "inject/concurrency/root_threads.h"

#include <string.h>
#include <sys/mman.h>

namespace xsp::guest {

RootThreads& RootTable::find(uint32_t instance) {
  RootThreads* lightest = &roots_[0];
  for (RootThreads& root : roots_) {
    if (root.instance == instance) return root;
    if (root.ticks < lightest->ticks) lightest = &root;
  }
  LayerCurve* curves = lightest->curves;
  *lightest = {};
  lightest->instance = instance;
  lightest->curves = curves;
  return *lightest;
}

const RootThreads& RootTable::heaviest() const {
  const RootThreads* heaviest = &roots_[0];
  for (const RootThreads& root : roots_) {
    if (root.ticks > heaviest->ticks) heaviest = &root;
  }
  return *heaviest;
}

bool RootTable::begin_probes(RootThreads& root, const ProbeOptions& options) {
  constexpr size_t kBytes = kMostCurves * sizeof(LayerCurve);
  if (root.curves == nullptr) {
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    root.curves = static_cast<LayerCurve*>(memory);
  } else {
    memset(static_cast<void*>(root.curves), 0, kBytes);
  }
  root.schedule = ++schedules_;
  root.probes.begin(options, root.curves, kMostCurves);
  return true;
}

}  // namespace xsp::guest
