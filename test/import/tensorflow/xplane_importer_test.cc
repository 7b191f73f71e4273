#include "import/frame/importer.h"

#include <map>

#include "test/catch.h"
#include "test/import/memory_input.h"
#include "test/import/protobuf_bytes.h"
#include "test/import/read_timeline.h"

namespace xsp::test {
namespace {

constexpr uint64_t kPs = 1000;

/// Builds a plane: names get their numbers as they are used.
class PlaneBuilder {
 public:
  explicit PlaneBuilder(std::string_view name) : name_(name) {}

  ProtobufBytes stat(std::string_view name, uint64_t value) {
    return ProtobufBytes().number(1, stat_id(name)).number(4, value);
  }
  ProtobufBytes stat(std::string_view name, std::string_view text) {
    return ProtobufBytes().number(1, stat_id(name)).text(5, text);
  }
  ProtobufBytes reference(std::string_view name, std::string_view text) {
    return ProtobufBytes().number(1, stat_id(name)).number(7, stat_id(text));
  }
  ProtobufBytes event(std::string_view name, uint64_t begin_ns, uint64_t duration_ns,
                      std::initializer_list<ProtobufBytes> stats = {}) {
    ProtobufBytes bytes;
    bytes.number(1, event_id(name)).number(2, begin_ns * kPs).number(3, duration_ns * kPs);
    for (const ProtobufBytes& one : stats) bytes.message(4, one);
    return bytes;
  }
  PlaneBuilder& line(uint64_t id, std::string_view name, std::initializer_list<ProtobufBytes> events) {
    ProtobufBytes bytes;
    bytes.number(1, id).text(2, name).number(3, 5'000);
    for (const ProtobufBytes& one : events) bytes.message(4, one);
    lines_.push_back(bytes);
    return *this;
  }
  PlaneBuilder& add(const ProtobufBytes& stat) {
    stats_.push_back(stat);
    return *this;
  }

  ProtobufBytes build() const {
    ProtobufBytes bytes;
    bytes.number(1, 1).text(2, name_);
    for (const ProtobufBytes& one : lines_) bytes.message(3, one);
    const auto entries = [&](uint32_t field, const std::map<std::string, uint64_t, std::less<>>& names) {
      for (const auto& [name, id] : names) {
        bytes.message(field, ProtobufBytes().number(1, id).message(2, ProtobufBytes().number(1, id).text(2, name)));
      }
    };
    entries(4, events_);
    entries(5, names_);
    for (const ProtobufBytes& one : stats_) bytes.message(6, one);
    return bytes;
  }

 private:
  uint64_t stat_id(std::string_view name) {
    return names_.try_emplace(std::string(name), names_.size() + 1).first->second;
  }
  uint64_t event_id(std::string_view name) {
    return events_.try_emplace(std::string(name), events_.size() + 1).first->second;
  }

  std::string name_;
  std::vector<ProtobufBytes> lines_;
  std::vector<ProtobufBytes> stats_;
  std::map<std::string, uint64_t, std::less<>> events_;
  std::map<std::string, uint64_t, std::less<>> names_;
};

std::string space(std::initializer_list<PlaneBuilder> planes) {
  ProtobufBytes bytes;
  for (const PlaneBuilder& plane : planes) bytes.message(1, plane.build());
  return bytes.text(4, "node7").bytes();
}

PlaneBuilder environment() {
  PlaneBuilder plane("Task Environment");
  plane.add(plane.stat("profile_start_time", 1'700'000'000'000'000'000));
  return plane;
}

PlaneBuilder gpu_host(bool with_step) {
  PlaneBuilder plane("/host:CPU");
  plane.add(plane.stat("process_id", 4711));
  if (with_step) {
    plane.line(9, "python",
               {plane.event("train", 0, 900, {plane.stat("_r", 1), plane.stat("step_num", 3)}),
                plane.event("PjitFunction(f)", 10, 200),
                plane.event("cuLaunchKernel", 20, 30, {plane.stat("correlation_id", 55)})});
  } else {
    plane.line(9, "python",
               {plane.event("PjitFunction(f)", 10, 200),
                plane.event("cuLaunchKernel", 20, 30, {plane.stat("correlation_id", 55)})});
  }
  plane.line(10, "tf_Compute", {plane.event("dense/MatMul:MatMul", 300, 50), plane.event("$model.py:7 call", 400, 10)});
  return plane;
}

PlaneBuilder gpu() {
  PlaneBuilder plane("/device:GPU:0");
  plane.add(plane.stat("gpu_device_name", "NVIDIA A100"));
  plane.add(plane.stat("core_count", 108));
  plane.add(plane.stat("clock_rate", 1'410'000));
  plane.add(plane.stat("memory_bandwidth", 1'555'200'000'000));
  plane.add(plane.stat("memory_size", 42'000'000'000));
  plane.add(plane.stat("compute_cap_major", 8));
  plane.line(
      14, "Stream #14(Kernel,MemcpyH2D)",
      {plane.event("fusion_kernel", 100, 70,
                   {plane.stat("correlation_id", 55), plane.stat("context_id", "$$2"),
                    plane.reference("kernel_details",
                                    "regs:32 static_shared:0 dynamic_shared:64 grid:4,1,1 block:256,1,1 occ_pct:100"),
                    plane.stat("hlo_op", "fusion.3"), plane.stat("flops", 1000)}),
       plane.event("MemcpyH2D", 180, 20,
                   {plane.reference("memcpy_details", "kind_src:pinned kind_dst:device size:4096 dest:0 async:1")}),
       plane.event("Memset", 210, 5, {plane.reference("Memset_details", "kind:device num_bytes:64 async:1")})});
  plane.line(0xDEADBEEF, "Steps", {plane.event("3", 0, 900)});
  plane.line(0xDEADBEF3, "XLA Ops", {plane.event("fusion.3", 100, 70)});
  return plane;
}

TEST_CASE("streams of a GPU in an XPlane become executions with their launches, and its properties a device") {
  const ImportedTrace trace = import_text(kXplaneImporter, space({gpu(), gpu_host(true), environment()}));
  REQUIRE(trace.processes.size() == 1);
  CHECK(trace.processes[0].pid() == 4711);
  CHECK(trace.header.hostname() == "node7");
  REQUIRE(trace.executions.size() == 3);
  const auto& kernel = trace.execution("fusion_kernel");
  CHECK(kernel.kind == KIND_KERNEL);
  CHECK(kernel.launch_name == "cuLaunchKernel");
  CHECK(kernel.stream == 14);
  CHECK(kernel.context == 2);
  CHECK(kernel.end - kernel.begin == 70);
  CHECK(kernel.configuration == "grid=[4,1,1] block=[256,1,1] registers=32 static_shared=0 dynamic_shared=64");
  CHECK(trace.execution("HtoD").bytes == 4096);
  CHECK(trace.execution("Memset").kind == KIND_MEMSET);
  CHECK(trace.execution("Memset").bytes == 64);
  CHECK(trace.span("cuLaunchKernel").level == LEVEL_RUNTIME);
  CHECK(trace.span("cuLaunchKernel").kind == KIND_DRIVER_CALL);
  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].name() == "NVIDIA A100");
  CHECK(trace.devices[0].multiprocessors() == 108);
  CHECK(trace.devices[0].memory_bandwidth() == 1'555'200'000'000);
  CHECK(trace.has_note("2 lines that XLA derived"));
  CHECK(trace.has_note("compiler's estimates"));
  // From the begin of the profile, whose time the environment tells.
  CHECK(trace.header.realtime_offset_ns() == 1'700'000'000'000'000'000 + 5'000 - 1'000'000);
}

TEST_CASE("steps that the program marked are model spans; without any, calls of compiled functions are") {
  const ImportedTrace steps = import_text(kXplaneImporter, space({gpu_host(true), gpu()}));
  CHECK(steps.span("train").level == LEVEL_MODEL);
  CHECK(steps.span("train").kind == KIND_ANNOTATION);
  CHECK(steps.span("PjitFunction(f)").level == LEVEL_APPLICATION);
  CHECK(steps.span("PjitFunction(f)").parent_name == "train");
  const ImportedTrace calls = import_text(kXplaneImporter, space({gpu_host(false), gpu()}));
  CHECK(calls.span("PjitFunction(f)").level == LEVEL_MODEL);
  CHECK(calls.has_note("no step was marked"));
}

TEST_CASE("nodes of TensorFlow are operators, and Python's functions what they are") {
  const ImportedTrace trace = import_text(kXplaneImporter, space({gpu_host(true), gpu()}));
  const auto& node = trace.span("dense/MatMul");
  CHECK(node.kind == KIND_OPERATOR);
  CHECK(node.type == "MatMul");
  CHECK(node.level == LEVEL_APPLICATION);
  CHECK(trace.span("model.py:7 call").kind == KIND_PYTHON_FUNCTION);
}

PlaneBuilder cpu(bool with_step) {
  PlaneBuilder plane("/host:CPU");
  const auto operation = [&](const char* name, uint64_t begin, uint64_t run) {
    return plane.event(name, begin, 50,
                       {plane.stat("hlo_op", name), plane.stat("hlo_module", "jit_f"), plane.stat("run_id", run),
                        plane.stat("device_ordinal", uint64_t{0})});
  };
  if (with_step) plane.line(1, "python", {plane.event("train", 0, 500, {plane.stat("step_num", 1)})});
  plane.line(2, "tf_XLAPjRtCpuClient/1",
             {plane.event("ThreadpoolListener::StartRegion", 90, 0), operation("dot.3", 100, 7),
              operation("add", 160, 7), plane.event("end: add", 215, 1)});
  plane.line(3, "tf_XLAPjRtCpuClient/2", {operation("dot.3", 300, 8)});
  return plane;
}

TEST_CASE("operations of XLA on a CPU are executed nodes of the step they lie in") {
  const ImportedTrace trace = import_text(kXplaneImporter, space({cpu(true)}));
  const auto& dot = trace.span("dot.3");
  CHECK(dot.level == LEVEL_LAYER);
  CHECK(dot.kind == KIND_OPERATOR);
  CHECK(dot.type == "dot");
  CHECK(dot.scope == trace.span("train").scope);
  CHECK(trace.span("add").type == "add");
  CHECK(trace.spans.size() == 4);
  CHECK(trace.has_note("2 marks"));
}

TEST_CASE("without steps, the operations of one run of a program on a CPU are a run") {
  const ImportedTrace trace = import_text(kXplaneImporter, space({cpu(false)}));
  CHECK(trace.count_spans("jit_f") == 2);
  const auto& run = trace.span("jit_f");
  CHECK(run.level == LEVEL_MODEL);
  CHECK(run.end - run.begin == 110);
  CHECK(run.scope == trace.span("add").scope);
  CHECK(trace.has_note("from the begin of its first operation"));
}

TEST_CASE("an XPlane that is cut off anywhere gives what stands before, or says that nothing does") {
  const std::string text = space({cpu(true), gpu_host(true), gpu()});
  const size_t first_plane = space({cpu(true)}).size();
  size_t usable = 0;
  for (size_t size = 1; size < text.size(); size += 3) {
    ProfileTimeline timeline;
    MemoryInput input(std::string_view(text).substr(0, size));
    const Status status = kXplaneImporter.read(input, &timeline);
    if (!status.ok()) {
      CHECK(status.error.find("cut off or damaged, at byte " + std::to_string(size)) != std::string::npos);
      continue;
    }
    ++usable;
    const ImportedTrace trace = read_timeline(&timeline);
    CHECK(trace.notes.size() >= 1);
    if (size > first_plane) CHECK(trace.count_spans("dot.3") == 2);
  }
  CHECK(usable > 100);
}

TEST_CASE("damaged events of an XPlane are counted, and the others kept") {
  PlaneBuilder plane("/host:CPU");
  plane.line(1, "python",
             {plane.event("fine", 10, 5), ProtobufBytes().number(1, 99).number(2, 5).number(3, 1),
              plane.event("backwards", 10, uint64_t(-5)), plane.event("endless", 10, uint64_t{1} << 60),
              ProtobufBytes().number(1, 1).number(5, 12), ProtobufBytes().text(1, "no number")});
  const ImportedTrace trace = import_text(kXplaneImporter, space({plane}));
  CHECK(trace.count_spans("fine") == 1);
  CHECK(trace.count_spans("backwards") == 0);
  CHECK(trace.has_note("event that cannot be read: 4"));
  CHECK(trace.has_note("event that is a sum and has no time: 1"));
}

TEST_CASE("XPlanes are recognised, other files are not") {
  CHECK(kXplaneImporter.recognise(space({environment()})) > 0);
  CHECK(kXplaneImporter.recognise(space({gpu()})) > 0);
  CHECK(kXplaneImporter.recognise("{\"a\": 1}") == 0);
  CHECK(kXplaneImporter.recognise("") == 0);
  CHECK(kStepStatsImporter.recognise(space({gpu()})) == 0);
  CHECK(import_error(kXplaneImporter, space({environment()})) == "no event of an XPlane profile in it");
}

}  // namespace
}  // namespace xsp::test
