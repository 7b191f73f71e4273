/// One step of TensorFlow, in any of four forms: StepStats or RunMetadata in protobuf's binary form, the same in
/// protobuf's JSON and text forms, and the JSON of tensorflow.python.client.timeline.

#include "import/frame/importer.h"
#include "import/frame/trace_events.h"
#include "import/tensorflow/step_stats.h"
#include "import/tensorflow/step_stats_json.h"
#include "import/tensorflow/step_stats_reader.h"
#include "import/tensorflow/step_stats_text.h"
#include "import/tensorflow/timeline_events.h"
#include "import/tensorflow/whole_input.h"

namespace xsp {
namespace {

constexpr size_t kHeadBytes = 4096;

bool looks_like_timeline(std::string_view head) {
  return head.find("\"traceEvents\"") != std::string_view::npos &&
         (has_member(head, "name", "Allocators") || head.find(" Compute\"") != std::string_view::npos);
}

bool looks_like_json(std::string_view head) {
  for (const char* key : {"\"devStats\"", "\"dev_stats\"", "\"stepStats\"", "\"step_stats\""}) {
    if (head.find(key) != std::string_view::npos) return true;
  }
  return false;
}

int recognise_step_stats(std::string_view head) {
  if (first_character(head) == '{') return looks_like_timeline(head) ? 95 : looks_like_json(head) ? 90 : 0;
  return looks_like_step_stats(head) || looks_like_step_stats_text(head) ? 90 : 0;
}

Status read_timeline_json(ProfileInput& input, ProfileTimeline* timeline) {
  StepStats stats(timeline);
  TraceEvents events(input, {"traceEvents[]"});
  TimelineEvents nodes(timeline, &stats);
  TraceEvent event;
  while (events.next(&event)) nodes.add(event);
  if (!stats.is_empty()) stats.finish();
  return events.finish(!stats.is_empty(), "a timeline of TensorFlow", timeline);
}

/// A device's name may come after its nodes.
Status read_json(ProfileInput& input, ProfileTimeline* timeline) {
  StepStats stats(timeline);
  JsonPieces pieces(input, {"devStats[].nodeStats[]", "dev_stats[].node_stats[]", "stepStats.devStats[].nodeStats[]",
                            "step_stats.dev_stats[].node_stats[]"});
  std::string device;
  std::vector<StepNode> waiting;
  uint64_t damaged = 0;
  const auto give = [&] {
    for (StepNode& node : waiting) stats.add(device, std::move(node));
    waiting.clear();
  };
  JsonPieces::Piece piece;
  while ((piece = pieces.next()) <= JsonPieces::Piece::kClose) {
    if (piece == JsonPieces::Piece::kOpen) {
      device.clear();
    } else if (piece == JsonPieces::Piece::kClose) {
      give();
    } else if (pieces.path().ends_with("ode_stats[]") || pieces.path().ends_with("odeStats[]")) {
      const auto parsed = parse_json(pieces.text());
      if (!parsed.is_object()) {
        ++damaged;
        continue;
      }
      waiting.push_back(read_step_node(parsed));
      if (!device.empty()) give();
    } else if (pieces.path().ends_with("[].device")) {
      const auto parsed = parse_json(pieces.text());
      if (parsed.is_string()) device = parsed.get<std::string>();
      give();
    }
  }
  give();
  if (damaged != 0) timeline->note("node that is no JSON object", damaged);
  if (!stats.is_empty()) stats.finish();
  return finish_document(input, pieces, piece, !stats.is_empty(), "a StepStats of TensorFlow", timeline);
}

/// Protobuf's binary form, or its text form.
Status read_protobuf(ProfileInput& input, bool is_text, ProfileTimeline* timeline) {
  std::string bytes;
  if (Status status = read_whole(input, timeline, &bytes); !status.ok()) return status;
  StepStats stats(timeline);
  uint64_t position = 0;
  const bool is_whole =
      is_text ? read_step_stats_text(bytes, &stats, &position) : read_step_stats(bytes, &stats, &position);
  const std::string place = "damaged or cut off at byte " + std::to_string(position);
  if (stats.is_empty()) {
    return Status{"no node of a StepStats of TensorFlow in it" + (is_whole ? "" : " (" + place + ")")};
  }
  if (!is_whole) timeline->note(place + "; what stands before was read");
  stats.finish();
  return Status();
}

Status read_step_stats(ProfileInput& input, ProfileTimeline* timeline) {
  const std::string_view head = input.head(kHeadBytes);
  if (first_character(head) != '{') return read_protobuf(input, looks_like_step_stats_text(head), timeline);
  return looks_like_json(head) ? read_json(input, timeline) : read_timeline_json(input, timeline);
}

}  // namespace

const Importer kStepStatsImporter = {
    "tensorflow",
    "TensorFlow's StepStats or RunMetadata (binary, text or JSON), and timeline JSON",
    recognise_step_stats,
    read_step_stats,
};

}  // namespace xsp
