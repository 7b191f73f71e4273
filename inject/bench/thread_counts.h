#pragma once

#include <cstdint>
#include <vector>

namespace xsp::bench {

/// A sixteenth of `last`, at least 1: as the analysis has it (doc/concurrency.md).
uint32_t default_interval(uint32_t last);

/// The numbers of threads that a sweep climbs: 1, 1 + interval, … and `last`.
std::vector<uint32_t> counts_to_climb(uint32_t last, uint32_t interval);

/// The number that a program computes with by itself, as OpenMP chooses it: OMP_NUM_THREADS where the user has set it
/// to a number (of a list the first), else `allowed`, the processors that it may run on.
uint32_t own_threads(const char* omp_num_threads, uint32_t allowed);

}  // namespace xsp::bench
