#include "collector/messages/guest_messages.h"

namespace xsp {
namespace {

constexpr size_t kMaxUuidBytes = 64;

bool is_too_long(std::string_view text) { return text.size() > kMaxTextBytes; }

}  // namespace

RecordingGap read_gap(protozero::data_view bytes) {
  RecordingGap gap = with_own_texts(read_message<wire::Gap>(bytes));
  if (gap.reason >= wire::kGapReasonCount) gap.reason = 0;
  if (gap.level >= wire::kLevelCount) gap.level = 0;
  if (gap.end_ns != 0) gap.end_ns = std::max(gap.begin_ns, gap.end_ns);
  return gap;
}

DeviceDescription read_device(protozero::data_view bytes) {
  auto device = read_message<wire::Device>(bytes);
  device.uuid = device.uuid.substr(0, kMaxUuidBytes);
  return with_own_texts(device);
}

Status read_unintercepted(protozero::data_view bytes, UninterceptedLibrary* library) {
  auto read = read_message<wire::Unintercepted>(bytes);
  if (is_too_long(read.library) || is_too_long(read.file) || is_too_long(read.user) || is_too_long(read.detail)) {
    return Status{"a library's description of more than 4 KiB"};
  }
  if (read.reason >= wire::kUninterceptedReasonCount) read.reason = 0;
  *library = with_own_texts(read);
  return Status();
}

Status read_library_use(protozero::data_view bytes, LibraryUse* used) {
  const auto read = read_message<wire::UsedLibrary>(bytes);
  if (is_too_long(read.library) || is_too_long(read.file)) {
    return Status{"a used library with a text of more than 4 KiB"};
  }
  *used = with_own_texts(read);
  return Status();
}

}  // namespace xsp
