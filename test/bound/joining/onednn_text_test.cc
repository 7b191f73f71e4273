#include <string>
#include <vector>

#include "bound/joining/call_problem.h"
#include "bound/problems/problem.h"
#include "test/bound/joining/recorded_call.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

struct OnednnLine {
  const char* text;
  const char* problem;
};

/// As versions 2.6.3, 3.2.0 and 3.13 write them, the problem from what the program computed.
const OnednnLine kLines[] = {
    // Of 3.13: roles and types are apart.
    {"cpu,convolution,brg_conv_fwd:avx512_core,forward_training,src:f32::blocked:acdb::f0 "
     "wei:f32:a:blocked:Acdb64a::f0 "
     "bia:undef::undef::: dst:f32::blocked:acdb::f0,attr-scratchpad:user,alg:convolution_direct,"
     "mb1_ic3oc64_ih224oh112kh7sh2dh0ph3_iw224ow112kw7sw2dw0pw3",
     "conv src=1x3x224x224 wei=64x3x7x7 strides=2x2 pads=3,3,3,3 dil=1x1 groups=1 bias=0 post= dtype=f32"},
    {"cpu,convolution,jit:avx512_core,forward_training,src:f32:a:blocked:aBcd16b::f0 wei:f32:a:blocked:aBCde16c16b::f0 "
     "bia:f32:a:blocked:a::f0 dst:f32:a:blocked:aBcd16b::f0,attr-scratchpad:user,alg:convolution_direct,"
     "g4mb1_ic64oc64_ih20oh20kh3sh1dh0ph1_iw20ow20kw3sw1dw0pw1",
     "conv src=1x64x20x20 wei=64x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=4 bias=1 post= dtype=f32"},
    {"cpu,convolution,jit:avx512_core,forward_training,src:f32:a:blocked:aBcd16b::f0 wei:f32:a:blocked:ABcd16b16a::f0 "
     "bia:f32:a:blocked:a::f0 dst:f32:a:blocked:aBcd16b::f0,attr-scratchpad:user,alg:convolution_direct,"
     "mb2_ic16oc32_ih1oh1kh1sh1dh0ph0_iw101ow51kw5sw2dw0pw2",
     "conv src=2x16x101 wei=32x16x5 strides=2 pads=2,2 dil=1 groups=1 bias=1 post= dtype=f32"},
    {"cpu,deconvolution,conv:any+jit:avx512_core,forward_training,src:f32:a:blocked:aBcd8b::f0 "
     "wei:f32:a:blocked:aBCde8c8b::f0 bia:f32:a:blocked:a::f0 dst:f32:a:blocked:aBcd8b::f0,attr-scratchpad:user,"
     "alg:deconvolution_direct,g2mb1_ic16oc16_ih14oh28kh3sh2dh0ph1_iw15ow30kw3sw2dw0pw1",
     "deconv src=1x16x14x15 wei=16x8x3x3 strides=2x2 pads=1,1,1,1 dil=1x1 outpad=1x1 groups=2 bias=1 post= dtype=f32"},
    {"cpu,inner_product,brg_matmul:avx512_core,forward_training,src:f32:a:blocked:ab::f0 wei:f32:a:blocked:ab::f0 "
     "bia:f32:a:blocked:a::f0 dst:f32:a:blocked:ab::f0,attr-scratchpad:user,,mb5ic30oc7",
     "matmul src=5x30 wei=7x30 ta=0 tb=1 bias=7 post= dtype=f32"},
    {"cpu,matmul,brg_matmul:avx512_core_bf16,undef,src:bf16::blocked:ab::f0 wei:bf16::blocked:ba::f0 "
     "dst:bf16::blocked:ab::f0,attr-scratchpad:user attr-post-ops:sum,,64x256:256x128",
     "matmul src=64x256 wei=128x256 ta=0 tb=1 bias=0 post=add dtype=bf16"},
    {"cpu,eltwise,jit:avx10_1_512,forward_training,data:f32::blocked:abcd::f0,attr-scratchpad:user,"
     "alg:eltwise_gelu_erf alpha:0 beta:0,2x8x20x24",
     "eltwise alg=gelu_erf src=2x8x20x24 alpha=0 beta=0 dtype=f32"},
    {"cpu,pooling,jit:avx512_core,forward_training,src:f32::blocked:abcd::f0 dst:f32:a:blocked:abcd::f0,"
     "attr-scratchpad:user,alg:pooling_avg_exclude_padding,mb2ic8_ih20oh1kh20sh20dh0ph0_iw24ow1kw24sw24dw0pw0",
     "avgpool src=2x8x20x24 kernel=20x24 strides=1x1 pads=0,0,0,0 include_pad=0 dtype=f32"},
    {"cpu,sum,simple:any,undef,src:f32::blocked:abcd::f0 src:f32::blocked:abcd::f0 dst:f32:a:blocked:abcd::f0,"
     "attr-scratchpad:user,,2x8x20x24",
     "binary alg=add src0=2x8x20x24 src1=2x8x20x24 dtype=f32"},
    {"cpu,batch_normalization,ncsp_bnorm:any,forward_inference,data:f32::blocked:abcd::f0,attr-scratchpad:user,"
     "flags:GCH,mb2ic8ih20iw24",
     "batchnorm src=2x8x20x24 dtype=f32"},
    {"cpu,reorder,jit:blk,undef,src:f32::blocked:abcd::f0 dst:f32::blocked:acdb::f0,attr-scratchpad:user,,2x8x20x24",
     "transpose src=2x8x20x24 perm=0,2,3,1 dtype=f32"},
    // Of 2.6.3: type behind the role, sizes of the result behind those of the operands.
    {"onednn_verbose,exec,cpu,convolution,jit:avx512_core,forward_inference,src_f32::blocked:aBcd16b:f0 "
     "wei_f32::blocked:ABcd16b16a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:aBcd16b:f0,"
     "attr-scratchpad:user attr-post-ops:sum+eltwise_relu ,alg:convolution_direct,"
     "mb1_ic16oc32_ih30oh15kh3sh2dh0ph0_iw30ow15kw3sw2dw0pw0",
     "conv src=1x16x30x30 wei=32x16x3x3 strides=2x2 pads=0,0,1,1 dil=1x1 groups=1 bias=1 post=add+relu dtype=f32"},
    {"onednn_verbose,exec,cpu,convolution,brdgmm_dw:avx512_core,forward_inference,src_f32::blocked:acdb:f0 "
     "wei_f32::blocked:debcA16a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:acdb:f0,"
     "attr-scratchpad:user attr-post-ops:eltwise_clip:0:6 ,alg:convolution_direct,"
     "g32mb1_ic32oc32_ih30oh30kh3sh1dh0ph1_iw30ow30kw3sw1dw0pw1",
     "conv src=1x32x30x30 wei=32x1x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=32 bias=1 post=clip(0,6) dtype=f32"},
    {"onednn_verbose,exec,cpu,convolution,jit:avx512_core,forward_inference,src_f32::blocked:abcde:f0 "
     "wei_f32::blocked:Acdeb16a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:aBcde16b:f0,attr-scratchpad:user ,"
     "alg:convolution_direct,mb1_ic8oc16_id6od6kd3sd1dd0pd1_ih20oh10kh3sh2dh0ph1_iw22ow11kw3sw2dw0pw1",
     "conv src=1x8x6x20x22 wei=16x8x3x3x3 strides=1x2x2 pads=1,1,1,1,1,1 dil=1x1x1 groups=1 bias=1 post= dtype=f32"},
    {"onednn_verbose,exec,cpu,convolution,jit:avx512_core,forward_inference,src_f32::blocked:aBcd8b:f0 "
     "wei_f32::blocked:aBCde8c8b:f0 bia_undef::undef::f0 dst_f32::blocked:aBcd8b:f0,attr-scratchpad:user ,"
     "alg:convolution_direct,g4mb1_ic32oc64_ih30oh30kh3sh1dh1ph2_iw30ow30kw3sw1dw1pw2,0.0419922",
     "conv src=1x32x30x30 wei=64x8x3x3 strides=1x1 pads=2,2,2,2 dil=2x2 groups=4 bias=0 post= dtype=f32"},
    {"onednn_verbose,exec,cpu,convolution,brgconv:avx512_core_vnni,forward_inference,src_u8::blocked:acdb:f0 "
     "wei_s8::blocked:AcdB32a4b:f0 bia_s32::blocked:a:f0 dst_f32::blocked:acdb:f0,attr-scratchpad:user ,"
     "alg:convolution_direct,mb1_ic16oc32_ih30oh30kh3sh1dh0ph1_iw30ow30kw3sw1dw0pw1",
     "conv src=1x16x30x30 wei=32x16x3x3 strides=1x1 pads=1,1,1,1 dil=1x1 groups=1 bias=1 post= dtype=u8:i8:f32"},
    {"onednn_verbose,exec,cpu,matmul,brg:avx512_core,undef,src_f32::blocked:ab:f0 wei_f32:p:blocked:BA16a64b:f0 "
     "bia_f32::blocked:ab:f0_mask2 dst_f32::blocked:ab:f0,attr-scratchpad:user attr-post-ops:eltwise_gelu_erf ,,"
     "128x768:768x300:128x300",
     "matmul src=128x768 wei=768x300 ta=0 tb=0 bias=300 post=gelu_erf dtype=f32"},
    {"onednn_verbose,exec,cpu,matmul,gemm:jit,undef,src_f32::blocked:abc:f0 wei_f32::blocked:acb:f0 "
     "dst_f32::blocked:abc:f0,attr-scratchpad:user attr-post-ops:eltwise_linear:0.125 ,,12x128x64:12x64x128:12x128x128",
     "matmul src=12x128x64 wei=12x128x64 ta=0 tb=1 bias=0 post= alpha=0.125 dtype=f32"},
    {"onednn_verbose,exec,cpu,matmul,gemm:jit,undef,src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 "
     "dst_f32::blocked:abcd:f0,attr-scratchpad:user ,,4x12x128x64:1x12x64x128:4x12x128x128",
     "matmul src=4x12x128x64 wei=12x64x128 ta=0 tb=0 bias=0 post= dtype=f32"},
    {"onednn_verbose,exec,cpu,pooling_v2,jit:avx512_core,forward_inference,src_f32::blocked:abcd:f0 "
     "dst_f32::blocked:abcd:f0 ws_undef::undef::f0,attr-scratchpad:user ,alg:pooling_max,"
     "mb2ic8_ih20oh10kh3sh2dh0ph0_iw24ow12kw3sw2dw0pw0",
     "maxpool src=2x8x20x24 kernel=3x3 strides=2x2 pads=0,0,1,1 dil=1x1 dtype=f32"},
    {"onednn_verbose,exec,cpu,softmax_v2,jit:avx512_core,forward_inference,src_f32::blocked:abc:f0 "
     "dst_f32::blocked:abc:f0,attr-scratchpad:user ,alg:softmax_log axis:2,12x128x128",
     "softmax src=12x128x128 axis=2 log=1 dtype=f32"},
    {"onednn_verbose,exec,cpu,layer_normalization,simple_layer_normalization:any,forward_inference,"
     "data_f32::blocked:ab:f0 stats_undef::undef::f0 diff_undef::undef::f0,attr-scratchpad:user ,flags:CH,60x64",
     "layernorm src=60x64 axis=1 bias=1 dtype=f32"},
    {"onednn_verbose,exec,cpu,reduction,ref:any,undef,src_f32::blocked:abc:f0 dst_f32::blocked:abc:f0,"
     "attr-scratchpad:user ,alg:reduction_norm_lp_sum p:2 eps:0,2x30x64:2x30x1",
     "reduce alg=l2 src=2x30x64 axes=2 dtype=f32"},
    {"onednn_verbose,exec,cpu,concat,simple:any,undef,src_f32::blocked:abcd:f0 src_f32::blocked:abcd:f0 "
     "dst_f32::blocked:abcd:f0,attr-scratchpad:user ,axis:1,1x16x28x28:1x24x28x28",
     "concat axis=1 srcs=1x16x28x28,1x24x28x28 dtype=f32"},
    {"onednn_verbose,exec,cpu,resampling,jit:avx512_core_bf16,forward_inference,src_f32::blocked:abcd:f0 "
     "dst_f32::blocked:abcd:f0,attr-scratchpad:user ,alg:resampling_linear,mb1ic8_ih10oh20_iw12ow24",
     "resize alg=linear src=1x8x10x12 dst=1x8x20x24 dtype=f32"},
    {"onednn_verbose,exec,cpu,eltwise,jit:avx512_core,forward_inference,data_f32::blocked:abcd:f0 "
     "diff_undef::undef::f0,attr-scratchpad:user ,alg:eltwise_relu alpha:0.01 beta:0,2x8x20x24",
     "eltwise alg=leaky_relu src=2x8x20x24 alpha=0.01 beta=0 dtype=f32"},
    {"onednn_verbose,exec,cpu,binary,jit:uni,undef,src_f32::blocked:abcd:f0 src_f32::blocked:abcd:f0 "
     "dst_f32::blocked:abcd:f0,attr-scratchpad:user ,alg:binary_add,2x8x20x24:1x8x1x1",
     "binary alg=add src0=2x8x20x24 src1=1x8x1x1 dtype=f32"},
    {"onednn_verbose,exec,cpu,reorder,simple:any,undef,src_f32::blocked:ab:f0 dst_bf16::blocked:ab:f0,,,30x64",
     "cast src=30x64 from=f32 to=bf16"},
};

