#include "proto/duration_buckets.h"

#include <initializer_list>

#include "test/catch.h"

namespace xsp {
namespace {

TEST_CASE("every duration lies in its bucket, and buckets follow one another") {
  for (uint32_t bucket = 0; bucket < kDurationBuckets; ++bucket) {
    const uint64_t begin = bucket_begin(bucket);
    const uint64_t last = begin + (bucket_width(bucket) - 1);
    CHECK(duration_bucket(begin) == bucket);
    CHECK(duration_bucket(last) == bucket);
    if (bucket + 1 < kDurationBuckets) CHECK(bucket_begin(bucket + 1) == last + 1);
  }
}

TEST_CASE("the middle of a bucket is near every duration in it") {
  for (const uint64_t ns : {uint64_t{17}, uint64_t{1000}, uint64_t{123'456'789}, uint64_t{3'600'000'000'000}}) {
    const uint32_t bucket = duration_bucket(ns);
    const double middle = static_cast<double>(bucket_begin(bucket)) + static_cast<double>(bucket_width(bucket)) / 2;
    CHECK(middle / static_cast<double>(ns) > 0.968);
    CHECK(middle / static_cast<double>(ns) < 1.032);
  }
}

}  // namespace
}  // namespace xsp
