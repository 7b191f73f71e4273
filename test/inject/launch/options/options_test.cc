#include "inject/launch/options/options.h"
#include "inject/launch/options/exit_codes.h"

#include <algorithm>

#include "test/catch.h"

using xsp::launch::exit_code_of;
using xsp::launch::Options;
using xsp::launch::parse_options;
using xsp::launch::Summary;

namespace {

Options parsed(std::vector<std::string> words) {
  std::vector<char*> argv = {const_cast<char*>("xsp-run")};
  for (std::string& word : words) argv.push_back(word.data());
  Options options;
  const auto status = parse_options(static_cast<int>(argv.size()), argv.data(), &options);
  CHECK(status.ok());
  return options;
}

int exit_code_for(std::vector<std::string> words) {
  std::vector<char*> argv = {const_cast<char*>("xsp-run")};
  for (std::string& word : words) argv.push_back(word.data());
  Options options;
  const auto status = parse_options(static_cast<int>(argv.size()), argv.data(), &options);
  return status.ok() ? 0 : exit_code_of(status);
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("options end at the first argument that is none") {
  const Options options = parsed({"-q", "python", "infer.py", "-o", "x", "--level", "model"});
  CHECK(options.quiet);
  CHECK(options.output.empty());
  CHECK(options.level.empty());
  CHECK(options.command == Words{"python", "infer.py", "-o", "x", "--level", "model"});
}

TEST_CASE("options end at --") {
  CHECK(parsed({"--", "-strange-name", "--"}).command == Words{"-strange-name", "--"});
  CHECK(parsed({"-f", "-o", "--", "--", "true"}).output == "--");
}

TEST_CASE("a value may follow its option in every usual form") {
  CHECK(parsed({"-o", "a.pb", "true"}).output == "a.pb");
  CHECK(parsed({"-oa.pb", "true"}).output == "a.pb");
  CHECK(parsed({"-fo", "a.pb", "true"}).output == "a.pb");
  CHECK(parsed({"--output=a.pb", "true"}).output == "a.pb");
  CHECK(parsed({"--output", "a.pb", "true"}).command == Words{"true"});
  CHECK(parsed({"--library-calls", "all", "true"}).library_calls == "all");
  CHECK(parsed({"--summary", "none", "true"}).summary == Summary::kNone);
}

TEST_CASE("no command, unknown options and unknown values are usage errors") {
  CHECK(exit_code_for({}) == 125);
  CHECK(exit_code_for({"-o", "x.pb"}) == 125);
  CHECK(exit_code_for({"--bogus", "true"}) == 125);
  CHECK(exit_code_for({"--level", "atom", "true"}) == 125);
  CHECK(exit_code_for({"--library-calls", "some", "true"}) == 125);
  CHECK(exit_code_for({"--summary", "some", "true"}) == 125);
  CHECK(exit_code_for({"--collector", "s", "-o", "x.pb", "true"}) == 125);
  CHECK(exit_code_for({"--check"}) == 0);
}

TEST_CASE("times are seconds unless they name a unit") {
  constexpr uint64_t kMillisecond = 1'000'000;
  CHECK(parsed({"--delay", "5", "true"}).delay_ns == 5000 * kMillisecond);
  CHECK(parsed({"--delay", "2s", "true"}).delay_ns == 2000 * kMillisecond);
  CHECK(parsed({"--duration", "500ms", "true"}).duration_ns == 500 * kMillisecond);
  CHECK(parsed({"--duration=1.5m", "true"}).duration_ns == 90'000 * kMillisecond);
  CHECK(parsed({"--delay", "0", "true"}).delay_ns == 0);
  for (const char* wrong : {"", "five", "5 s", "-1", "5x", "1e99", "inf", "nan", "999999h"}) {
    INFO(wrong);
    CHECK(exit_code_for({"--delay", wrong, "true"}) == 125);
  }
  CHECK(exit_code_for({"--duration", "0", "true"}) == 125);
}

TEST_CASE("a range has a name, of bounded length") {
  CHECK(parsed({"--range", "step@my domain", "true"}).range == "step@my domain");
  CHECK(exit_code_for({"--range", "", "true"}) == 125);
  CHECK(exit_code_for({"--range", "@domain", "true"}) == 125);
  CHECK(exit_code_for({"--range", std::string(300, 'x'), "true"}) == 125);
}

TEST_CASE("--cuda-api takes groups, functions and globs, each with or without a minus") {
  for (const char* list : {"launch", "launch,copy,-query", "-query", "all,-cudaEvent*", "cuLaunchKernel", "*",
                           "cudaMemcpy?Async", "none"}) {
    INFO(list);
    CHECK(parsed({"--cuda-api", list, "true"}).cuda_api == list);
  }
  for (const char* list : {"", "lanch", "launch,", ",launch", "launch,,copy", "-", "printf", "x*", "cuda Malloc"}) {
    INFO(list);
    CHECK(exit_code_for({"--cuda-api", list, "true"}) == 125);
  }
  CHECK(exit_code_for({"--cuda-api", std::string(2000, 'c').replace(1, 1, "u"), "true"}) == 125);
  CHECK(exit_code_for({"--level", "library", "--cuda-api", "launch", "true"}) == 125);
}

TEST_CASE("--activities takes the kinds of activity") {
  CHECK(parsed({"--activities", "kernel,sync", "true"}).activities == "kernel,sync");
  CHECK(parsed({"--level", "kernel", "--activities", "memory", "true"}).activities == "memory");
  CHECK(exit_code_for({"--activities", "kernels", "true"}) == 125);
  CHECK(exit_code_for({"--activities", "kernel,", "true"}) == 0);
  CHECK(exit_code_for({"--activities", "", "true"}) == 125);
  CHECK(exit_code_for({"--level", "model", "--activities", "kernel", "true"}) == 125);
}

TEST_CASE("--metrics takes sets and names of metrics, for a whole run at the kernel level") {
  for (const char* list : {"roofline", "roofline-fp16,lts__t_sectors.sum", "sm__warps_active.avg.per_cycle_active"}) {
    INFO(list);
    CHECK(parsed({"--metrics", list, "true"}).metrics == list);
  }
  for (const char* list : {"", "roofing", "dram_bytes", "dram__bytes read", "roofline,,", "a__b;c__d"}) {
    INFO(list);
    CHECK(exit_code_for({"--metrics", list, "true"}) == 125);
  }
  CHECK(exit_code_for({"--metrics", "a__b" + std::string(5000, 'c'), "true"}) == 125);
  CHECK(exit_code_for({"--metrics", "roofline", "--level", "library", "true"}) == 125);
  CHECK(exit_code_for({"--metrics", "roofline", "--range", "step", "true"}) == 125);
  CHECK(exit_code_for({"--metrics", "roofline", "--collector", "/s", "true"}) == 125);
  CHECK(exit_code_for({"--metrics-only", "true"}) == 125);
  CHECK(parsed({"--metrics", "roofline", "--metrics-only", "true"}).metrics_only);
}

TEST_CASE("several runs are asked for by --leveled, --runs and --resolve") {
  CHECK_FALSE(parsed({"true"}).is_set());
  CHECK_FALSE(parsed({"--runs", "1", "true"}).is_set());
  CHECK(parsed({"--runs", "2", "true"}).is_set());
  CHECK(parsed({"--leveled", "true"}).is_set());
  CHECK(parsed({"--resolve", "true"}).is_set());
  const Options all =
      parsed({"--leveled", "--runs", "5", "--warmup", "2", "--input", "in", "--prepare", "sync", "--time-limit", "1m",
              "--serialize", "--metrics", "roofline", "--level", "layer", "true"});
  CHECK(all.runs == 5);
  CHECK(all.warm_ups == 2);
  CHECK(all.input == "in");
  CHECK(all.prepare == "sync");
  CHECK(all.time_limit_ns == 60'000'000'000);
}

TEST_CASE("what several runs cannot have is refused, and what only they have") {
  for (const char* number : {"0", "-1", "two", "100000", ""}) {
    INFO(number);
    CHECK(exit_code_for({"--runs", number, "true"}) == 125);
  }
  CHECK(exit_code_for({"--runs", "2", "--collector", "/s", "true"}) == 125);
  CHECK(exit_code_for({"--runs", "2", "--metrics", "roofline", "--metrics-only", "true"}) == 125);
  CHECK(exit_code_for({"--resolve", "--serialize", "true"}) == 125);
  CHECK(exit_code_for({"--runs", "2", "--time-limit", "0", "true"}) == 125);
  CHECK(exit_code_for({"--runs", "2", "--input", "", "true"}) == 125);
  CHECK(exit_code_for({"--warmup", "1", "true"}) == 125);
  CHECK(exit_code_for({"--input", "x", "--runs", "1", "true"}) == 125);
  CHECK(exit_code_for({"--prepare", "x", "true"}) == 125);
  CHECK(exit_code_for({"--time-limit", "1", "true"}) == 125);
}

TEST_CASE("the help names every option and fits one screen") {
  const std::string help = xsp::launch::help_text();
  for (const char* option : {"--output",      "--force",    "--quiet",        "--level",      "--library-calls",
                             "--no-children", "--on-full",  "--cuda-api",     "--activities", "--serialize",
                             "--range",       "--delay",    "--duration",     "--metrics",    "--metrics-only",
                             "--summary",     "--strict",   "--collector",    "--check",      "--help",
                             "--version",     "--leveled",  "--runs",         "--resolve",    "--warmup",
                             "--input",       "--prepare",  "--time-limit",   "--continuous", "--sample",
                             "--max-size",    "--max-rate", "--max-overhead", "--rotate",     "--metrics-leave-out",
                             "--concurrency", "--interval", "--validate"}) {
    INFO(option);
    CHECK(help.find(option) != std::string::npos);
  }
  CHECK(std::count(help.begin(), help.end(), '\n') <= 54);
  for (size_t begin = 0; begin < help.size(); begin = help.find('\n', begin) + 1) {
    CHECK(help.find('\n', begin) - begin <= 100);
  }
}

TEST_CASE("--continuous samples within one percent unless it is told otherwise") {
  const Options plain = parsed({"--continuous", "true"});
  CHECK(plain.continuous);
  CHECK(plain.sample == "auto");
  CHECK(plain.max_overhead == "1");
  CHECK(parsed({"--continuous", "--sample", "1/1", "true"}).max_overhead.empty());
  CHECK(parsed({"--max-overhead", "0.5%", "true"}).sample == "auto");
  CHECK(parsed({"--max-overhead", "0.5%", "true"}).max_overhead == "0.5");
  CHECK(parsed({"true"}).sample.empty());
}

TEST_CASE("samplings reach the guest as counts or nanoseconds") {
  CHECK(parsed({"--sample", "1/100", "true"}).sample == "1/100");
  CHECK(parsed({"--sample", "2s/1m", "true"}).sample == "2000000000/60000000000");
  CHECK(parsed({"--sample", "500ms/0.5h", "--collector", "s", "true"}).sample == "500000000/1800000000000");
  for (const char* wrong : {"", "1", "2/100", "1/0", "1/-1", "1/x", "5/1m", "2m/1m", "0s/1m", "/", "auto/1", "1.5/2"}) {
    CHECK(exit_code_for({"--sample", wrong, "true"}) == 125);
  }
  for (const char* wrong : {"", "0", "-1", "x", "101", "nan", "inf"}) {
    CHECK(exit_code_for({"--max-overhead", wrong, "true"}) == 125);
  }
}

TEST_CASE("sizes and times of a recording are checked before the program starts") {
  CHECK(parsed({"--max-size", "1.5G", "--max-rate", "100k", "true"}).max_size == "1.5G");
  CHECK(parsed({"--continuous", "--rotate", "90s", "true"}).rotate == "90s");
  for (const char* wrong : {"", "x", "-1M", "1023k", "1Q", "nan"})
    CHECK(exit_code_for({"--max-size", wrong, "true"}) == 125);
  for (const char* wrong : {"", "0", "x"}) CHECK(exit_code_for({"--max-rate", wrong, "true"}) == 125);
  for (const char* wrong : {"", "0", "x"}) {
    CHECK(exit_code_for({"--continuous", "--rotate", wrong, "true"}) == 125);
  }
}

TEST_CASE("what needs all of what happens goes with no sampling and no budget") {
  for (const Words& mine : {Words{"--continuous"},
                            {"--sample", "1/2"},
                            {"--max-overhead", "2"},
                            {"--max-size", "1G"},
                            {"--max-rate", "1M"}}) {
    for (const Words& other : {Words{"--leveled"}, {"--runs", "2"}, {"--resolve"}, {"--metrics", "roofline"}}) {
      Words all = mine;
      all.insert(all.end(), other.begin(), other.end());
      all.emplace_back("true");
      CHECK(exit_code_for(all) == 125);
    }
  }
  CHECK(exit_code_for({"--rotate", "1m", "true"}) == 125);
  CHECK(exit_code_for({"--sample", "1/2", "--max-overhead", "1", "true"}) == 125);
  CHECK(exit_code_for({"--continuous", "--otlp", "http://localhost:4318", "true"}) == 125);
  for (const Words& mine : {Words{"--continuous"}, {"--max-size", "1G"}, {"--max-rate", "1M"}}) {
    Words all = mine;
    all.insert(all.end(), {"--collector", "s", "true"});
    CHECK(exit_code_for(all) == 125);
  }
}
