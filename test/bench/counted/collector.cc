/// The collector a span: a guest's batches decoded, converted to nanoseconds, encoded and written.

#include "collector/recording/recording.h"
#include "test/bench/counted/counted.h"
#include "test/bench/guest_packets.h"

namespace {

constexpr size_t kBatch = 1000;
constexpr long kSpans = 20'000;

/// A fresh recording each time: the collector's own start cancels.
void collect(long spans) {
  static const auto batches = xsp::make_batches(kBatch, 2 * kSpans / kBatch);
  static const auto start = xsp::make_start();
  xsp::NullFile file;
  xsp::TraceWriter writer(file);
  xsp::Recording recording(writer);
  uint32_t processes = 0;
  xsp::Peer peer(-1, recording, processes);
  peer.receive(start.data(), start.size());
  for (size_t i = 0; i < static_cast<size_t>(spans) / kBatch; ++i) peer.receive(batches[i].data(), batches[i].size());
  peer.disconnect();
  while (peer.process()->work()) {
  }
  writer.flush();
}

}  // namespace

int main() {
  xsp_count_thrice(collect, kSpans);
  return 0;
}