/// What problems have no words for, or the line does not tell.
const char* const kWithoutProblem[] = {
    "cpu,convolution,jit:avx512_core,backward_data,src:f32:ap:blocked:aBcd16b::f0 wei:f32:ap:blocked:ABcd16a16b::f0 "
    "bia:undef::undef::: dst:f32:ap:blocked:aBcd16b::f0,attr-scratchpad:user,alg:convolution_direct,"
    "mb2_ic8oc12_ih20oh18kh3sh1dh0ph0_iw24ow22kw3sw1dw0pw0",
    "cpu,rnn,brgemm:avx512_core,forward_inference,src_layer:f32::blocked:abc::f0 src_iter:f32::blocked:abcd::f0 "
    "wei_layer:f32:a:blocked:abdEc32e::f0 wei_iter:f32:a:blocked:abdEc32e::f0 bias:f32::blocked:abcd::f0 "
    "dst_layer:f32::blocked:abc::f0 dst_iter:f32::blocked:abcd::f0,attr-scratchpad:user,"
    "alg:vanilla_lstm direction:unidirectional_left2right activation:undef flags:,l1t5mb2sic64slc32dhc64dic64",
    // A post-op that no problem has.
    "cpu,convolution,jit:avx512_core,forward_inference,src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 "
    "bia_undef::undef::f0 dst_f32::blocked:abcd:f0,attr-post-ops:eltwise_linear:2:1 ,alg:convolution_direct,"
    "mb1_ic16oc32_ih30oh30kh3sh1dh0ph1_iw30ow30kw3sw1dw0pw1",
    // Half of what lies in the destination is added.
    "cpu,convolution,jit:avx512_core,forward_inference,src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 "
    "bia_undef::undef::f0 dst_f32::blocked:abcd:f0,attr-post-ops:sum:0.5 ,alg:convolution_direct,"
    "mb1_ic16oc32_ih30oh30kh3sh1dh0ph1_iw30ow30kw3sw1dw0pw1",
    // A result that is not as large as its convolution makes it.
    "cpu,convolution,jit:avx512_core,forward_inference,src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 "
    "bia_undef::undef::f0 dst_f32::blocked:abcd:f0,,alg:convolution_direct,"
    "mb1_ic16oc32_ih30oh10kh3sh1dh0ph1_iw30ow30kw3sw1dw0pw1",
    // With a relu behind it.
    "cpu,batch_normalization,ncsp_bnorm:any,forward_inference,data:f32::blocked:abcd::f0,,flags:GCHR,mb2ic8ih20iw24",
    // Copied as it is.
    "cpu,reorder,jit_direct_copy:uni,undef,src:f32::blocked:abcd::f0 dst:f32::blocked:abcd::f0,,,2x8x20x24",
    "cpu,reorder,jit:uni,undef,src:f32::blocked:abcd::f0 dst:f32::blocked:aBcd16b::f0,,,2x16x20x24",
    "cpu,matmul,gemm:jit,undef,src_f32::blocked:ab:f0 wei_f32::blocked:ab:f0 dst_f32::blocked:ab:f0,,,*x64:64x128",
};

