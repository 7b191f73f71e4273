#include "analysis/cli/output.h"

#include "analysis/export/byte_sink.h"

namespace xsp::analysis {

Status write_output(const std::string& path, std::string_view text, bool* broken_pipe) {
  ByteSink sink(path.empty() ? "-" : path);
  sink.write(text);
  Status status = sink.finish();
  *broken_pipe = sink.broken_pipe();
  return status;
}

}  // namespace xsp::analysis
