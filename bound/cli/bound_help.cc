#include <fmt/format.h>

#include "bound/advice/what_if.h"
#include "bound/backends/backend.h"
#include "bound/cli/bound_options.h"

namespace xsp::bound {
namespace {

constexpr const char* kText = R"(xsp-bound: how fast could this model run here?

  xsp-bound model.onnx                   measures each unique layer once, prints the bounds
  xsp-bound model.onnx --trace run.pb    and compares them with a run that xsp-run recorded
  xsp-bound model.onnx -a B1 --top 10    the ten layers that need most time
  xsp-bound model.onnx --batch 32 --threads 1
  xsp-bound model.onnx --html --open     tables and the graph with its longest path, in a browser
  xsp-bound model.onnx --no-run --format json
                                         only what is known already
  xsp-bound model.onnx --generate todo.jsonl
                                         what is to be measured, for another machine; there:
  xsp-bound --run todo.jsonl --database gpu.sqlite
  xsp-bound --merge gpu.sqlite           and back here
  xsp-bound model.onnx --times times.csv bounds from times that are known already

usage: xsp-bound [options] MODEL...

  MODEL is an ONNX file. Its weights are not read. Without one, --trace shows what a trace tells
  by itself (B5, B6).

what to show:
  -a, --analysis LIST      tables by id, such as B1,B3, or all. Default: findings and the most
                           useful tables; with --format or --html, all
      --top N              at most N rows per table; 0: all. Default: 10 rows of the overview, 20 of
                           tables by id on a terminal, else all
      --html               one page with everything, named after MODEL (or -o FILE)
      --open               show the page in a browser ($BROWSER, xdg-open)
      --format FORMAT      text, json, csv or html
  -o, --output FILE        write to FILE; - is standard output
  -f, --force              accepted as by the other programs: outputs are replaced anyway
      --dot FILE           write the graph for Graphviz, its longest path in red; -: only that
      --plain              ASCII only, as on terminals without UTF-8
      --color WHEN         auto (on terminals, unless NO_COLOR is set), always or never
the model:
      --batch N            first dimension of each input whose size is open. Default: 1
      --shape INPUT=SHAPE  shape of an input, such as x=1,3,224,224; may be repeated
      --dtype LIST         also what the model could gain in other types (B7):
                           {}
      --trace FILE         compare with this recording of the model; it also gives open dimensions
      --trace-model NAME   of several models in the trace this one, as xsp-report --model.
                           Default: the one that took most time
      --times FILE         times of layers from a CSV file: layer,latency_ms[,implementation];
                           rows of one layer add up. Nothing is measured or looked up
measuring:
      --no-run             measure nothing, only look up
      --refresh            measure again what is known already
      --budget MS          time for each implementation of a problem. Default: 100
      --time-limit TIME    begin no benchmark after TIME: 90s, 10m or 3h
      --threads N          threads of the benchmarks. Default: the cores that this process may use
      --backend LIST       libraries to use, of {}.
                           Default: those of the GPU where there is one, else of the processor; with
                           --trace those of what it ran on
      --library NAME=VERSION
                           of several versions of a library only this one; may be repeated
      --exact              no implementation whose rounding differs (Winograd, FFT)
      --generate FILE      write what is to be measured to FILE, a work list, and measure nothing
      --run FILE           measure a work list; give the same --threads as for the bounds
database:
      --database FILE      where measurements are kept. Default: bounds.sqlite in
                           $XDG_DATA_HOME/xsp (~/.local/share/xsp)
      --system NAME        look up measurements of another machine: its name, or the beginning of it
      --list-systems       list the machines in the database
      --merge FILE         take over the measurements of another database; may be repeated
      --export-csv FILE    write all measurements as CSV
other options:
      --strict             exit 4 if a layer has no time
  -q, --quiet              print no progress, only warnings and errors
  -v, --verbose            show model, machine and libraries above the findings
      --log-level LEVEL    log to standard error from this level on: trace, debug, info, warning,
                           error or off (default)
      --log-file FILE      log to FILE, which is rotated; --log-level is then info
  -h, --help               show this text
  -V, --version            show the version

Tables:
{}
Exit codes: 0 done, 2 wrong usage or a dimension that has to be given, 3 input missing or
unreadable, 4 a layer has no time (--strict), 5 the output cannot be written or --open found no
browser, 6 the bounds contradict each other, 130 or 143 interrupted. A benchmark that fails is a
row, not an exit code.
)";

}  // namespace

std::string bound_help() {
  std::string tables;
  for (const BoundAnalysis& analysis : bound_analyses()) {
    tables += fmt::format("  {:<4} {}\n", analysis.definition->id, analysis.definition->title);
  }
  return fmt::format(kText, fmt::join(precision_names(), ", "), fmt::join(backend_names(), ", "), tables);
}

}  // namespace xsp::bound
