#include "collector/messages/library_use.h"

#include "base/text_encoding.h"

namespace xsp {
namespace {

constexpr size_t kMaxTextBytes = 4096;  // of a path

}  // namespace

Status read_library_use(protozero::data_view bytes, LibraryUse* used) {
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    if (fields.tag() != 1 && fields.tag() != 2) {
      fields.skip();
      continue;
    }
    std::string& text = fields.tag() == 1 ? used->library : used->file;
    const auto view = fields.get_view();
    if (view.size() > kMaxTextBytes) return Status{"a used library with a text of more than 4 KiB"};
    text = trace_text({view.data(), view.size()});
  }
  return Status();
}

size_t library_use_capacity(const LibraryUse& used) { return used.library.size() + used.file.size() + 64; }

void write_library_use(WireWriter& writer, const LibraryUse& used) {
  writer.string(1, used.library);
  writer.string(2, used.file);
}

}  // namespace xsp