TEST_CASE("a line of oneDNN's log is the problem that the program computed") {
  for (const OnednnLine& line : kLines) {
    INFO(line.text);
    CHECK(problem_of_onednn_text(line.text).problem == line.problem);
  }
}

TEST_CASE("a primitive that problems cannot describe has none, but keeps its implementation") {
  for (const char* const line : kWithoutProblem) {
    INFO(line);
    const CallProblem call = problem_of_onednn_text(line);
    CHECK(call.problem.empty());
    CHECK_FALSE(call.implementation.empty());
  }
}

TEST_CASE("the implementation and the layouts are oneDNN's own words") {
  const CallProblem call = problem_of_onednn_text(kLines[0].text);
  CHECK(call.implementation == "brg_conv_fwd:avx512_core");
  CHECK(call.layout == "acdb:Acdb64a:acdb");
  const CallProblem winograd = problem_of_onednn_text(
      "cpu,convolution,jit_wino_4x3:avx512_core,forward_inference,src_f32::blocked:aBcd16b:f0 wei_f32::wino::f0 "
      "bia_undef::undef::f0 dst_f32::blocked:aBcd16b:f0,,alg:convolution_winograd,"
      "mb1_ic16oc32_ih30oh30kh3sh1dh0ph1_iw30ow30kw3sw1dw0pw1");
  CHECK(winograd.layout == "aBcd16b:opaque:aBcd16b");
  CHECK(winograd.problem.starts_with("conv src=1x16x30x30"));
}

