#include "analysis/report/report_header.h"

#include "analysis/tables/loss_notes.h"

namespace xsp::analysis {

ReportHeader report_header(const Study& study) {
  return {.title = "XSP report", .facts = {}, .losses = loss_notes(study)};
}

}  // namespace xsp::analysis
