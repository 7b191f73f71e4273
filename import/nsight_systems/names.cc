#include "import/nsight_systems/names.h"

#include <algorithm>
#include <array>
#include <span>

namespace xsp::nsight_systems {
namespace {

constexpr std::array<std::string_view, 14> kCopies = {"unknown", "HtoD",         "DtoH",         "HtoA",        "AtoH",
                                                      "AtoA",    "AtoD",         "DtoA",         "DtoD",        "HtoH",
                                                      "PtoP",    "unified HtoD", "unified DtoH", "unified DtoD"};
constexpr std::array<std::string_view, 8> kMemoryKinds = {"Pageable", "Pinned",        "Device",         "Array",
                                                          "Managed",  "Device Static", "Managed Static", "Unknown"};
constexpr std::array<std::string_view, 5> kSynchronizations = {"unknown", "event", "stream wait event", "stream",
                                                               "context"};
constexpr std::array<std::string_view, 9> kOverheads = {"unknown",
                                                        "unknown",
                                                        "driver compiler",
                                                        "buffer flush",
                                                        "instrumentation",
                                                        "resource",
                                                        "runtime triggered module loading",
                                                        "lazy function loading",
                                                        "command buffer full"};
constexpr size_t kMaxRangeText = 4096;
/// Digits of a runtime version, as in _v3020; the driver's function names contain shorter ones.
constexpr size_t kMinVersionDigits = 4;

std::string_view name_in(std::span<const std::string_view> names, int64_t number, std::string_view otherwise) {
  return number >= 0 && number < static_cast<int64_t>(names.size()) ? names[static_cast<size_t>(number)] : otherwise;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes `label` and the digits that follow it.
void remove_number(std::string* text, std::string_view label) {
  const size_t found = text->find(label);
  if (found == std::string::npos) return;
  size_t end = found + label.size();
  while (end < text->size() && is_digit((*text)[end])) ++end;
  text->erase(found, end - found);
}

/// Cuts a text, but not in the middle of a character.
std::string_view cut(std::string_view text) {
  if (text.size() < kMaxRangeText) return text;
  size_t size = kMaxRangeText;
  for (int i = 0; i < 3 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80; ++i) --size;
  return text.substr(0, size);
}

}  // namespace

std::string_view copy_direction(int64_t kind) { return name_in(kCopies, kind, kCopies[0]); }

std::string_view memory_kind_name(int64_t kind) { return name_in(kMemoryKinds, kind, kMemoryKinds.back()); }

std::string copy_name(std::string_view direction, std::string_view from, std::string_view to) {
  const auto is_known = [](std::string_view memory) { return !memory.empty() && memory != kMemoryKinds.back(); };
  std::string name(direction);
  const bool is_inside_device = from == "Device" && to == "Device";
  if (is_known(from) && is_known(to) && !is_inside_device)
    name.append(" (").append(from).append(" -> ").append(to) += ')';
  return name;
}

std::string_view synchronization_name(int64_t type) { return name_in(kSynchronizations, type, kSynchronizations[0]); }

std::string_view overhead_name(int64_t type) { return name_in(kOverheads, type, {}); }

std::string_view api_function(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && is_digit(name[name.size() - 1 - digits])) ++digits;
  const std::string_view rest = name.substr(0, name.size() - digits);
  if (digits < kMinVersionDigits || !rest.ends_with("_v") || rest.size() == 2) return name;
  return rest.substr(0, rest.size() - 2);
}

bool is_driver_function(std::string_view function) {
  return function.size() > 2 && function.starts_with("cu") && function[2] >= 'A' && function[2] <= 'Z';
}

std::string library_of(std::string_view table) {
  constexpr std::string_view kEnd = "_EVENTS";
  if (!table.starts_with("CU") || !table.ends_with(kEnd)) return {};
  std::string library(table.substr(0, table.size() - kEnd.size()));
  const bool is_word = std::all_of(library.begin(), library.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_word || library == "CUDA") return {};
  for (char& c : library) c = static_cast<char>(c - 'A' + 'a');
  return library;
}

std::string range_text(std::string_view text) {
  std::string short_text(cut(text));
  const bool is_numbered =
      short_text.find(", seq = ") != std::string::npos || short_text.find(", op_id = ") != std::string::npos;
  if (!is_numbered) return short_text;
  remove_number(&short_text, ", seq = ");
  remove_number(&short_text, ", op_id = ");
  if (const size_t inputs = short_text.find(", input_op_ids = "); inputs != std::string::npos) {
    short_text.resize(inputs);
  }
  return short_text;
}

}  // namespace xsp::nsight_systems
