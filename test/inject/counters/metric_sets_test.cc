#include "inject/counters/metric_sets.h"

#include <string>
#include <vector>

#include "test/catch.h"

namespace {

using xsp::guest::ChosenMetrics;
using xsp::guest::FixedText;
using xsp::guest::kMostMetrics;

struct Choice {
  bool all;
  std::vector<std::string> metrics;
  std::string what_not;
};

Choice choose(std::string_view list, std::string_view chip) {
  ChosenMetrics metrics;
  FixedText<512> what_not;
  const bool all = xsp::guest::choose_metrics(list, chip, &metrics, &what_not);
  Choice choice{all, {}, std::string(what_not.view())};
  for (size_t i = 0; i < metrics.count(); ++i) choice.metrics.emplace_back(metrics.name(i));
  return choice;
}

bool has(const Choice& choice, std::string_view metric) {
  for (const std::string& name : choice.metrics) {
    if (name == metric) return true;
  }
  return false;
}

TEST_CASE("a set has its chip's names for the same quantities") {
  const Choice hopper = choose("roofline", "GH100");
  CHECK(hopper.all);
  CHECK(has(hopper, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"));
  CHECK(has(hopper, "dram__bytes_read.sum"));
  CHECK(has(hopper, "sm__warps_active.avg.pct_of_peak_sustained_active"));
  CHECK(has(hopper, "sm__ops_path_tensor_op_hgmma_src_fp16.sum"));
  CHECK_FALSE(has(hopper, "smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum"));
  CHECK(has(choose("roofline", "GB100"), "smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum"));
  CHECK(has(choose("roofline", "GB203"), "dram__bytes_op_read.sum"));
  CHECK_FALSE(has(choose("roofline", "GA10B"), "dram__bytes_read.sum"));
  CHECK(has(choose("roofline-bf16", "GA100"), "sm__ops_path_tensor_src_bf16_dst_fp32.sum"));
  CHECK_FALSE(has(choose("roofline-fp32", "GA100"), "sm__ops_path_tensor_src_bf16_dst_fp32.sum"));
}

TEST_CASE("sets and names are chosen together, each name once, in their order") {
  const Choice choice = choose("lts__t_sectors.sum,roofline-fp32,dram__bytes_read.sum,roofline-fp32", "GA100");
  CHECK(choice.all);
  CHECK(choice.metrics.front() == "lts__t_sectors.sum");
  CHECK(choice.metrics.size() == choose("roofline-fp32", "GA100").metrics.size() + 1);
}

TEST_CASE("a set that the chip has not, and a chip that is not known, are named") {
  CHECK(choose("roofline-bf16", "GV100").what_not == "roofline-bf16 is not known for the chip GV100");
  CHECK(choose("roofline", "GX900").what_not == "roofline is not known for the chip GX900");
  CHECK_FALSE(choose("roofline", "GX900").all);
  // Names need no table.
  CHECK(choose("dram__bytes_read.sum", "GX900").all);
}

TEST_CASE("more metrics than there is room for are refused") {
  std::string list;
  for (size_t i = 0; i <= kMostMetrics; ++i) list += "a__b_" + std::to_string(i) + ".sum,";
  const Choice choice = choose(list, "GH100");
  CHECK_FALSE(choice.all);
  CHECK(choice.metrics.size() == kMostMetrics);
  CHECK(choice.what_not == "more than 96 metrics");
}

}  // namespace