TEST_CASE("padding behind is as large as before where that gives the result, else as large as it must be") {
  const auto pads_of = [](const std::string& height) {
    const std::string line =
        "cpu,convolution,jit:avx512_core,forward_inference,src_f32::blocked:abcd:f0 wei_f32::blocked:abcd:f0 "
        "bia_undef::undef::f0 dst_f32::blocked:abcd:f0,,alg:convolution_direct,mb1_ic4oc4_" +
        height + "_iw9ow9kw1sw1dw0pw0";
    const auto problem = Problem::parse(problem_of_onednn_text(line).problem);
    return problem ? std::string(problem->field("pads")) : "none";
  };
  CHECK(pads_of("ih224oh112kh7sh2dh0ph3") == "3,0,3,0");  // 2 would do
  CHECK(pads_of("ih224oh112kh3sh2dh0ph0") == "0,0,1,0");  // TensorFlow's SAME
  CHECK(pads_of("ih20oh20kh3sh1dh0ph2") == "2,0,0,0");    // causal
  CHECK(pads_of("ih20oh10kh2sh2dh0ph0") == "0,0,0,0");
  CHECK(pads_of("ih20oh19kh3sh1dh0ph20") == "none");  // no padding takes away
}

TEST_CASE("texts that are cut off or damaged have no problem, or a sensible one") {
  const auto check = [](const std::string& text) {
    const CallProblem call = problem_of_onednn_text(text);
    if (!call.problem.empty() && !Problem::parse(call.problem)) FAIL(text);
  };
  uint32_t random = 1;
  const auto next = [&random] { return (random = random * 1664525 + 1013904223) >> 8; };
  for (const OnednnLine& line : kLines) {
    const std::string text = line.text;
    for (size_t size = 0; size < text.size(); ++size) check(text.substr(0, size));
    for (int i = 0; i < 300; ++i) {
      static constexpr std::string_view kBytes = "0123456789:,x_ -+abfgikmoswd\xff";
      std::string damaged = text;
      const uint32_t count = 1 + next() % 3;
      for (uint32_t k = 0; k < count; ++k) damaged[next() % damaged.size()] = kBytes[next() % kBytes.size()];
      if (next() % 4 == 0) damaged.insert(next() % damaged.size(), "99999999999999999999");
      if (next() % 4 == 0) damaged.insert(next() % damaged.size(), "4611686018427387904");
      if (next() % 4 == 0) damaged.erase(next() % damaged.size(), next() % 40);
      check(damaged);
    }
  }
  for (const std::string& text : {std::string(), std::string(","), std::string(100'000, ','), std::string(9000, 'x'),
                                  "cpu,matmul,,,,,," + std::string(5000, ':'), std::string("cpu,convolution,,,,,,mb1")})
    CHECK(problem_of_onednn_text(text).problem.empty());
}

std::string described(const std::string& primitive) {
  return test::RecordedCall("onednn", "dnnl_primitive_execute").text("primitive", primitive).problem().problem;
}

TEST_CASE("what is recorded of dnnl_primitive_execute tells products, and convolutions of single pixels") {
  CHECK(described("matmul src=f32[128,768]ab wei=f32[768,300]BA16a64b bia=f32[1,300]ab dst=f32[128,300]ab "
                  "impl=brg:avx512_core") == "matmul src=128x768 wei=768x300 ta=0 tb=0 bias=300 post= dtype=f32");
  CHECK(described("matmul src=f32[12,128,64]abc wei=f32[12,64,128]acb dst=f32[12,128,128]abc post_ops=sum "
                  "impl=gemm:jit") == "matmul src=12x128x64 wei=12x128x64 ta=0 tb=1 bias=0 post=add dtype=f32");
  CHECK(
      described("inner_product forward_inference src=f32[5,6,7,8]abcd wei=f32[9,6,7,8]abcd bia=f32[9]a dst=f32[5,9]ab "
                "impl=brgemm:avx512_core") == "matmul src=5x336 wei=9x336 ta=0 tb=1 bias=9 post= dtype=f32");
  CHECK(described("convolution forward_inference src=f32[1,64,14,14]aBcd16b wei=f32[128,64,1,1]ABcd16b16a "
                  "dst=f32[1,128,14,14]aBcd16b alg=convolution_direct impl=jit_1x1:avx512_core") ==
        "conv src=1x64x14x14 wei=128x64x1x1 strides=1x1 pads=0,0,0,0 dil=1x1 groups=1 bias=0 post= dtype=f32");
  CHECK(described("concat src=f32[1,16,28,28]abcd src1=f32[1,24,28,28]abcd dst=f32[1,40,28,28]abcd impl=simple:any") ==
        "concat axis=1 srcs=1x16x28x28,1x24x28x28 dtype=f32");
  CHECK(described("eltwise forward_inference src=f32[2,8]ab dst=f32[2,8]ab alg=eltwise_tanh impl=jit:avx512_core") ==
        "eltwise alg=tanh src=2x8 alpha=0 beta=0 dtype=f32");
  CHECK(described("reduction src=f32[2,8,20,24]abcd dst=f32[2,8,1,1]abcd alg=reduction_mean impl=jit:avx512_core") ==
        "reduce alg=mean src=2x8x20x24 axes=2,3 dtype=f32");
}

TEST_CASE("what is recorded of dnnl_primitive_execute tells neither windows nor numbers") {
  // Strides, paddings and dilations.
  CHECK(described("convolution forward_inference src=f32[1,64,56,56]abcd wei=f32[64,64,3,3]abcd "
                  "dst=f32[1,64,56,56]abcd alg=convolution_direct impl=jit:avx512_core")
            .empty());
  CHECK(described("pooling forward_inference src=f32[1,64,56,56]abcd dst=f32[1,64,28,28]abcd alg=pooling_max "
                  "impl=jit:avx512_core")
            .empty());
  // The slope of a relu, the axis of a softmax, which function behind a product.
  CHECK(described("eltwise forward_inference src=f32[2,8]ab dst=f32[2,8]ab alg=eltwise_relu impl=jit:avx2").empty());
  CHECK(described("softmax forward_inference src=f32[2,8]ab dst=f32[2,8]ab alg=softmax_accurate impl=ref:any").empty());
  CHECK(described("matmul src=f32[2,8]ab wei=f32[8,4]ab dst=f32[2,4]ab post_ops=eltwise impl=gemm:jit").empty());
  for (const char* const text :
       {"", " ", "matmul", "matmul src=f32[", "matmul src=f32[2,0]ab wei=f32[0,4]ab dst=f32[2,4]",
        "matmul src=f32[?,8]ab wei=f32[8,4]ab dst=f32[?,4]ab"})
    CHECK(described(text).empty());
}

}  // namespace
}  // namespace xsp::bound
