#include "import/nvprof/tables.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"

namespace xsp::nvprof {
namespace {

/// A year in ns.
constexpr double kMaxTime = 3.2e16;

/// "Tesla V100-SXM2-16GB (0)": name and number of a device.
std::pair<std::string_view, uint32_t> device_of(std::string_view text) {
  const size_t bracket = text.rfind(" (");
  if (bracket == std::string_view::npos || !text.ends_with(')')) return {text, 0};
  const auto number = number_in<uint32_t>(text.substr(bracket + 2, text.size() - bracket - 3));
  if (!number) return {text, 0};
  return {text.substr(0, bracket), *number};
}

/// Versions without a column for the correlation id append it: "gemm(float*) [107]".
uint32_t take_correlation(std::string_view* name) {
  const size_t bracket = name->rfind(" [");
  if (bracket == std::string_view::npos || !name->ends_with(']')) return 0;
  const auto number = number_in<uint32_t>(name->substr(bracket + 2, name->size() - bracket - 3));
  if (!number) return 0;
  name->remove_suffix(name->size() - bracket);
  return *number;
}

/// "HtoD" of "[CUDA memcpy HtoD]"; empty for anything else.
std::string copy_of(std::string_view name) {
  for (const auto& [begin, kind] :
       {std::pair<std::string_view, std::string_view>{"[CUDA memcpy ", ""}, {"[Unified Memory Memcpy ", "unified "}}) {
    if (!name.starts_with(begin) || !name.ends_with(']')) continue;
    return std::string(kind) + std::string(name.substr(begin.size(), name.size() - begin.size() - 1));
  }
  return {};
}

/// In the form of ActivityBatch.configuration, without what the row lacks.
std::string configuration(const Columns& columns, const std::vector<std::string>& row) {
  const auto number = [&](Field field) { return std::to_string(columns.number(row, field).value_or(0)); };
  if (!columns.number(row, Field::kGridX)) return {};
  std::string text = "grid=[" + number(Field::kGridX) + ',' + number(Field::kGridY) + ',' + number(Field::kGridZ) +
                     "] block=[" + number(Field::kBlockX) + ',' + number(Field::kBlockY) + ',' +
                     number(Field::kBlockZ) + ']';
  if (columns.number(row, Field::kRegisters)) text += " registers=" + number(Field::kRegisters);
  const auto add_bytes = [&](std::string_view name, Field field) {
    const auto bytes = columns.quantity(row, field);
    if (bytes) text.append(" ").append(name).append(std::to_string(std::llround(std::clamp(*bytes, 0.0, 1e12))));
  };
  add_bytes("static_shared=", Field::kStaticShared);
  add_bytes("dynamic_shared=", Field::kDynamicShared);
  return text;
}

}  // namespace

void Tables::begin_table(uint32_t pid) {
  pid_ = pid;
  ++table_;
}

void Tables::set_program(uint32_t pid, std::string_view name) { programs_[pid] = name; }

Tables::Process& Tables::process() {
  Process& process = processes_[pid_];
  if (process.imported == nullptr) {
    process.imported = &timeline_.process(pid_);
    if (const auto program = programs_.find(pid_); program != programs_.end()) {
      process.imported->set_name(program->second);
    }
  }
  return process;
}

Status Tables::add(const Columns& columns, const std::vector<std::string>& row) {
  const std::string_view name = columns.text(row, Field::kName);
  if (name.empty()) return Status{"row without a name"};
  if (!columns.has_times()) return add_counters(columns, row, name);
  const std::optional<double> begin = columns.quantity(row, Field::kStart);
  const std::optional<double> duration = columns.quantity(row, Field::kDuration);
  if (begin && std::abs(*begin) <= kMaxTime && columns.text(row, Field::kDuration).empty() && name.starts_with('[')) {
    return add_mark(name, std::llround(*begin));
  }
  if (!begin || !duration) return Status{"row whose times are no numbers"};
  if (*duration < 0) return Status{"row with a negative duration"};
  if (std::abs(*begin) > kMaxTime || *duration > kMaxTime) return Status{"row with times beyond any clock"};
  const int64_t begin_ns = std::llround(*begin);
  const int64_t end_ns = begin_ns + std::llround(*duration);
  const bool is_call = columns.text(row, Field::kDevice).empty() && !name.starts_with('[');
  return is_call ? add_call(columns, row, name, begin_ns, end_ns) : add_execution(columns, row, name, begin_ns, end_ns);
}

Status Tables::add_call(const Columns& columns, const std::vector<std::string>& row, std::string_view name,
                        int64_t begin, int64_t end) {
  if (!name.starts_with("cu")) return Status{"row of neither a device nor a call of CUDA"};
  ImportedSpan span;
  span.correlation = take_correlation(&name);
  // "cudaLaunch (gemm(float*) [107])" also names the kernel.
  const size_t kernel = name.find(" (");
  if (span.correlation == 0 && kernel != std::string_view::npos && name.ends_with(')')) {
    std::string_view launched = name.substr(kernel, name.size() - kernel - 1);
    span.correlation = take_correlation(&launched);
  }
  if (columns.has(Field::kCorrelation)) span.correlation = columns.number(row, Field::kCorrelation).value_or(0);
  name = name.substr(0, kernel);
  Process& owner = process();
  const bool is_driver = name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z';
  span.begin_ns = begin;
  span.end_ns = end;
  span.level = wire::Level::kRuntime;
  span.kind = is_driver ? wire::Kind::kDriverCall : wire::Kind::kRuntimeCall;
  span.name = owner.imported->text(name);
  span.type = owner.imported->text(is_driver ? "cuda" : "cudart");
  add_to_table(owner, span);
  return Status();
}

Status Tables::add_mark(std::string_view name, int64_t time) {
  constexpr std::string_view kBegin = "[Range start] ";
  constexpr std::string_view kEnd = "[Range end] ";
  constexpr size_t kMaxOpen = 4096;
  Process& owner = process();
  if (name.starts_with(kBegin)) {
    if (owner.open.size() == kMaxOpen) return Status{"range inside too many others"};
    owner.open.push_back({std::string(name.substr(kBegin.size())), time, table_});
    return Status();
  }
  if (!name.starts_with(kEnd)) return Status{"row of " + std::string(name.substr(0, name.find(']') + 1))};
  name.remove_prefix(kEnd.size());
  const auto begun = std::find_if(owner.open.rbegin(), owner.open.rend(), [&](const Range& range) {
    return range.name == name && range.table == table_ && range.begin_ns <= time;
  });
  if (begun == owner.open.rend()) return Status{"end of a range that has not begun"};
  ImportedSpan span;
  span.begin_ns = begun->begin_ns;
  span.end_ns = time;
  owner.open.erase(std::next(begun).base());
  span.kind = wire::Kind::kNvtxRange;
  // "step (Domain: <unnamed>)"
  constexpr std::string_view kDomain = " (Domain: ";
  if (const size_t domain = name.rfind(kDomain); domain != std::string_view::npos && name.ends_with(')')) {
    const std::string_view text = name.substr(domain + kDomain.size(), name.size() - domain - kDomain.size() - 1);
    if (text != "<unnamed>") span.type = owner.imported->text(text);
    name = name.substr(0, domain);
  }
  span.name = owner.imported->text(name);
  add_to_table(owner, span);
  return Status();
}

/// nvprof does not report threads.
void Tables::add_to_table(Process& owner, const ImportedSpan& span) {
  const ImportedSpanId id = owner.imported->add_span(owner.imported->thread(pid_), span);
  if (owner.calls.empty() || owner.calls.back().table != table_) owner.calls.push_back({table_, id.number, 0});
  ++owner.calls.back().count;
  has_times_ = true;
}

Status Tables::add_execution(const Columns& columns, const std::vector<std::string>& row, std::string_view name,
                             int64_t begin, int64_t end) {
  ImportedExecution execution;
  const auto [device_name, device] = device_of(columns.text(row, Field::kDevice));
  execution.begin_ns = begin;
  execution.end_ns = end;
  execution.queue = {device, columns.number(row, Field::kContext).value_or(0),
                     columns.number(row, Field::kStream).value_or(0)};
  const std::string copy = copy_of(name);
  if (!copy.empty()) {
    execution.kind = wire::Kind::kMemcpy;
    name = copy;
  } else if (name == "[CUDA memset]") {
    execution.kind = wire::Kind::kMemset;
    name = "memset";
  } else if (name.starts_with('[')) {
    return Status{"row of " + std::string(name) + ", which is no execution"};
  } else {
    execution.correlation = take_correlation(&name);
  }
  if (columns.has(Field::kCorrelation)) execution.correlation = columns.number(row, Field::kCorrelation).value_or(0);
  Process& owner = process();
  execution.name = owner.imported->text(name);
  const bool is_kernel = execution.kind == wire::Kind::kKernel;
  if (is_kernel) {
    execution.configuration = owner.imported->text(configuration(columns, row));
  } else {
    execution.bytes =
        static_cast<uint64_t>(std::llround(std::clamp(columns.quantity(row, Field::kSize).value_or(0), 0.0, 1e18)));
  }
  const size_t number = owner.imported->execution_count();
  owner.imported->add_execution(execution);
  if (execution.correlation != 0) owner.executions.emplace(execution.correlation, Execution{begin, table_});
  add_device(owner, device_name, device);
  has_times_ = true;
  if (!is_kernel) return Status();
  counters_.add_kernel(owner.imported, device, name, number);
  for (const Columns::Metric& metric : columns.metrics()) {
    if (row[metric.column].empty()) continue;
    const std::optional<double> value = Columns::value(row, metric);
    if (value) owner.imported->add_counter(number, metric.name, *value);
    if (!value) timeline_.note("counter whose value is no number");
  }
  return Status();
}

void Tables::add_device(Process& owner, std::string_view name, uint32_t index) {
  if (name.empty() || std::find(owner.devices.begin(), owner.devices.end(), index) != owner.devices.end()) return;
  owner.devices.push_back(index);
  ImportedDevice device;
  device.index = index;
  device.name = name;
  owner.imported->add_device(std::move(device));
}

Status Tables::add_counters(const Columns& columns, const std::vector<std::string>& row, std::string_view name) {
  take_correlation(&name);
  if (name.starts_with('[')) return Status();  // copies have no counters
  std::vector<std::pair<std::string_view, double>> values;
  for (const Columns::Metric& metric : columns.metrics()) {
    if (row[metric.column].empty()) continue;
    const std::optional<double> value = Columns::value(row, metric);
    if (value) values.emplace_back(metric.name, *value);
    if (!value) timeline_.note("counter whose value is no number");
  }
  counters_.add_counted(pid_, device_of(columns.text(row, Field::kDevice)).second, name, values);
  return Status();
}

void Tables::finish() {
  counters_.join(&timeline_);
  for (auto& [pid, process] : processes_) {
    if (!process.open.empty()) timeline_.note("range that has begun and not ended", process.open.size());
    align(process);
  }
}

/// Tables of calls and of executions may each count from their own first row. A call begins before what it launches:
/// where it does not, the calls of its table are shifted by the amount needed.
void Tables::align(Process& process) {
  for (const Calls& calls : process.calls) {
    const uint32_t thread = process.imported->thread(process.imported->pid());
    int64_t late = 0;
    for (uint32_t i = 0; i < calls.count; ++i) {
      const ImportedSpan& call = process.imported->span({thread, calls.first + i});
      const auto launched = process.executions.find(call.correlation);
      if (call.correlation == 0 || launched == process.executions.end()) continue;
      if (launched->second.table == calls.table) continue;
      late = std::max(late, call.begin_ns - launched->second.begin_ns);
    }
    if (late == 0) continue;
    for (uint32_t i = 0; i < calls.count; ++i) {
      ImportedSpan& call = process.imported->span({thread, calls.first + i});
      call.begin_ns -= late;
      call.end_ns -= late;
    }
    timeline_.note(
        "the tables of calls and of executions count from different times: they were put together so that "
        "no execution begins before its call, the latencies between them are too short",
        0);
  }
}

}  // namespace xsp::nvprof
