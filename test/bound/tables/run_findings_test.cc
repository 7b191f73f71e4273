#include "bound/tables/bound_analyses.h"
#include "bound/tables/bound_findings.h"
#include "bound/tables/bound_tables.h"
#include "test/bound/tables/measured_net.h"
#include "test/catch.h"

namespace xsp::bound {

using analysis::Finding;
using test::all_findings;
using test::finding_of;
using test::has_note;
using test::MeasuredNet;
using test::number_at;
using test::text_at;
using test::time_of_ms;

TEST_CASE("findings of a run begin with where it is above its bound") {
  const auto findings = all_findings(MeasuredNet().subject());
  REQUIRE(findings.size() > 2);
  CHECK(findings[0].id == "excess-layer-type");
  CHECK(findings[0].text ==
        "2 Conv layers, with what is fused into them, took 19.00 ms, 1.4 times their bound of 14.00 ms: 5.000 ms above "
        "it, 19 % of the call; all layers with a bound together are 8.000 ms above theirs; most of all conv0 (Conv): "
        "13.00 ms, its bound "
        "is 9.000 ms");
  CHECK(*findings[0].gain_ms == 5);
  const Finding* other = finding_of(findings, "layers-not-in-model");
  REQUIRE(other != nullptr);
  CHECK(other->text ==
        "1 layer of the trace has no counterpart in the model and took 3.000 ms (11 % of the call): Reorder");
  const Finding* faster = finding_of(findings, "faster-than-benchmark");
  REQUIRE(faster != nullptr);
  CHECK(faster->text ==
        "1 layer ran faster than its benchmark at least once, by 1.000 ms together. With that the bound is 14.00 ms");
}

TEST_CASE("another number of threads and another device put a comparison in doubt") {
  MeasuredNet net;
  net.trace.threads = 4;
  auto findings = all_findings(net.subject());
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].text == "The trace is of 4 threads, the benchmarks are of 1 thread");
  net.trace.device = "Tesla V100";
  findings = all_findings(net.subject());
  CHECK(findings[0].id == "other-device");
  net.trace.device.clear();
  net.trace.threads = 1;
  CHECK(finding_of(all_findings(net.subject()), "other-threads") == nullptr);
}

TEST_CASE("one excess is told once: the layer with most of it is part of its type, and fusing is no part of either") {
  MeasuredNet net;
  // Two layers of a group that one call computes faster ran one by one.
  net.group_times[1] = time_of_ms(5.25);
  net.trace.layers[2].least_ms = 6;
  const auto findings = all_findings(net.subject());
  const Finding* type = finding_of(findings, "excess-layer-type");
  REQUIRE(type != nullptr);
  CHECK(*type->gain_ms == 5);  // 19 against 9 and the 5 of the convolution by itself
  const Finding* layer = finding_of(findings, "excess-layer");
  REQUIRE(layer != nullptr);
  CHECK(layer->text ==
        "The layer softmax (Softmax) took 4.000 ms, 4.0 times its bound of 1.000 ms: 11 % of the call above it");
  const Finding* split = finding_of(findings, "groups-not-fused");
  REQUIRE(split != nullptr);
  CHECK(*split->gain_ms == Approx(0.75));
}

TEST_CASE("a type that takes many times its bound is told beside the one with most excess") {
  MeasuredNet net;
  net.trace.layers[3].measured_ms = 4.75;
  CHECK(finding_of(all_findings(net.subject()), "excess-many-times") == nullptr);
  net.trace.layers[3].measured_ms = 5.5;
  const auto findings = all_findings(net.subject());
  const Finding* finding = finding_of(findings, "excess-many-times");
  REQUIRE(finding != nullptr);
  CHECK(finding->text == "1 Softmax layer took 5.500 ms, 5.5 times its bound of 1.000 ms: 17 % of the call above it");
  CHECK(finding->key == "Softmax");
  CHECK(finding_of(findings, "excess-layer") == nullptr);
}

TEST_CASE("a run in another type than the model is compared with no bound") {
  MeasuredNet net;
  for (Layer& layer : net.model.layers) layer.dtype = "f32";
  net.model.layers[0].flops = 100;
  TraceCall& call = net.trace.calls.emplace_back();
  call.problem = "conv src=1x2x8x8 wei=4x2x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=0 post= dtype=f32";
  call.host_ms = 5;
  CHECK(finding_of(all_findings(net.subject()), "other-type") == nullptr);
  net.trace.calls.push_back(call);
  net.trace.calls[1].problem.replace(net.trace.calls[1].problem.size() - 3, 3, "bf16");
  net.trace.calls[1].host_ms = 6;
  const BoundSubject subject = net.subject();
  const auto findings = all_findings(subject);
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].text == "The run computes in bf16, the model and its bounds in f32: the two cannot be compared");
  CHECK(finding_of(findings, "excess-layer-type") == nullptr);
  CHECK(finding_of(findings, "layers-not-in-model") != nullptr);
  CHECK(bound_verdict(subject) == "net: measured 27.00 ms in bf16; the fused bound of 15.00 ms on 1 thread is of f32");
  CHECK(has_note(sequential_table(subject), "normalized_pct and speedup tell nothing here"));

  // A model that computes in both types is one of either.
  net.model.layers[2].dtype = "bf16";
  CHECK(finding_of(all_findings(net.subject()), "other-type") == nullptr);
}

