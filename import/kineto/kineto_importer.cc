/// PyTorch's profiler (Kineto), torch.autograd.profiler and other traces in Chrome's format.

#include <algorithm>

#include "import/frame/importer.h"
#include "import/frame/json_document.h"
#include "import/kineto/event_timeline.h"
#include "import/kineto/profiler_event.h"
#include "import/kineto/trace_members.h"

namespace xsp {
namespace {

constexpr int kSure = 90;
/// For other tools' traces in the same format: their own importers know better.
constexpr int kPossible = 20;

int recognise_kineto(std::string_view head) {
  const char first = first_character(head);
  if (first != '{' && first != '[') return 0;
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  constexpr std::string_view kMarks[] = {"\"cpu_op\"",          "\"cuda_runtime\"",
                                         "\"External id\"",     "\"external id\"",
                                         "\"python_function\"", "\"deviceProperties\"",
                                         "\"user_annotation\"", "\"baseTimeNanoseconds\"",
                                         "\"CPU functions\"",   "\"aten::",
                                         "PyTorch Profiler",    "\"ProfilerStep#"};
  if (std::any_of(std::begin(kMarks), std::end(kMarks), has)) return kSure;
  return has("\"traceEvents\"") || (first == '[' && has("\"ph\"")) ? kPossible : 0;
}

Status read_kineto(ProfileInput& input, ProfileTimeline* timeline) {
  JsonPieces pieces(input, {"traceEvents[]", "[]"});
  kineto::EventTimeline events(timeline);
  kineto::EventParser parser;
  kineto::ProfilerEvent event;
  kineto::TraceMembers members;
  JsonPieces::Piece piece;
  while ((piece = pieces.next()) == JsonPieces::Piece::kValue) {
    const std::string_view path = pieces.path();
    if (!path.ends_with("[]")) {
      members.read(path, pieces.text());
      continue;
    }
    const auto outcome = parser.parse(pieces.text(), &event);
    if (outcome == kineto::EventParser::Outcome::kBroken) {
      timeline->note("event that is no JSON object");
      continue;
    }
    if (outcome == kineto::EventParser::Outcome::kRepaired) timeline->note("event with characters that JSON forbids");
    events.add(event);
  }

  if (!events.has_any()) return finish_document(input, pieces, piece, false, "a profile of PyTorch", timeline);
  events.finish();
  members.finish(events.first_ns(), timeline);
  return finish_document(input, pieces, piece, true, "a profile of PyTorch", timeline);
}

}  // namespace

constinit const Importer kKinetoImporter = {
    .name = "kineto",
    .description = "PyTorch's profiler (torch.profiler, torch.autograd.profiler) and Chrome traces",
    .recognise = recognise_kineto,
    .read = read_kineto,
};

}  // namespace xsp
