#include "analysis/cli/help.h"

#include <fmt/format.h>

#include "analysis/export/exporter.h"
#include "analysis/tables/registry.h"

namespace xsp::analysis {
namespace {

constexpr const char* kExamples = R"(xsp-report: show a recorded trace as tables or as a page, or export it

  xsp-report run.pb                      findings, and the most useful tables
  xsp-report run.pb --html --open        one page with everything, in a browser
  xsp-report run.pb -a A2 --top 5        the five slowest layers
  xsp-report b1.pb b8.pb b64.pb -a A1    throughput, and the optimal batch size
  xsp-report FOLDER -a M1 --baseline NAME
                                         models, systems and ranks side by side
  xsp-report FOLDER -a L1                overhead of profiling, from xsp-run --leveled -o FOLDER
  xsp-report run.pb -a A9,A14 --gpu V100 rooflines of kernels and layers
  xsp-report run.pb --export perfetto    a timeline for ui.perfetto.dev
  xsp-report --diff BASE NEW             what became slower, and which layers changed
  xsp-report run.pb --fail-if 'A1.latency_ms > 20'
  xsp-report run.pb --format json -o report.json

usage: xsp-report [options] TRACE...

  TRACE is a trace file, a folder of them, or - for standard input. Several are read together.

what to show:
  -a, --analysis LIST      tables by id, such as A1,A2,Q1, or all. Default: findings and the five
                           most useful tables; with --format or --html, all
      --top N              at most N rows per table; 0: all. Default: 10 rows of the five tables, 20
                           of tables by id on a terminal, else all
      --summary            a dozen lines instead of tables
      --stat STAT          trimmed (20 % trimmed mean; default), mean, median, min, max, p50, p90,
                           p95, p99
      --per WHAT           evaluation (one call or step; default), or trace: totals over everything
      --skip N             warm-up calls or steps to leave out of each run. Default: as found, at
                           least 1 of more than 2
      --optimal BY         how to choose the optimal batch size: rule (default), max, latency=MS
which part of the input:
      --model NAME         the model of A2 to A14, C1 and C2. Default: the one with the most time
      --process PID|rankN  only this process
      --last TIME          only the last 90s, 10m, 3h or 2d of a continuous recording
      --layers WHAT        what counts as a layer: auto, module, op, library, nvtx:REGEX. Default:
                           as imported, else auto
      --model-span REGEX   spans whose whole name matches REGEX are calls or steps of a model;
                           iterations: what the operations repeat in (D1)
      --iterations N       number of iterations, if known; for nested loops N,N,…, with --mining
                           suffix-tree
      --mining HOW         how to find iterations: periods (default), or suffix-tree, the method of
                           the DeepProf paper
      --unmatched K        operations that an iteration may have beyond the pattern, with --mining
                           suffix-tree. Default: a tenth of the pattern
output:
      --html               one page with everything, named after TRACE (or -o FILE)
      --open               show the page in a browser ($BROWSER, xdg-open)
      --format FORMAT      text, json, csv or html
  -o, --output FILE        write to FILE; - is standard output
      --plain              ASCII only, as on terminals without UTF-8
      --color WHEN         auto (on terminals, unless NO_COLOR is set), always or never
      --redact             leave out command lines, host names and folders
exports:
      --export FMT[=FILE]  write FMT to FILE (default: named after TRACE; - is standard output); may
                           be repeated:
{}      --otlp URL           send the spans to an OTLP/HTTP endpoint
      --otlp-level LEVEL   deepest level to send: model, layer, library, runtime, device. Default:
                           the deepest that receivers can show, 10,000 spans per call or step
rooflines:
      --gpu NAME           take the peaks of this GPU, such as V100. Default: the trace's GPU
      --peak-flops LIST    peak per second: 15.7T, or by type f16:125T,f32:15.7T. Default: from the
                           data sheet
      --mem-bw BYTES       memory bandwidth in bytes per second, such as 900G
bounds:
      --bounds FILE        show beside what was measured how fast it could be: FILE is what
                           xsp-bound MODEL.onnx --trace TRACE --format json wrote
numbers of threads, and what could run at the same time:
      --graph MODEL.onnx   which layers depend on which, for E3 and R2
      --curves FILE        take the curves of E1 to E3 from a CSV file, op,size,threads,ms
      --cores N            as if N cores could be used; --interval N: as if every Nth number of
                           threads had been tried; --paper: any longer time ends a search, as in
                           the paper
comparing and checking:
      --diff               compare the first TRACE (BASE) with the others (NEW), in the tables A1,
                           A2, A6, A8, A10 and A11
      --baseline NAME      compare the rows of M1 with this model, system, framework or rankN
      --fail-if EXPR       exit 1 if EXPR holds, such as 'A1.latency_ms > 20' or, with --diff,
                           'A2[conv*].latency_ms > 1.05*base and significant'; may be repeated
      --strict             exit 4 if the trace or a table lacks data
other options:
  -q, --quiet              print no warnings
  -v, --verbose            show what was recorded, where and how, above the findings
      --log-level LEVEL    log to standard error from this level on: trace, debug, info, warning,
                           error or off (default)
      --log-file FILE      log to FILE, which is rotated; --log-level is then info
  -h, --help               show this text
  -V, --version            show the version

Tables:
{}
Exit codes: 0 done, 1 a --fail-if holds, 2 wrong usage, 3 input missing or unreadable, 4 data is
missing (--strict) or a --fail-if cannot be judged, 5 the output cannot be written or --open found
no browser, 6 the report contradicts itself.
)";

std::string formats() {
  std::string lines;
  for (const Exporter& exporter : exporters()) {
    lines += fmt::format("{:29}{:<11} {}\n", "", exporter.name, exporter.about);
  }
  return lines;
}

std::string tables() {
  std::string lines;
  for (const TableDefinition* analysis : analyses()) {
    lines += fmt::format("  {:<4} {}\n", analysis->id, analysis->title);
  }
  return lines;
}

}  // namespace

std::string help_text() { return fmt::format(kExamples, formats(), tables()); }

}  // namespace xsp::analysis
