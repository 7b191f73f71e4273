#include "collector/messages/batch_columns.h"

#include <algorithm>

namespace xsp {
namespace {

std::string_view view_of(protozero::data_view view) { return {view.data(), view.size()}; }

}  // namespace

BatchColumns read_batch_columns(protozero::data_view bytes) {
  BatchColumns read;
  for (protozero::pbf_reader batch(bytes); batch.next();) {
    switch (batch.tag()) {
      case 1:
        read.thread = batch.get_uint32();
        break;
      case 2:
        read.ring = batch.get_uint32();
        break;
      case 3:
      case 4:
      case 5: {
        const auto column = batch.tag() - 3;
        read.columns[column] = view_of(batch.get_view());
        break;
      }
      case 6:
        read.values = view_of(batch.get_view());
        break;
      default:
        batch.skip();
    }
  }
  return read;
}

bool BatchColumns::next(uint64_t (&row)[3]) {
  if (std::any_of(std::begin(columns), std::end(columns), [](std::string_view column) { return column.empty(); })) {
    return false;
  }
  for (size_t i = 0; i < 3; ++i) {
    const char* at = columns[i].data();
    row[i] = protozero::decode_varint(&at, at + columns[i].size());
    columns[i].remove_prefix(static_cast<size_t>(at - columns[i].data()));
  }
  return true;
}

bool BatchColumns::is_at_end() const {
  return std::all_of(std::begin(columns), std::end(columns), [](std::string_view column) { return column.empty(); });
}

}  // namespace xsp
