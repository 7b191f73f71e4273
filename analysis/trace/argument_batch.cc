#include "analysis/trace/argument_batch.h"

#include "proto/row_batch_readers.h"

namespace xsp::analysis {
namespace {

uint64_t key_of(uint32_t ring, uint32_t span) { return uint64_t{ring} << 32 | span; }

}  // namespace

bool append_argument_batch(std::string_view encoded, const StringTable& texts, const ProcessStrings& strings,
                           PendingArguments* pending, ArgumentTable* table, uint64_t* missing_strings) {
  ArgumentBatchReader batch(encoded, wire::Mismatch::kSkip);
  const uint32_t ring = batch.head().ring;
  for (ArgumentBatchReader::Row row; batch.next(&row);) {
    if (row.layout > UINT32_MAX) return false;
    const uint32_t text = strings.find(static_cast<uint32_t>(row.layout));
    if (text == 0 || text == StringTable::kMissing) {
      ++*missing_strings;
    } else if (table->size() < SpanTable::kNoArguments - 1 && !pending->contains(key_of(ring, row.span))) {
      pending->emplace(key_of(ring, row.span), table->add(text, row.values, texts, strings, missing_strings));
    }
  }
  return batch.is_whole();
}

void attach_arguments(size_t first, const std::vector<Track>& tracks, PendingArguments* pending, SpanTable* spans) {
  for (size_t row = first; row < spans->size() && !pending->empty(); ++row) {
    if (spans->id[row] == 0) continue;
    const auto found = pending->find(key_of(tracks[spans->track[row]].ring, spans->id[row]));
    if (found == pending->end()) continue;
    spans->arguments.resize(row + 1);
    spans->arguments[row] = found->second + 1;
    pending->erase(found);
  }
}

}  // namespace xsp::analysis
