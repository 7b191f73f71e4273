#include "collector/messages/unintercepted.h"

#include "base/text_encoding.h"

namespace xsp {
namespace {

constexpr size_t kMaxTextBytes = 4096;  // of a path
constexpr uint32_t kLastReason = 5;

}  // namespace

Status read_unintercepted(protozero::data_view bytes, UninterceptedLibrary* library) {
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    std::string* text = nullptr;
    switch (fields.tag()) {
      case 1:
        library->reason = static_cast<uint32_t>(fields.get_enum());
        if (library->reason > kLastReason) library->reason = 0;
        continue;
      case 2:
        text = &library->library;
        break;
      case 3:
        text = &library->file;
        break;
      case 4:
        text = &library->user;
        break;
      case 5:
        text = &library->detail;
        break;
      default:
        fields.skip();
        continue;
    }
    const auto view = fields.get_view();
    if (view.size() > kMaxTextBytes) return Status{"a library's description of more than 4 KiB"};
    *text = trace_text({view.data(), view.size()});
  }
  return Status();
}

size_t unintercepted_capacity(const UninterceptedLibrary& library) {
  return library.library.size() + library.file.size() + library.user.size() + library.detail.size() + 96;
}

void write_unintercepted(WireWriter& writer, const UninterceptedLibrary& library) {
  writer.uint64(1, library.reason);
  writer.string(2, library.library);
  writer.string(3, library.file);
  writer.string(4, library.user);
  writer.string(5, library.detail);
}

}  // namespace xsp
