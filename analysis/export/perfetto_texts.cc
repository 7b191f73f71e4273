#include "analysis/export/perfetto_texts.h"

#include "analysis/export/perfetto_packets.h"
#include "base/text_encoding.h"

namespace xsp::analysis {

using protozero::pbf_writer;
namespace pb = perfetto;

PerfettoTexts::PerfettoTexts(ExportedSpans* spans, std::vector<std::string_view> keys)
    : spans_(*spans), keys_(keys.size()), written_(spans->trace().strings.size()) {
  pbf_writer data(added_);
  for (size_t level = 0; level < kLevelCount; ++level) {
    pb::add_interned(&data, pb::interned::kCategories, level + 1, kLevelNames[level]);
  }
  for (size_t key = 0; key < keys_; ++key) {
    pb::add_interned(&data, pb::interned::kAnnotationNames, key + 1, keys[key]);
  }
}

uint64_t PerfettoTexts::name(Row row, Kind kind) {
  const uint32_t id = spans_.trace().spans.name[row];
  const bool is_kernel = kind == Kind::kKernel;
  const uint64_t iid = uint64_t{id} * 2 + (is_kernel ? 2 : 1);
  const uint8_t mark = is_kernel ? kAsKernel : kAsName;
  if ((written_[id] & mark) == 0) {
    written_[id] |= mark;
    pbf_writer data(added_);
    pb::add_interned(&data, pb::interned::kNames, iid, spans_.name(row));
  }
  return iid;
}

uint64_t PerfettoTexts::text(uint32_t id) {
  if ((written_[id] & kAsText) == 0) {
    written_[id] |= kAsText;
    pbf_writer data(added_);
    pb::add_interned(&data, pb::interned::kAnnotationTexts, uint64_t{id} + 1, spans_.text(id));
  }
  return uint64_t{id} + 1;
}

uint64_t PerfettoTexts::text(std::string_view derived) {
  if (const auto known = derived_.find(derived); known != derived_.end()) return known->second;
  const uint64_t iid = spans_.trace().strings.size() + 1 + derived_.size();  // behind the trace's own
  derived_.emplace(derived, iid);
  pbf_writer data(added_);
  pb::add_interned(&data, pb::interned::kAnnotationTexts, iid, derived);
  return iid;
}

uint64_t PerfettoTexts::argument(std::string_view name) {
  auto known = arguments_.find(name);
  if (known == arguments_.end()) {
    known = arguments_.emplace(name, keys_ + 1 + arguments_.size()).first;
    pbf_writer data(added_);
    pb::add_interned(&data, pb::interned::kAnnotationNames, known->second, valid_utf8(name));
  }
  return known->second;
}

}  // namespace xsp::analysis
