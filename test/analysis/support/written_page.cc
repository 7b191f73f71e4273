#include "test/analysis/support/written_page.h"

#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "analysis/findings/finding.h"
#include "analysis/tables/registry.h"

namespace xsp::test {
namespace {

std::string decoded(std::string_view base64) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int known = 0;
  for (const char c : base64) {
    if (c == '=') break;
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw std::runtime_error("not base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes.push_back(static_cast<char>(bits >> known & 0xff));
  }
  return bytes;
}

std::string inflated(const std::string& packed) {
  constexpr int kGzip = 16;
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK) throw std::runtime_error("no memory");
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::string bytes;
  std::string piece(1 << 16, '\0');
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream, Z_NO_FLUSH);
    bytes.append(piece, 0, piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("not a whole gzip stream");
  return bytes;
}

}  // namespace

std::string page_of(const analysis::Report& report, const analysis::AnalysedTrace& analysed,
                    const analysis::HtmlOptions& options) {
  static int pages = 0;
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("xsp-page-" + std::to_string(getpid()) + "-" + std::to_string(++pages) + ".html");
  analysis::ByteSink sink(path.string());
  analysis::write_html(report, analysed, options, &sink);
  if (!sink.finish().ok()) throw std::runtime_error("cannot write a page");
  std::ifstream file(path, std::ios::binary);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return page;
}

analysis::Report report_of(const analysis::AnalysedTrace& analysed) {
  analysis::Report report;
  for (const analysis::TableDefinition* one : analysis::analyses()) {
    report.tables.push_back(one->compute(*analysed.study));
  }
  report.header = analysis::report_header(*analysed.study);
  report.findings = analysis::findings(*analysed.study, report.tables);
  return report;
}

nlohmann::json unpacked(std::string_view page, std::string_view id) {
  const std::string begin = "<script type=\"application/octet-stream\" id=\"" + std::string(id) + "\">";
  return nlohmann::json::parse(inflated(decoded(between(page, begin, "</script>"))));
}

size_t occurrences(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  const size_t from = at + begin.size();
  const size_t to = text.find(end, from);
  return std::string(text.substr(from, to == std::string_view::npos ? to : to - from));
}

}  // namespace xsp::test
