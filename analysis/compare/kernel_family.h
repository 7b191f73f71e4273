#pragma once

#include <string>
#include <string_view>

namespace xsp::analysis {

/// What a kernel does: its demangled name without the parts in which versions of one kernel differ, which are the
/// architecture it was built for, the sizes of its tiles, stages and alignments, version numbers, its parameters, and
/// template arguments that are numbers or types. Functors stay, because they are what the kernel computes: the same
/// loop filling and adding is two kernels. "ampere_sgemm_128x64_nn" and "volta_sgemm_32x128_nn" are one family,
/// "sgemm_nn"; with "_nt", or as "hgemm", it is another.
std::string kernel_family(std::string_view name);

}  // namespace xsp::analysis
