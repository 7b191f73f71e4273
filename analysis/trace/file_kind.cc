#include "analysis/trace/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace xsp::analysis {
namespace {

using namespace std::string_view_literals;

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kMagic = {{
    {"\x1f\x8b"sv, "a gzip file"},
    {"\x28\xb5\x2f\xfd"sv, "a zstd file"},
    {"BZh"sv, "a bzip2 file"},
    {"PK\x03\x04"sv, "a zip file"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\x7f"
     "ELF"sv,
     "an ELF program"},
    {"PAR1"sv, "a Parquet file"},
    {"NVTX"sv, "an NVTX file"},
    {"\xef\xbb\xbf"sv, "text"},
}};

}  // namespace

std::string guess_file_kind(std::string_view head) {
  for (const auto& [magic, kind] : kMagic) {
    if (head.starts_with(magic)) return std::string(kind);
  }
  const auto is_text = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isprint(byte) != 0 || std::isspace(byte) != 0;
  };
  if (head.empty() || !std::all_of(head.begin(), head.end(), is_text)) return {};
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (head[first] == '{' || head[first] == '[')) return "JSON";
  return "text";
}

}  // namespace xsp::analysis
