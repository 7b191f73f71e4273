#pragma once

#include <string>
#include <string_view>

namespace xsp::bound {

/// Name and vector extensions of a processor from the text of /proc/cpuinfo.
struct ProcessorName {
  std::string device;        // "Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz", "Arm Neoverse-V1", "unknown processor"
  std::string isa;           // "avx512_vnni", "sve"; "scalar" where no known one is named
  std::string instructions;  // all known extensions, widest first: "avx512_vnni avx512 avx2 avx sse4_1 sse2"
};
ProcessorName processor_named_in(std::string_view cpuinfo);

}  // namespace xsp::bound
