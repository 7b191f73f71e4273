#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// What a kernel does, by its name as people read it, without what versions of one kernel differ in: the architecture
/// it was built for, the sizes of its tiles, stages and alignments, version numbers, its parameters, and those of its
/// template arguments that are numbers or types. Functors stay, for they are what the kernel computes: the same loop
/// that fills and that adds are two kernels. "ampere_sgemm_128x64_nn" and "volta_sgemm_32x128_nn" are one family,
/// "sgemm_nn"; with "_nt", or as "hgemm", it is another.
std::string kernel_family(std::string_view name);

}  // namespace xsp::analysis
