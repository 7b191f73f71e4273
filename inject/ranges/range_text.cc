#include "inject/ranges/range_text.h"

#include <string.h>

#include <atomic>

#include "inject/guard/cancel_guard.h"
#include "inject/guard/errno_guard.h"
#include "inject/record/process.h"

namespace xsp::guest {
namespace {

constexpr uint64_t kIdBits = (uint64_t{1} << 20) - 1;  // bits of a string id; see proto/string_ids.h
constexpr size_t kCacheEntries = 4096;

/// Hash and id of the texts seen lately, each pair in one word, so that no lock is needed. 44 bits of the hash stand
/// for the text. Ids stay valid after a fork, so one cache serves the process and its children.
constinit std::atomic<uint64_t> cache[kCacheEntries] = {};

constinit std::atomic<uint32_t> texts_kept{0};
constinit std::atomic<uint64_t> bytes_kept{0};
constinit std::atomic<bool> text_limit_told{false};

uint64_t mixed(uint64_t hash, uint64_t word) {
  const auto product = static_cast<unsigned __int128>(hash ^ word) * 0x9e3779b97f4a7c15ULL;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0x2545f4914f6cdd1dULL + text.size();
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word;
    memcpy(&word, text.data() + at, 8);
    hash = mixed(hash, word);
  }
  uint64_t rest = 0;
  memcpy(&rest, text.data() + at, text.size() - at);
  return mixed(mixed(hash, rest), 0xd6e8feb86659fd93ULL);
}

/// Cuts a text that is too long, but not in the middle of a UTF-8 character.
std::string_view cut(std::string_view text) {
  if (text.size() < kMaxRangeText) return text;
  text = text.substr(0, kMaxRangeText);
  for (int i = 0; i < 3 && (text.back() & 0xc0) == 0x80; ++i) text.remove_suffix(1);
  if ((text.back() & 0xc0) == 0xc0) text.remove_suffix(1);
  return text;
}

void tell_limit() {
  if (text_limit_told.exchange(true)) return;
  notify(1, "ranges", "too many different texts of NVTX or ITT ranges: later ones are recorded as \"…\"");
}

uint32_t intern_bounded(std::string_view text) {
  const ErrnoGuard errno_guard;
  const CancelGuard cancel_guard;
  Process* process = wake_process();
  if (process == nullptr) return 0;
  uint32_t id;
  bool full = false;
  {
    const LockGuard lock(process->lock);
    // Under the lock, so that a text that another thread is adding is not counted twice.
    id = process->strings.find(process->region, text);
    if (id == 0) {
      full = texts_kept.load(std::memory_order_relaxed) >= kMaxRangeTexts ||
             bytes_kept.load(std::memory_order_relaxed) + text.size() > kMaxRangeTextBytes;
      id = process->strings.intern(process->region, full ? std::string_view("…") : text);
      if (!full) {
        texts_kept.fetch_add(1, std::memory_order_relaxed);
        bytes_kept.fetch_add(text.size(), std::memory_order_relaxed);
      }
    }
  }
  if (full) tell_limit();
  return id;
}

/// Appends the character in UTF-8. False when there is no room.
bool append_character(char* to, size_t* length, uint32_t character) {
  if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) character = 0xfffd;
  const size_t bytes = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
  if (*length + bytes > kMaxRangeText) return false;
  if (bytes == 1) {
    to[(*length)++] = static_cast<char>(character);
    return true;
  }
  constexpr uint8_t kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = 0; i < bytes; ++i) {
    const uint32_t part = character >> (6 * (bytes - 1 - i));
    to[*length + i] = static_cast<char>(i == 0 ? kLead[bytes] | part : 0x80 | (part & 0x3f));
  }
  *length += bytes;
  return true;
}

/// Removes `label` and the digits after it. Returns the new length.
size_t without_number(char* text, size_t length, std::string_view label) {
  auto* found = static_cast<char*>(memmem(text, length, label.data(), label.size()));
  if (found == nullptr) return length;
  const char* const end = text + length;
  const char* rest = found + label.size();
  while (rest < end && *rest >= '0' && *rest <= '9') ++rest;
  memmove(found, rest, static_cast<size_t>(end - rest));
  return length - static_cast<size_t>(rest - found);
}

}  // namespace

uint32_t range_text(std::string_view text) {
  text = cut(text);
  if (text.empty()) return 0;
  const uint64_t hash = hash_of(text);
  std::atomic<uint64_t>& entry = cache[hash % kCacheEntries];
  const uint64_t known = entry.load(std::memory_order_relaxed);
  // All bits above the id's are equal.
  if ((known ^ hash) <= kIdBits && (known & kIdBits) != 0) return static_cast<uint32_t>(known & kIdBits);
  const uint32_t id = intern_bounded(text);
  if (id != 0) entry.store((hash & ~kIdBits) | id, std::memory_order_relaxed);
  return id;
}

uint32_t range_text(const char* text) {
  return text == nullptr ? 0 : range_text(std::string_view(text, strnlen(text, kMaxRangeText)));
}

uint32_t range_text(const wchar_t* text) {
  if (text == nullptr) return 0;
  char bytes[kMaxRangeText];
  size_t length = 0;
  while (*text != 0 && append_character(bytes, &length, static_cast<uint32_t>(*text))) ++text;
  return range_text(std::string_view(bytes, length));
}

uint32_t range_message(const char* text) {
  if (text == nullptr) return 0;
  const std::string_view whole(text, strnlen(text, kMaxRangeText));
  const auto has = [&](std::string_view part) {
    return memmem(whole.data(), whole.size(), part.data(), part.size()) != nullptr;
  };
  if (!has(", seq = ") && !has(", op_id = ")) return range_text(whole);
  char bytes[kMaxRangeText];
  size_t length = whole.size();
  memcpy(bytes, whole.data(), length);
  length = without_number(bytes, length, ", seq = ");
  length = without_number(bytes, length, ", op_id = ");
  constexpr std::string_view kInputs = ", input_op_ids = ";
  const void* inputs = memmem(bytes, length, kInputs.data(), kInputs.size());
  if (inputs != nullptr) length = static_cast<size_t>(static_cast<const char*>(inputs) - bytes);
  return range_text(std::string_view(bytes, length));
}

}  // namespace xsp::guest
