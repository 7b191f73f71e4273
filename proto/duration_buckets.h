#pragma once

/// The buckets of durations in Aggregates (trace.proto): below 16 ns a bucket a nanosecond, from there 16 an octave, so
/// that the middle of a bucket is at most 3.2 % from any duration in it.

#include <bit>
#include <cstdint>

namespace xsp {

inline constexpr uint32_t kBucketsPerOctave = 16;
inline constexpr uint32_t kDurationBuckets = kBucketsPerOctave * 61;

/// The bucket of a duration in nanoseconds, below kDurationBuckets.
constexpr uint32_t duration_bucket(uint64_t ns) {
  if (ns < kBucketsPerOctave) return static_cast<uint32_t>(ns);
  const auto octave = static_cast<uint32_t>(std::bit_width(ns)) - 1;
  return kBucketsPerOctave * (octave - 3) + static_cast<uint32_t>((ns >> (octave - 4)) & (kBucketsPerOctave - 1));
}

/// The least duration of a bucket.
constexpr uint64_t bucket_begin(uint32_t bucket) {
  if (bucket < kBucketsPerOctave) return bucket;
  const uint32_t octave = bucket / kBucketsPerOctave + 3;
  return uint64_t{kBucketsPerOctave + bucket % kBucketsPerOctave} << (octave - 4);
}

/// Nanoseconds that a bucket spans.
constexpr uint64_t bucket_width(uint32_t bucket) {
  return bucket < kBucketsPerOctave ? 1 : uint64_t{1} << (bucket / kBucketsPerOctave - 1);
}

static_assert(duration_bucket(UINT64_MAX) == kDurationBuckets - 1);

}  // namespace xsp
