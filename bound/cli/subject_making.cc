#include "bound/cli/subject_making.h"

#include "bound/advice/emulation.h"
#include "bound/cli/benchmark_plan.h"
#include "bound/cli/bound_messages.h"
#include "bound/cli/library_choice.h"
#include "bound/database/given_times.h"

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
  source.exact = options.exact;
  source.notes = choice.notes;
  for (const ModelInput& input : inputs.models) {
    const LookUp& look_up = choice.look_up;
    BoundExtras extras{.groups = input.groups,
                       .group_times = look_up_group_times(input.groups, *database, look_up),
                       .trace = trace_of(inputs, input)};
    subject->bounds.push_back(
        make_bounds(input.model, look_up_times(input.model, *database, look_up), std::move(extras)));
    const Bounds& bounds = subject->bounds.back();
    std::vector<ImplementationChoice> choices;
    if (trace != nullptr) choices = implementation_choices(input.trace, *database, look_up);
    std::vector<PrecisionBound> precisions;
    for (const std::string& dtype : options.dtypes) {
      precisions.push_back(precision_bound(bounds, dtype, *database, look_up, isa));
    }
    subject->advice.push_back(advice_of(input, bounds, std::move(choices), precisions));
  }
  return with_hint(database->failure(), kOtherDatabase);
}

}  // namespace xsp::bound
