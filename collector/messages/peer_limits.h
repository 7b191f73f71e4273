#pragma once

/// What a peer may make the collector hold, in addition to kMaxPacketBytes (trace_writer.h), the contents of a ring
/// (ring_stream.h) and the elements of a Hello. A peer that exceeds a limit is cut off.

#include <cstddef>
#include <cstdint>

#include "proto/string_ids.h"

namespace xsp {

inline constexpr uint32_t kMaxBatchSpans = 65536;
inline constexpr size_t kMaxBatchQueues = 4096;
inline constexpr size_t kMaxPeers = 4096;
inline constexpr size_t kShareOfUser = 4;  // each user but the collector's own may have 1/kShareOfUser of them
/// A guest sends its Hello when it connects, in one packet of at most 16 KiB.
inline constexpr size_t kMaxHelloBytes = size_t{64} << 10;
inline constexpr uint64_t kHelloTimeoutNs = 10'000'000'000;
inline constexpr uint64_t kHelloTimeoutWhenFullNs = 1'000'000'000;  // while others wait for a slot
/// Bytes of unfinished packets, over all peers. Beyond it, a peer with more than kMaxHelloBytes of one is cut off.
inline constexpr uint64_t kMaxUnfinishedBytes = uint64_t{64} << 20;
/// Bytes of spans, tags and arguments that wait to be batched or for their batch: per process, and in total. Beyond
/// this, whatever can be written is written; a peer that then still has more than kMinHeldBytes of arguments whose
/// spans do not come is cut off.
inline constexpr size_t kMaxHeldBytes = size_t{16} << 20;
inline constexpr uint64_t kMaxHeldBytesOfAll = uint64_t{128} << 20;
inline constexpr size_t kMinHeldBytes = size_t{1} << 20;  // a guest holds at most the arguments of one ring: 0.8 MiB
inline constexpr size_t kMaxNotices = 64;                 // per process
inline constexpr size_t kMaxProfileFiles = 1024;          // announced and not yet complete, per process
inline constexpr size_t kMaxUnintercepted = 256;          // libraries, per process
inline constexpr size_t kMaxLoadedFiles = 1024;           // searched for static libraries, per trace
inline constexpr size_t kMaxLaunchPages = 4096;           // of 1024 correlation ids and 8 KiB, per process
inline constexpr size_t kMaxWaiting = 131072;             // executions whose launch has not come, per process
inline constexpr size_t kMaxGraphNodes = 1 << 20;         // per process
inline constexpr size_t kMaxWaitingCalls = 65536;         // driver calls that may be part of others, per process
inline constexpr size_t kMaxApiThreads = 1024;            // with calls that came as activity records, per process
inline constexpr size_t kMaxGaps = 65536;                 // packets, per process and part
inline constexpr size_t kMaxOpenGaps = 64;                // that have not ended, per process
inline constexpr size_t kMaxDevices = 256;                // descriptions, per process
inline constexpr size_t kMaxThreadCounts = 8192;          // calls, of one packet
inline constexpr size_t kMaxThreadSwitches = 1024;        // likewise
inline constexpr size_t kMaxMetrics = 1024;               // of one batch of counters
inline constexpr uint64_t kMaxSharedMemoryBytes = uint64_t{16} << 30;

/// How many bytes are read from one peer before the others get their turn.
inline constexpr size_t kTurnBytes = size_t{256} << 10;

}  // namespace xsp
