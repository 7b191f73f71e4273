#include "bound/advice/emulation.h"

#include "test/catch.h"

namespace xsp::bound {

TEST_CASE("what a processor computes in is told by its list of instructions") {
  const std::string ice_lake = "avx512_vnni avx512 avx2 avx sse4_1 sse2";
  CHECK(instructions_for("bf16", ice_lake) == Instructions::kMissing);
  CHECK(instructions_for("f16", ice_lake) == Instructions::kMissing);
  CHECK(instructions_for("int8", ice_lake) == Instructions::kThere);
  const std::string emerald_rapids = "avx512_fp16 avx512_bf16 avx512_vnni avx512 avx_vnni avx2 avx sse4_1 sse2";
  CHECK(instructions_for("bf16", emerald_rapids) == Instructions::kThere);
  CHECK(instructions_for("f16", emerald_rapids) == Instructions::kThere);
  CHECK(instructions_for("bf16", "sve2 sve asimddp asimd asimdhp bf16") == Instructions::kThere);
  CHECK(instructions_for("bf16", "asimddp asimd asimdhp") == Instructions::kMissing);
}

TEST_CASE("the widest extension alone tells what all processors with it have, or that they have none") {
  CHECK(instructions_for("bf16", "avx512_vnni") == Instructions::kMissing);
  CHECK(instructions_for("bf16", "avx512_fp16") == Instructions::kThere);
  CHECK(instructions_for("bf16", "amx_int8") == Instructions::kThere);
  CHECK(instructions_for("f16", "avx512_bf16") == Instructions::kMissing);
  CHECK(instructions_for("int8", "amx_int8") == Instructions::kThere);
  CHECK(instructions_for("int8", "avx2") == Instructions::kMissing);
  CHECK(instructions_for("bf16", "sve") == Instructions::kUnknown);
  CHECK(instructions_for("bf16", "") == Instructions::kUnknown);
  CHECK(instructions_for("f64", "avx2") == Instructions::kUnknown);
}

TEST_CASE("what a GPU computes in is told by its compute capability") {
  CHECK(instructions_for("bf16", "sm_75") == Instructions::kMissing);
  CHECK(instructions_for("bf16", "sm_80") == Instructions::kThere);
  CHECK(instructions_for("tf32", "sm_70") == Instructions::kMissing);
  CHECK(instructions_for("fp8", "sm_86") == Instructions::kMissing);
  CHECK(instructions_for("fp8", "sm_89") == Instructions::kThere);
  CHECK(instructions_for("fp8", "sm_90a") == Instructions::kThere);
  CHECK(instructions_for("fp8", "sm_100") == Instructions::kThere);
  CHECK(instructions_for("int8", "sm_70") == Instructions::kMissing);
  CHECK(instructions_for("bf16", "sm_") == Instructions::kUnknown);
}

TEST_CASE("a precision without instructions is emulated, bytes are only slower") {
  CHECK(missing_instructions_text("bf16", "avx512_vnni") == "emulated: this processor has no bf16 instructions");
  CHECK(missing_instructions_text("fp8", "sm_80") == "emulated: this GPU has no fp8 instructions");
  CHECK_THAT(missing_instructions_text("int8", "avx2"), Catch::StartsWith("without VNNI"));
  CHECK(missing_instructions_text("bf16", "avx512_fp16").empty());
  CHECK(missing_instructions_text("bf16", "").empty());
  CHECK_FALSE(is_emulated_without_instructions("int8"));
}

TEST_CASE("the key of another system tells its widest extension") {
  CHECK(isa_of_system_key("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz, avx512_vnni, 2 cores, 24 GiB") ==
        "avx512_vnni");
  CHECK(isa_of_system_key("A, B and Co, avx2, 1 core, 2 GiB") == "avx2");
  CHECK(isa_of_system_key("NVIDIA H100, sm_90, 132 multiprocessors, 80 GiB") == "sm_90");
  CHECK(isa_of_system_key("avx2, 1 core, 2 GiB").empty());
  CHECK(isa_of_system_key("").empty());
}

}  // namespace xsp::bound
