#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace xsp {

/// Where 64 bytes of text hold the characters that structure JSON: bit i is byte i.
struct JsonBlock {
  uint64_t quotes;
  uint64_t backslashes;
  uint64_t brackets;  // [ ] { }
};

inline JsonBlock json_block(const char* text) {
  JsonBlock block{0, 0, 0};
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i lower = _mm_set1_epi8(0x20);  // turns [ into { and ] into }
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  for (size_t part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
    const __m128i lowered = _mm_or_si128(bytes, lower);
    const __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(lowered, open), _mm_cmpeq_epi8(lowered, close));
    const auto bits = [&](__m128i mask) {
      return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(mask))) << (16 * part);
    };
    block.quotes |= bits(_mm_cmpeq_epi8(bytes, quote));
    block.backslashes |= bits(_mm_cmpeq_epi8(bytes, backslash));
    block.brackets |= bits(brackets);
  }
#else
  for (int i = 0; i < 64; ++i) {
    const char byte = text[i];
    const char lowered = static_cast<char>(byte | 0x20);
    block.quotes |= static_cast<uint64_t>(byte == '"') << i;
    block.backslashes |= static_cast<uint64_t>(byte == '\\') << i;
    block.brackets |= static_cast<uint64_t>(lowered == '{' || lowered == '}') << i;
  }
#endif
  return block;
}

/// Follows strings from block to block; begins outside of one.
class JsonStrings {
 public:
  /// The block's bytes that lie in a string, the opening quote among them.
  uint64_t inside(const JsonBlock& block) {
    uint64_t inside = block.quotes & ~escaped(block.backslashes);
    // Each bit becomes the parity of the quotes up to it.
    for (int shift = 1; shift < 64; shift *= 2) inside ^= inside << shift;
    inside ^= in_string_;
    in_string_ = (inside >> 63) != 0 ? ~uint64_t{0} : 0;
    return inside;
  }

 private:
  /// The bytes after a backslash that is not itself escaped.
  uint64_t escaped(uint64_t backslashes) {
    uint64_t escaped = escape_ ? 1 : 0;
    escape_ = false;
    backslashes &= ~escaped;
    while (backslashes != 0) {
      const int at = std::countr_zero(backslashes);
      if (at == 63) {
        escape_ = true;
        break;
      }
      const uint64_t next = uint64_t{2} << at;
      escaped |= next;
      backslashes &= ~(next | next >> 1);
    }
    return escaped;
  }

  uint64_t in_string_ = 0;
  bool escape_ = false;
};

}  // namespace xsp
