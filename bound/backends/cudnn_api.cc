#include "bound/backends/cudnn_api.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace xsp::bound::cudnn {
namespace {

constexpr size_t kLeastVersion = 8000;
constexpr size_t kLongestReason = 300;

/// Reasons are many lines, the first of which says what was asked for and the last what is wrong with it; each begins
/// with where in the library's code it was written.
std::string last_line_of(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const size_t begin = text.rfind('\n');
  if (begin != std::string_view::npos) text.remove_prefix(begin + 1);
  return std::string(text.substr(0, kLongestReason));
}

}  // namespace

Status Api::open(const std::string& path, Api* api, bool* is_known) {
  *is_known = false;
  if (Status status = SharedLibrary::open(path, false, &api->file_); !status.ok()) return status;
  const auto version = api->file_.function<size_t (*)()>("cudnnGetVersion");
  bool is_complete = version != nullptr;
#define XSP_FIND(member, symbol, parameters) api->member = api->file_.function<decltype(api->member)>(#symbol);
#define XSP_REQUIRE(member, symbol, parameters) is_complete = is_complete && api->member != nullptr;
  XSP_CUDNN_FUNCTIONS(XSP_FIND)
  XSP_CUDNN_LEGACY_FUNCTIONS(XSP_FIND)
  XSP_CUDNN_FUNCTIONS(XSP_REQUIRE)
#undef XSP_REQUIRE
#undef XSP_FIND
  if (!is_complete) return {};
  api->version_number_ = version();
  api->error_string_ = api->file_.function<decltype(api->error_string_)>("cudnnGetErrorString");
  api->last_error_ = api->file_.function<decltype(api->last_error_)>("cudnnGetLastErrorString");
  *is_known = api->version_number_ >= kLeastVersion;
  return {};
}

std::string Api::version() const {
  // 8902 is 8.9.2, 91900 is 9.19.0.
  const size_t major_unit = version_number_ >= 90000 ? 10000 : 1000;
  return fmt::format("{}.{}.{}", version_number_ / major_unit, version_number_ % major_unit / 100,
                     version_number_ % 100);
}

Status Api::status_of(Answer answer) const {
  if (answer == CUDNN_STATUS_SUCCESS) return {};
  const char* const name = error_string_ == nullptr ? nullptr : error_string_(answer);
  const std::string word = name == nullptr ? fmt::format("cuDNN status {}", answer) : name;
  std::array<char, 4096> reason{};
  if (last_error_ != nullptr) last_error_(reason.data(), reason.size() - 1);
  const std::string line = last_line_of({reason.data(), strnlen(reason.data(), reason.size())});
  if (line.empty() || line.find(word) != std::string::npos) return {line.empty() ? word : line};
  return {word + ": " + line};
}

}  // namespace xsp::bound::cudnn
