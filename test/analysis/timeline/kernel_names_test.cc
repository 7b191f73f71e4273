#include "analysis/timeline/kernel_names.h"

#include "test/analysis/support/trace_builder.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::demangled;

TEST_CASE("names of kernels are shown as they were written") {
  CHECK(demangled("_Z4reluPf") == "relu(float*)");
  CHECK(demangled("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_") ==
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> "
        ">(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)");
}

TEST_CASE("what is no mangled name stays as it is") {
  for (const std::string name :
       {"", "_Z", "_Znot mangled", "ampere_sgemm_128x64_tn", "triton_poi_fused_add_0", "main"}) {
    CHECK(demangled(name) == name);
  }
  const std::string with_zero("_Z4reluPf\0x", 11);
  CHECK(demangled(with_zero) == with_zero);
}

TEST_CASE("a name that grows without bound is not demangled") {
  // Each template argument is twice the one before.
  const std::string ids = "_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1aIiiE";
  for (size_t i = 1; i < ids.size() - 1; ++i) {
    const std::string last = std::string("S").append(1, ids[i]).append("_");
    name.append("S_I").append(last).append(last).append("E");
  }
  CHECK(demangled(name) == name);
  CHECK(demangled(name.substr(0, 40)).size() < 20'000);
}

TEST_CASE("a name that takes forever without any output is left") {
  // An empty pack, expanded over a type in which each argument is twice the one before.
  const std::string ids = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1fIJEEvDpFv1aIiiE";
  for (size_t i = 1; i + 1 < ids.size(); ++i) {
    const std::string last = std::string("S").append(1, ids[i]).append("_");
    name.append("S0_I").append(last).append(last).append("E");
  }
  name += "E";
  CHECK(demangled(name) == name);
  CHECK(demangled("_Z4reluPf") == "relu(float*)");
}

TEST_CASE("deep nesting and random bytes do no harm") {
  CHECK_FALSE(demangled("_Z1f" + std::string(100'000, 'P') + "i").empty());
  CHECK_FALSE(demangled("_Z" + std::string(900, 'N')).empty());
  CHECK_FALSE(demangled("_Z1f" + std::string(1000, 'P') + "i").empty());
  std::string name = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_";
  uint32_t state = 7;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 1664525 + 1013904223;
    std::string broken = name;
    broken[2 + (state >> 16) % (broken.size() - 2)] = static_cast<char>(state >> 8);
    CHECK(demangled(broken).size() <= 16 << 10);
  }
}

}  // namespace
}  // namespace xsp::test
