#include "bound/cli/subject_making.h"

#include <algorithm>

#include "bound/advice/emulation.h"
#include "bound/bounds/own_kernels.h"
#include "bound/cli/benchmark_plan.h"
#include "bound/cli/bound_messages.h"
#include "bound/cli/library_choice.h"
#include "bound/database/given_times.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

const JoinedTrace* trace_of(const BoundInputs& inputs, const ModelInput& input) {
  return inputs.has_trace ? &input.trace : nullptr;
}

/// What needs no benchmark of its own.
Advice advice_of(const ModelInput& input, const Bounds& bounds, std::vector<ImplementationChoice> choices,
                 const std::vector<PrecisionBound>& precisions) {
  Advice advice;
  advice.choices = std::move(choices);
  const bool has_model = !input.model.layers.empty();
  if (bounds.trace != nullptr) {
    advice.inefficiencies = find_inefficiencies(*bounds.trace, has_model ? &input.model : nullptr);
  }
  if (has_model) advice.what_ifs = what_ifs(bounds, advice.choices, precisions);
  return advice;
}

/// Runtimes of which a library can be measured that computes as they do. PyTorch's own oneDNN cannot be called alone.
struct RuntimeLibrary {
  std::string_view framework;  // JoinedTrace::framework
  std::string_view library;    // Library::name
};
constexpr RuntimeLibrary kRuntimeLibraries[] = {{"onnxruntime", "onnxruntime"}};

std::optional<OwnKernels> own_kernels_of(const Bounds& bounds, const Database& database, LookUp look_up) {
  if (bounds.trace == nullptr || bounds.trace->is_on_gpu()) return std::nullopt;
  const auto runtime = std::ranges::find(kRuntimeLibraries, bounds.trace->framework, &RuntimeLibrary::framework);
  if (runtime == std::end(kRuntimeLibraries)) return std::nullopt;
  std::erase_if(look_up.libraries, [&](const Library& library) { return library.name != runtime->library; });
  if (look_up.libraries.empty()) return std::nullopt;
  return own_kernels(bounds, library_list(look_up.libraries), look_up_times(*bounds.model, database, look_up),
                     look_up_group_times(bounds.groups, database, look_up));
}

/// Where layers have no time, the number of threads with which most of them were measured.
void find_other_threads(const std::vector<Bounds>& models, const Database& database, const LookUp& look_up,
                        TimesSource* source) {
  const bool has_all =
      std::ranges::all_of(models, [](const Bounds& bounds) { return bounds.layers().sequential.missing == 0; });
  if (has_all) return;
  const std::vector<Database::System> systems = database.systems();
  const auto system = std::ranges::find(systems, look_up.system_key, &Database::System::key);
  if (system == systems.end()) return;
  for (const int threads : system->threads) {
    if (threads == look_up.threads) continue;
    LookUp other = look_up;
    other.threads = threads;
    size_t layers = 0;
    for (const Bounds& bounds : models) {
      const std::vector<LayerTime> times = look_up_times(*bounds.model, database, other);
      for (size_t layer = 0; layer < times.size(); ++layer) {
        layers += times[layer].bound_ms && !bounds.times[layer].bound_ms ? 1 : 0;
      }
    }
    if (layers > (source->other_threads ? source->other_threads->layers : 0)) {
      source->other_threads = TimesSource::OtherThreads{threads, layers};
    }
  }
}

}  // namespace

Status subject_of_given_times(const BoundOptions& options, const BoundInputs& inputs, BoundSubject* subject) {
  GivenTimes given;
  if (Status status = read_given_times(options.times, &given); !status.ok()) {
    return with_hint(status, "--times reads CSV: layer,latency_ms[,implementation], a row a layer");
  }
  subject->source.is_given = true;
  subject->source.path = options.times;
  for (const ModelInput& input : inputs.models) {
    std::vector<LayerTime> times;
    if (Status status = take_given_times(input.model, given, &times); !status.ok()) return status;
    subject->bounds.push_back(make_bounds(input.model, std::move(times), {.trace = trace_of(inputs, input)}));
    subject->advice.push_back(advice_of(input, subject->bounds.back(), {}, {}));
  }
  return {};
}

Status subject_of_benchmarks(const BoundOptions& options, const BoundInputs& inputs, Database* database,
                             BoundSubject* subject) {
  Choice choice;
  const JoinedTrace* trace = inputs.has_trace ? &inputs.models.front().trace : nullptr;
  BoundOptions as_traced = options;
  if (!options.threads && trace != nullptr) as_traced.threads = trace->threads;
  const PreferredSystem preferred = trace == nullptr     ? PreferredSystem::kAny
                                    : trace->is_on_gpu() ? PreferredSystem::kGpu
                                                         : PreferredSystem::kProcessor;
  if (Status status = choose_libraries(as_traced, *database, &choice, preferred); !status.ok()) return status;
  const bool is_this_processor = choice.is_this_system && !choice.system.is_gpu();
  const std::string isa = is_this_processor ? choice.system.instructions : isa_of_system_key(choice.look_up.system_key);
  TimesSource& source = subject->source;
  if (options.run && choice.is_this_system) {
    const std::vector<WorkItem> items = work_items(options, inputs, isa);
    if (Status status = measure_missing(options, choice, items, database, &source.measured); !status.ok()) {
      return status;
    }
  }
  source.path = options.database;
  source.system = choice.look_up.system_key;
  source.is_this_system = choice.is_this_system;
  source.threads = choice.look_up.threads;
  source.libraries = choice.look_up.libraries;
  if (choice.is_this_system) source.cache_bytes = choice.system.cache_bytes;
  source.exact = options.exact;
  source.notes = choice.notes;
  for (const ModelInput& input : inputs.models) {
    const LookUp& look_up = choice.look_up;
    BoundExtras extras{.groups = input.groups,
                       .group_times = look_up_group_times(input.groups, *database, look_up),
                       .trace = trace_of(inputs, input)};
    subject->bounds.push_back(
        make_bounds(input.model, look_up_times(input.model, *database, look_up), std::move(extras)));
    subject->bounds.back().own_kernels = own_kernels_of(subject->bounds.back(), *database, look_up);
    const Bounds& bounds = subject->bounds.back();
    std::vector<ImplementationChoice> choices;
    if (trace != nullptr) choices = implementation_choices(input.trace, *database, look_up);
    std::vector<PrecisionBound> precisions;
    for (const std::string& dtype : options.dtypes) {
      precisions.push_back(precision_bound(bounds, dtype, *database, look_up, isa));
    }
    subject->advice.push_back(advice_of(input, bounds, std::move(choices), precisions));
  }
  find_other_threads(subject->bounds, *database, choice.look_up, &source);
  return with_hint(database->failure(), kOtherDatabase);
}

}  // namespace xsp::bound
