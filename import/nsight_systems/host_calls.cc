#include "import/nsight_systems/host_calls.h"

#include <map>
#include <string>
#include <utility>

#include "import/nsight_systems/names.h"

namespace xsp::nsight_systems {
namespace {

/// ENUM_NSYS_EVENT_TYPE.
enum RangeType : int64_t {
  kMark = 34,
  kPushPop = 59,
  kStartEnd = 60,
  kDomainCreate = 75,
};

/// ENUM_NSYS_EVENT_CLASS: the profiler began or ended tracing a library, which is no call of the library.
constexpr int64_t kFirstLibraryTracing = 33;
constexpr int64_t kLastLibraryTracing = 36;

/// Names of domains, which each process numbers independently.
using Domains = std::map<std::pair<uint64_t, int64_t>, std::string>;

Domains read_domains(Export& exported) {
  Domains domains;
  Rows rows(exported.database(), "NVTX_EVENTS",
            {{"eventType", true}, {"domainId"}, {"globalTid", true}, {"text"}, {"textId"}});
  while (rows.next()) {
    if (rows.integer(0) != kDomainCreate) continue;
    const std::string_view text = rows.is_null(3) ? exported.string(rows, 4) : rows.text(3);
    domains[{static_cast<uint64_t>(rows.integer(2)) >> 24, rows.integer(1)}] = text;
  }
  return domains;
}

class Ranges {
 public:
  explicit Ranges(Export& exported) : exported_(exported), domains_(read_domains(exported)) {}

  void read() {
    Rows rows(exported_.database(), "NVTX_EVENTS",
              {{"start", true},
               {"end", true},
               {"eventType", true},
               {"globalTid", true},
               {"text"},
               {"textId"},
               {"domainId"},
               {"endGlobalTid"}});
    while (rows.next()) read_row(rows);
    exported_.note(rows);
  }

 private:
  void read_row(Rows& rows) {
    const int64_t type = rows.integer(2);
    if (type != kPushPop && type != kStartEnd && type != kMark) return;
    ImportedSpan span;
    span.kind = wire::Kind::kNvtxRange;
    Interval interval;
    if (type != kMark && rows.is_null(1)) {
      exported_.timeline().note("NVTX range that was not ended");
      return;
    }
    if (!exported_.times(rows, 0, type == kMark ? 0 : 1, "NVTX range", &interval)) return;
    span.begin_ns = interval.begin;
    span.end_ns = interval.end;
    ExportedThread thread = exported_.thread(rows, 3);
    ExportedProcess& process = *thread.process;
    const bool ends_elsewhere = type == kStartEnd && rows.is_integer(7) && rows.integer(7) != rows.integer(3) &&
                                Export::tid_of(rows.integer(7)) != 0;
    if (ends_elsewhere) thread.index = process.imported->thread(0);
    span.name = text_of(process, rows);
    const auto domain = domains_.find({process.key, rows.integer(6)});
    if (domain != domains_.end()) span.type = process.imported->text(domain->second);
    process.imported->add_span(thread.index, span);
  }

  uint32_t text_of(ExportedProcess& process, Rows& rows) {
    const std::string_view text = rows.is_null(4) ? exported_.string(rows, 5) : rows.text(4);
    return process.imported->text(range_text(text));
  }

  Export& exported_;
  Domains domains_;
};

void read_calls_of(Export& exported, const std::string& table, const std::string& library) {
  Rows rows(exported.database(), table,
            {{"start", true}, {"end", true}, {"globalTid", true}, {"nameId", true}, {"eventClass"}});
  while (rows.next()) {
    const int64_t event_class = rows.integer(4);
    if (event_class >= kFirstLibraryTracing && event_class <= kLastLibraryTracing) continue;
    Interval interval;
    if (!exported.times(rows, 0, 1, "library call", &interval)) continue;
    const ExportedThread thread = exported.thread(rows, 2);
    ImportedSpan span;
    span.begin_ns = interval.begin;
    span.end_ns = interval.end;
    span.level = wire::Level::kLibrary;
    span.kind = wire::Kind::kLibraryCall;
    span.name = exported.name(*thread.process, rows, 3);
    span.type = thread.process->imported->text(library);
    thread.process->imported->add_span(thread.index, span);
  }
  exported.note(rows);
}

}  // namespace

void read_ranges(Export& exported) { Ranges(exported).read(); }

void read_library_calls(Export& exported) {
  for (const std::string& table : exported.database().tables()) {
    if (const std::string library = library_of(table); !library.empty()) read_calls_of(exported, table, library);
  }
}

Status read_api_calls(Export& exported) {
  Rows rows(
      exported.database(), "CUPTI_ACTIVITY_KIND_RUNTIME",
      {{"start", true}, {"end", true}, {"globalTid", true}, {"nameId", true}, {"correlationId"}, {"returnValue"}});
  while (rows.next()) {
    Interval interval;
    if (!exported.times(rows, 0, 1, "call of the CUDA API", &interval)) continue;
    const ExportedThread thread = exported.thread(rows, 2);
    ImportedProcess& process = *thread.process->imported;
    ImportedSpan span;
    span.begin_ns = interval.begin;
    span.end_ns = interval.end;
    span.level = wire::Level::kRuntime;
    span.correlation = exported.correlation(rows, 4);
    span.failed = rows.integer(5) != 0;
    const std::string_view whole = exported.string(rows, 3);
    const std::string_view function = api_function(whole);
    const bool is_driver = is_driver_function(function);
    span.kind = is_driver ? wire::Kind::kDriverCall : wire::Kind::kRuntimeCall;
    span.type = process.text(is_driver ? "cuda" : "cudart");
    span.name = whole.empty() ? exported.name(*thread.process, rows, 3) : process.text(function);
    process.add_span(thread.index, span);
  }
  if (rows.unusable()) return rows.status();
  exported.note(rows);
  return Status();
}

}  // namespace xsp::nsight_systems
