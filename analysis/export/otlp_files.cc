#include "analysis/export/otlp_files.h"

#include <string>

#include "analysis/export/otlp_batches.h"
#include "analysis/export/otlp_message.h"

namespace xsp::analysis {
namespace {

void write_batches(const ExportInput& input, void (*append)(const OtlpBatch&, std::string*), std::string_view end,
                   ByteSink* sink) {
  OtlpBatches batches(input, Level::kDevice);
  OtlpBatch batch;
  std::string bytes;
  while (batches.next(&batch) != 0 && !sink->failed()) {
    bytes.clear();
    append(batch, &bytes);
    bytes += end;
    sink->write(bytes);
  }
}

}  // namespace

Status write_otlp(const ExportInput& input, ByteSink* sink) {
  write_batches(input, append_otlp_protobuf, "", sink);
  return {};
}

Status write_otlp_json(const ExportInput& input, ByteSink* sink) {
  write_batches(input, append_otlp_json, "\n", sink);
  return {};
}

}  // namespace xsp::analysis
