#include "analysis/report/redaction.h"

namespace xsp::analysis {

void redact(Trace* trace) {
  for (Segment& segment : trace->segments) {
    segment.command.clear();
    segment.hostname.clear();
  }
  for (Process& process : trace->processes) {
    process.command.clear();
    process.environment.clear();
  }
}

}  // namespace xsp::analysis
