#pragma once

#include <cstdint>
#include <string_view>

namespace xsp::guest {

/// The longest text kept of a range; what comes after it is not read.
inline constexpr size_t kMaxRangeText = 4096;

/// How many texts of ranges are kept, and how many bytes of them: a program that makes a new text for every range would
/// fill the arena, which all names share. Later texts are recorded as "…", and a notice says so.
inline constexpr uint32_t kMaxRangeTexts = 100'000;
inline constexpr uint64_t kMaxRangeTextBytes = uint64_t{16} << 20;

/// String id of a text of the program; takes no lock for a text that was seen lately. Long texts are cut; their bytes
/// are kept as they are, whatever the encoding. 0 for null and empty texts, and when nothing is recorded.
uint32_t range_text(std::string_view text);
uint32_t range_text(const char* text);
uint32_t range_text(const wchar_t* text);

/// The same for the text of a range, without the numbers by which PyTorch's emit_nvtx makes each call's text its own
/// (`, seq = 5`, `, op_id = 7`, `, input_op_ids = …`).
uint32_t range_message(const char* text);

}  // namespace xsp::guest
