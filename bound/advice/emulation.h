#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xsp::bound {

/// Whether a device has instructions that compute in a precision.
enum class Instructions : uint8_t { kUnknown, kThere, kMissing };

/// `isa`: SystemFacts::instructions; or only the widest extension of a processor, which a system key has; or "sm_90" of
/// a GPU. Unknown where that does not tell.
Instructions instructions_for(std::string_view precision, std::string_view isa);

/// Whether it is a GPU's ("sm_90").
bool is_gpu_isa(std::string_view isa);

/// What to say of a precision without instructions; empty where they are there or not known.
/// "emulated: this processor has no bf16 instructions"
std::string missing_instructions_text(std::string_view precision, std::string_view isa);

/// Whether a precision without instructions is computed by others that do something else. Bytes are multiplied by
/// ordinary instructions, only more slowly.
bool is_emulated_without_instructions(std::string_view precision);

/// The part of a system key ("Intel(R) Xeon(R) …, avx512_vnni, 2 cores, 24 GiB") that names the extension; empty where
/// it has none.
std::string isa_of_system_key(std::string_view key);

}  // namespace xsp::bound