TEST_CASE("without calls the results of layers tell the type of a run") {
  MeasuredNet net;
  for (Layer& layer : net.model.layers) layer.dtype = "f32";
  for (TraceLayer& layer : net.trace.layers) layer.shape = "f16[1,8]";
  CHECK(finding_of(all_findings(net.subject()), "other-type") != nullptr);
  for (TraceLayer& layer : net.trace.layers) layer.shape = "[1,8]";
  CHECK(finding_of(all_findings(net.subject()), "other-type") == nullptr);
}

TEST_CASE("a call of layers that short is mostly its recording, and no factor is made of it") {
  MeasuredNet net;
  for (LayerTime& time : net.times) *time.bound_ms /= 1000;
  for (LayerTime& time : net.group_times) *time.bound_ms /= 1000;
  net.trace.measured_ms = 0.07;
  net.trace.measured_min_ms = 0.03;
  for (TraceLayer& layer : net.trace.layers) layer.measured_ms /= 1000;
  for (TraceLayer& layer : net.trace.layers) layer.least_ms /= 1000;
  const BoundSubject subject = net.subject();
  const auto findings = all_findings(subject);
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].id == "recording-cost");
  CHECK(findings[0].text ==
        "A call takes 17.50 µs for each of its 4 layers: recording layers that short takes a considerable part of the "
        "70.00 µs that were measured");
  CHECK(findings[0].advice == "xsp-run --level model measures the call alone");
  CHECK(finding_of(findings, "time-between-layers") == nullptr);
  CHECK(finding_of(findings, "excess-layer-type") == nullptr);
  CHECK(bound_verdict(subject) ==
        "net: measured 70.00 µs, of which recording 4 layers that short takes a considerable part; the fused bound is "
        "15.00 µs on 1 thread");
  net.trace.device = "a GPU";
  CHECK(finding_of(all_findings(net.subject()), "recording-cost") == nullptr);
}

TEST_CASE("a bound of a part of the model is no factor of what was measured") {
  MeasuredNet net;
  for (LayerTime& time : net.times) time.bound_ms.reset();
  for (LayerTime& time : net.group_times) time.bound_ms.reset();
  net.times[3] = time_of_ms(1);
  const std::string verdict = bound_verdict(net.subject());
  CHECK(verdict.find(" times") == std::string::npos);
  CHECK(verdict.find("net: measured 27.00 ms; ") == 0);
  CHECK(verdict.find(" of the work only") != std::string::npos);
}

TEST_CASE("of a device without benchmarks it is told how to measure there, and nothing else about times") {
  MeasuredNet net;
  net.trace.device = "Tesla V100";
  net.trace.trace_layer_of[3] = kNoLayer;
  net.trace.layers[3].layers.clear();
  for (LayerTime& time : net.times) time.bound_ms.reset();
  for (LayerTime& time : net.group_times) time.bound_ms.reset();
  const auto findings = all_findings(net.subject());
  REQUIRE_FALSE(findings.empty());
  CHECK(findings[0].text ==
        "The trace is of Tesla V100, of which there are no benchmarks: it cannot be compared with a bound");
  CHECK(findings[0].advice.find("--run FILE") != std::string::npos);
  CHECK(finding_of(findings, "bound-incomplete") == nullptr);
  const Finding* found = finding_of(findings, "layers-not-found");
  REQUIRE(found != nullptr);
  CHECK(found->text == "1 of 4 layers with work was not found in the trace: 25 % of the layers");
}

TEST_CASE("it is told whether the run is slow or its kernels are") {
  MeasuredNet net;
  BoundSubject subject = net.subject();
  CHECK(finding_of(all_findings(subject), "own-kernels") == nullptr);
  OwnKernels& own = subject.bounds[0].own_kernels.emplace();
  own.library = "onnxruntime 1.0";
  own.bound.bound_ms = 20;
  own.bound.layers = 4;
  own.bound.without_cold = 4;
  own.bound.without_cold_ms = 20;
  own.measured_ms = 24;
  own.least_ms = 21;
  auto findings = all_findings(subject);
  const Finding* finding = finding_of(findings, "own-kernels");
  REQUIRE(finding != nullptr);
  CHECK(
      finding->text ==
      "The kernels of onnxruntime 1.0 by themselves need 20.00 ms for these layers, which took 24.00 ms in the run, at "
      "their least 21.00 ms: the run is as fast as they allow; only other kernels can save more: the fastest need "
      "15.00 ms");
  CHECK(*finding->share_pct == Approx(100.0 * 5 / 27));
  const Table table = sequential_table(subject);
  REQUIRE(table.rows.size() == 4);
  CHECK(finding->row == 3);
  CHECK(text_at(table, 3, kB3.mode) == "own_kernels");
  CHECK(number_at(table, 3, kB3.bound_ms) == 20);
  CHECK(has_note(table, "own_kernels: no expected_ms: of 4 layers (20.00 ms)"));

  own.bound.bound_ms = 12;
  own.bound.missing = 1;
  findings = all_findings(subject);
  finding = finding_of(findings, "own-kernels");
  REQUIRE(finding != nullptr);
  CHECK(finding->text ==
        "The kernels of onnxruntime 1.0 by themselves need 12.00 ms for 3 of 4 layers, which took 24.00 ms in the run, "
        "at "
        "their least 21.00 ms: 12.00 ms more than these kernels need");
}

}  // namespace xsp::bound
