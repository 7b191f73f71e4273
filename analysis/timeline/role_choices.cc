#include "analysis/timeline/role_choices.h"
#include "base/similar_words.h"

#include <array>
#include <set>

namespace xsp::analysis {
namespace {

constexpr std::string_view kRanges = "nvtx:";

Status read_layers(const std::string& text, RoleChoice* choice) {
  choice->layers_text = text;
  if (text.empty() || text == "auto") {
    choice->layers = LayerChoice::kAuto;
  } else if (text == "module") {
    choice->layers = LayerChoice::kModules;
  } else if (text == "op") {
    choice->layers = LayerChoice::kOperators;
  } else if (text == "library") {
    choice->layers = LayerChoice::kLibraryCalls;
  } else if (text.starts_with(kRanges) && text.size() > kRanges.size()) {
    choice->layers = LayerChoice::kRanges;
    return choice->ranges.set(text.substr(kRanges.size()));
  } else {
    return {"--layers: unknown value '" + text + "'",
            choice_hint(text, std::vector<std::string>{"auto", "module", "op", "library"}, "nvtx:REGEX")};
  }
  return {};
}

struct Stock {
  Kind kind;
  const char* name;
};
constexpr std::array kStocks = {
    Stock{Kind::kTorchModule, "modules"},
    Stock{Kind::kTorchContainer, "modules"},
    Stock{Kind::kTorchRoot, "modules"},
    Stock{Kind::kTorchConstruction, "modules"},
    Stock{Kind::kOperator, "operators"},
    Stock{Kind::kAnnotation, "annotations"},
    Stock{Kind::kPythonFunction, "Python functions"},
    Stock{Kind::kNvtxRange, "NVTX ranges"},
    Stock{Kind::kIttTask, "ITT tasks"},
    Stock{Kind::kLibraryCall, "library calls"},
    Stock{Kind::kOrtNode, "nodes of ONNX Runtime"},
    Stock{Kind::kRun, "runs"},
    Stock{Kind::kOrtRun, "runs"},
    Stock{Kind::kApi, "spans of the program"},
};

std::string stock_of(const Trace& trace) {
  std::array<bool, 256> there = {};
  for (Row row = 0; row < trace.spans.size(); ++row) {
    if (trace.spans.level[row] != Level::kDevice) there[static_cast<size_t>(trace.spans.kind[row])] = true;
  }
  std::string list;
  std::set<std::string> named;
  for (const Stock& stock : kStocks) {
    if (!there[static_cast<size_t>(stock.kind)] || !named.insert(stock.name).second) continue;
    list += (list.empty() ? "" : ", ") + std::string(stock.name);
  }
  return list.empty() ? "none of these" : list;
}

}  // namespace

Status read_role_choices(const SpanRoleOptions& options, const Trace& trace, RoleChoices* choices) {
  std::vector<uint32_t> of_segment;
  for (const Segment& segment : trace.segments) {
    const std::string& layers = options.layers.empty() ? segment.layers : options.layers;
    const std::string& models = options.model_span.empty() ? segment.model_span : options.model_span;
    uint32_t number = 0;
    while (number < choices->choices.size() &&
           (choices->choices[number].layers_text != layers || choices->choices[number].model_text != models)) {
      ++number;
    }
    of_segment.push_back(number);
    if (number < choices->choices.size()) continue;
    RoleChoice& choice = choices->choices.emplace_back();
    if (Status status = read_layers(layers, &choice); !status.ok()) return status;
    choice.model_text = models;
    if (!choice.names_models()) continue;
    if (Status status = choice.models.set(models); !status.ok()) return status;
  }
  for (const Process& process : trace.processes) choices->of_process.push_back(of_segment[process.segment]);
  return {};
}

std::vector<bool> takes_iterations(const SpanRoleOptions& options, const Trace& trace) {
  std::vector<bool> takes;
  for (const Process& process : trace.processes) {
    const std::string& imported = trace.segments[process.segment].model_span;
    takes.push_back((options.model_span.empty() ? imported : options.model_span) == kIterationsAsModels);
  }
  return takes;
}

Status check_role_choices(const RoleChoices& choices, const Trace& trace) {
  for (const RoleChoice& choice : choices.choices) {
    if (choice.names_models() && !choice.models_found) {
      return {"--model-span " + choice.model_text + " matches nothing (the trace has: " + stock_of(trace) + ")",
              "REGEX must match the whole name of a range, module, operator or function; table Q2 lists them: try '.*" +
                  choice.model_text + ".*'"};
    }
    if (choice.layers != LayerChoice::kAuto && !choice.layers_found) {
      return {"--layers " + choice.layers_text + " finds no layer (the trace has: " + stock_of(trace) + ")",
              "leave --layers away, or give another value"};
    }
  }
  return {};
}

}  // namespace xsp::analysis
