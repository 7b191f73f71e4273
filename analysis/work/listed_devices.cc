#include "analysis/work/listed_devices.h"

#include <array>

namespace xsp::analysis {
namespace {

constexpr auto kNone = TensorRate::kNone;
constexpr auto kHalf = TensorRate::kHalf;
constexpr auto kFull = TensorRate::kFull;

/// Where multiprocessors, clocks and bandwidths come from.
constexpr std::string_view kOfMaxwell = "NVIDIA GeForce GTX 980 whitepaper and product pages";
constexpr std::string_view kOfTeslam = "NVIDIA Tesla M-series product briefs";
constexpr std::string_view kOfPascal = "NVIDIA GeForce GTX 1080 whitepaper and product pages";
constexpr std::string_view kOfP100 = "NVIDIA Tesla P100 whitepaper";
constexpr std::string_view kOfTeslap = "NVIDIA Tesla P4 and P40 data sheets";
constexpr std::string_view kOfQuadrop = "NVIDIA Quadro Pascal data sheets";
constexpr std::string_view kOfVolta = "NVIDIA Tesla V100 GPU Architecture whitepaper";
constexpr std::string_view kOfTitanv = "NVIDIA TITAN V product page";
constexpr std::string_view kOfGv100 = "NVIDIA Quadro GV100 data sheet";
constexpr std::string_view kOfTuring = "NVIDIA Turing GPU Architecture whitepaper and product pages";
constexpr std::string_view kOfT4 = "NVIDIA T4 Tensor Core GPU data sheet";
constexpr std::string_view kOfA100 = "NVIDIA A100 Tensor Core GPU Architecture whitepaper";
constexpr std::string_view kOfGa10x = "NVIDIA Ampere GA102 GPU Architecture whitepaper and product pages";
constexpr std::string_view kOfDca = "NVIDIA A2, A10, A16, A30 and A40 data sheets";
constexpr std::string_view kOfAda = "NVIDIA Ada GPU Architecture whitepaper and product pages";
constexpr std::string_view kOfDcl = "NVIDIA L4, L20, L40 and L40S data sheets";
constexpr std::string_view kOfHopper = "NVIDIA H100 Tensor Core GPU Architecture whitepaper";
constexpr std::string_view kOfH200 = "NVIDIA H200 Tensor Core GPU data sheet";
constexpr std::string_view kOfBlackdc = "NVIDIA Blackwell Architecture technical brief";
constexpr std::string_view kOfRtxb = "NVIDIA RTX Blackwell GPU Architecture whitepaper and product pages";
constexpr std::string_view kOfRtxpro = "NVIDIA RTX PRO Blackwell GPU Architecture whitepaper and data sheets";
constexpr std::string_view kOfJetson = "NVIDIA Jetson module data sheets";
constexpr std::string_view kOfSpark = "NVIDIA DGX Spark data sheet";

constexpr DataSheet kP100Sxm2 = {.title = "NVIDIA Tesla P100 data sheet", .f64 = 5.3, .f32 = 10.6, .f16 = 21.2};
constexpr DataSheet kP100Pcie = {.title = "NVIDIA Tesla P100 for PCIe data sheet", .f64 = 4.7, .f32 = 9.3, .f16 = 18.7};
constexpr DataSheet kP4 = {.title = "NVIDIA Tesla P4 data sheet", .f32 = 5.5};
constexpr DataSheet kP40 = {.title = "NVIDIA Tesla P40 data sheet", .f32 = 12};
constexpr DataSheet kV100Sxm2 = {.title = "NVIDIA Tesla V100 data sheet", .f64 = 7.8, .f32 = 15.7, .f16_tensor = 125};
constexpr DataSheet kV100Pcie = {.title = "NVIDIA Tesla V100 data sheet", .f64 = 7, .f32 = 14, .f16_tensor = 112};
constexpr DataSheet kV100s = {.title = "NVIDIA V100 data sheet (V100S)", .f64 = 8.2, .f32 = 16.4, .f16_tensor = 130};
constexpr DataSheet kT4 = {.title = "NVIDIA T4 data sheet", .f32 = 8.1, .f16_tensor = 65, .i8_tensor = 130};
constexpr DataSheet kA100 = {.title = "NVIDIA A100 data sheet",
                             .f64 = 9.7,
                             .f32 = 19.5,
                             .f16 = 78,
                             .f64_tensor = 19.5,
                             .tf32_tensor = 156,
                             .f16_tensor = 312,
                             .i8_tensor = 624};
constexpr DataSheet kA30 = {.title = "NVIDIA A30 data sheet",
                            .f64 = 5.2,
                            .f32 = 10.3,
                            .f64_tensor = 10.3,
                            .tf32_tensor = 82,
                            .f16_tensor = 165,
                            .i8_tensor = 330};
constexpr DataSheet kA40 = {
    .title = "NVIDIA A40 data sheet", .f32 = 37.4, .tf32_tensor = 74.8, .f16_tensor = 149.7, .i8_tensor = 299.3};
constexpr DataSheet kA10 = {
    .title = "NVIDIA A10 data sheet", .f32 = 31.2, .tf32_tensor = 62.5, .f16_tensor = 125, .i8_tensor = 250};
constexpr DataSheet kA16 = {.title = "NVIDIA A16 data sheet, one of its four GPUs",
                            .f32 = 4.5,
                            .tf32_tensor = 9,
                            .f16_tensor = 17.9,
                            .i8_tensor = 35.9};
constexpr DataSheet kA2 = {
    .title = "NVIDIA A2 data sheet", .f32 = 4.5, .tf32_tensor = 9, .f16_tensor = 18, .i8_tensor = 36};
constexpr DataSheet kL4 = {.title = "NVIDIA L4 data sheet",
                           .f32 = 30.3,
                           .tf32_tensor = 60,
                           .f16_tensor = 121,
                           .f8_tensor = 242.5,
                           .i8_tensor = 242.5};
constexpr DataSheet kL20 = {.title = "figures published for the L20",
                            .f32 = 59.8,
                            .tf32_tensor = 59.8,
                            .f16_tensor = 119.5,
                            .f8_tensor = 239,
                            .i8_tensor = 239};
constexpr DataSheet kL40 = {.title = "NVIDIA L40 data sheet",
                            .f32 = 90.5,
                            .tf32_tensor = 90.5,
                            .f16_tensor = 181.05,
                            .f8_tensor = 362,
                            .i8_tensor = 362};
constexpr DataSheet kL40s = {.title = "NVIDIA L40S data sheet",
                             .f32 = 91.6,
                             .tf32_tensor = 183,
                             .f16_tensor = 362.05,
                             .f8_tensor = 733,
                             .i8_tensor = 733};
constexpr DataSheet kH100Sxm = {.title = "NVIDIA H100 Tensor Core GPU Architecture whitepaper",
                                .f64 = 33.5,
                                .f32 = 66.9,
                                .f16 = 133.8,
                                .f64_tensor = 66.9,
                                .tf32_tensor = 494.7,
                                .f16_tensor = 989.4,
                                .f8_tensor = 1978.9,
                                .i8_tensor = 1978.9};
constexpr DataSheet kH100Pcie = {.title = "NVIDIA H100 Tensor Core GPU Architecture whitepaper",
                                 .f64 = 25.6,
                                 .f32 = 51.2,
                                 .f16 = 102.4,
                                 .f64_tensor = 51.2,
                                 .tf32_tensor = 378,
                                 .f16_tensor = 756,
                                 .f8_tensor = 1513,
                                 .i8_tensor = 1513};
constexpr DataSheet kH100Nvl = {.title = "NVIDIA H100 data sheet (NVL)",
                                .f64 = 30,
                                .f32 = 60,
                                .f64_tensor = 60,
                                .tf32_tensor = 417.5,
                                .f16_tensor = 835.5,
                                .f8_tensor = 1670.5,
                                .i8_tensor = 1670.5};
constexpr DataSheet kH200 = {.title = "NVIDIA H200 data sheet",
                             .f64 = 34,
                             .f32 = 67,
                             .f64_tensor = 67,
                             .tf32_tensor = 494.5,
                             .f16_tensor = 989.5,
                             .f8_tensor = 1979,
                             .i8_tensor = 1979};
constexpr DataSheet kH200Nvl = {.title = "NVIDIA H200 data sheet (NVL)",
                                .f64 = 30,
                                .f32 = 60,
                                .f64_tensor = 60,
                                .tf32_tensor = 417.5,
                                .f16_tensor = 835.5,
                                .f8_tensor = 1670.5,
                                .i8_tensor = 1670.5};
constexpr DataSheet kGh200 = {.title = "NVIDIA GH200 data sheet",
                              .f64 = 34,
                              .f32 = 67,
                              .f64_tensor = 67,
                              .tf32_tensor = 494,
                              .f16_tensor = 990,
                              .f8_tensor = 1979,
                              .i8_tensor = 1979};
constexpr DataSheet kH20 = {.title = "figures published for the H20",
                            .f64 = 1,
                            .f32 = 44,
                            .f64_tensor = 1,
                            .tf32_tensor = 74,
                            .f16_tensor = 148,
                            .f8_tensor = 296,
                            .i8_tensor = 296};
constexpr DataSheet kH800 = {.title = "figures published for the H800",
                             .f64 = 1,
                             .f32 = 67,
                             .f64_tensor = 1,
                             .tf32_tensor = 494.5,
                             .f16_tensor = 989.5,
                             .f8_tensor = 1979,
                             .i8_tensor = 1979};
constexpr DataSheet kB100 = {.title = "NVIDIA Blackwell Architecture technical brief (HGX B100)",
                             .f64 = 30,
                             .f32 = 60,
                             .f64_tensor = 30,
                             .tf32_tensor = 900,
                             .f16_tensor = 1800,
                             .f8_tensor = 3500,
                             .i8_tensor = 3500,
                             .f4_tensor = 7000};
constexpr DataSheet kB200 = {.title = "NVIDIA Blackwell Architecture technical brief (HGX B200)",
                             .f64 = 40,
                             .f32 = 80,
                             .f64_tensor = 40,
                             .tf32_tensor = 1100,
                             .f16_tensor = 2250,
                             .f8_tensor = 4500,
                             .i8_tensor = 4500,
                             .f4_tensor = 9000};
constexpr DataSheet kGb200 = {.title = "NVIDIA Blackwell Architecture technical brief (GB200)",
                              .f64 = 45,
                              .f32 = 90,
                              .f64_tensor = 45,
                              .tf32_tensor = 1250,
                              .f16_tensor = 2500,
                              .f8_tensor = 5000,
                              .i8_tensor = 5000,
                              .f4_tensor = 10000};
constexpr DataSheet kB300 = {.title = "figures published for the HGX B300",
                             .f64 = 1.25,
                             .f32 = 75,
                             .tf32_tensor = 1125,
                             .f16_tensor = 2250,
                             .f8_tensor = 4500,
                             .i8_tensor = 150,
                             .f4_tensor = 14000};
constexpr DataSheet kGb300 = {.title = "figures published for the GB300",
                              .f64 = 1.3,
                              .f32 = 80,
                              .tf32_tensor = 1250,
                              .f16_tensor = 2500,
                              .f8_tensor = 5000,
                              .i8_tensor = 165,
                              .f4_tensor = 15000};

constexpr ListedDevice kDevices[] = {
    {"Tesla M10", "m10", "tesla grid", 50, 5, 1306, 83.2, 2, 8, kNone, kOfTeslam},
    {"Tesla M4", "m4", "tesla", 52, 8, 1072, 88, 1, 4, kNone, kOfTeslam},
    {"Tesla M40", "m40", "tesla 12gb", 52, 24, 1112, 288, 3, 12, kNone, kOfTeslam},
    {"Tesla M40 24GB", "m40", "tesla 24gb", 52, 24, 1112, 288, 3, 24, kNone, kOfTeslam},
    {"Tesla M60", "m60", "tesla grid", 52, 16, 1178, 160, 2, 8, kNone, kOfTeslam},
    {"GeForce GTX 750 Ti", "gtx 750 ti", "geforce", 50, 5, 1085, 86.4, 2, 2, kNone, kOfMaxwell},
    {"GeForce GTX 950", "gtx 950", "geforce", 52, 6, 1188, 105.6, 1, 2, kNone, kOfMaxwell},
    {"GeForce GTX 960", "gtx 960", "geforce", 52, 8, 1178, 112.2, 1, 2, kNone, kOfMaxwell},
    {"GeForce GTX 970", "gtx 970", "geforce", 52, 13, 1178, 224.4, 1.75, 4, kNone, kOfMaxwell},
    {"GeForce GTX 980", "gtx 980", "geforce", 52, 16, 1216, 224.4, 2, 4, kNone, kOfMaxwell},
    {"GeForce GTX 980 Ti", "gtx 980 ti", "geforce", 52, 22, 1076, 336.6, 3, 6, kNone, kOfMaxwell},
    {"GeForce GTX TITAN X", "gtx titan x", "geforce", 52, 24, 1089, 336.6, 3, 12, kNone, kOfMaxwell},
    {"Tesla P100-SXM2-16GB", "p100", "tesla sxm2 dgxs 16gb", 60, 56, 1480, 732, 4, 16, kNone, kOfP100, &kP100Sxm2},
    {"Tesla P100-PCIE-16GB", "p100", "tesla pcie 16gb", 60, 56, 1329, 732, 4, 16, kNone, kOfP100, &kP100Pcie},
    {"Tesla P100-PCIE-12GB", "p100", "tesla pcie 12gb", 60, 56, 1329, 549, 3, 12, kNone, kOfP100, &kP100Pcie},
    {"Quadro GP100", "gp100", "quadro", 60, 56, 1443, 717, 4, 16, kNone, kOfQuadrop},
    {"Tesla P4", "p4", "tesla grid", 61, 20, 1114, 192, 2, 8, kNone, kOfTeslap, &kP4},
    {"Tesla P6", "p6", "tesla grid", 61, 16, 1506, 192, 2, 16, kNone, kOfTeslap},
    {"Tesla P40", "p40", "tesla grid", 61, 30, 1531, 347, 3, 24, kNone, kOfTeslap, &kP40},
    {"Quadro P1000", "p1000", "quadro", 61, 4, 1392, 96, 1, 4, kNone, kOfQuadrop},
    {"Quadro P2000", "p2000", "quadro", 61, 8, 1480, 140, 1.25, 5, kNone, kOfQuadrop},
    {"Quadro P4000", "p4000", "quadro", 61, 14, 1480, 243, 2, 8, kNone, kOfQuadrop},
    {"Quadro P5000", "p5000", "quadro", 61, 20, 1733, 288, 2, 16, kNone, kOfQuadrop},
    {"Quadro P6000", "p6000", "quadro", 61, 30, 1645, 432, 3, 24, kNone, kOfQuadrop},
    {"GeForce GT 1030", "gt 1030", "geforce", 61, 3, 1468, 48, 0.5, 2, kNone, kOfPascal},
    {"GeForce GTX 1050", "gtx 1050", "geforce", 61, 5, 1455, 112, 1, 2, kNone, kOfPascal},
    {"GeForce GTX 1050 Ti", "gtx 1050 ti", "geforce", 61, 6, 1392, 112, 1, 4, kNone, kOfPascal},
    {"GeForce GTX 1060 6GB", "gtx 1060", "geforce 6gb", 61, 10, 1709, 192, 1.5, 6, kNone, kOfPascal},
    {"GeForce GTX 1060 3GB", "gtx 1060", "geforce 3gb", 61, 9, 1709, 192, 1.5, 3, kNone, kOfPascal},
    {"GeForce GTX 1070", "gtx 1070", "geforce", 61, 15, 1683, 256, 2, 8, kNone, kOfPascal},
    {"GeForce GTX 1070 Ti", "gtx 1070 ti", "geforce", 61, 19, 1683, 256, 2, 8, kNone, kOfPascal},
    {"GeForce GTX 1080", "gtx 1080", "geforce", 61, 20, 1733, 320, 2, 8, kNone, kOfPascal},
    {"GeForce GTX 1080 Ti", "gtx 1080 ti", "geforce", 61, 28, 1582, 484, 2.75, 11, kNone, kOfPascal},
    {"TITAN X (Pascal)", "titan x", "pascal", 61, 28, 1531, 480, 3, 12, kNone, kOfPascal},
    {"TITAN Xp", "titan xp", "", 61, 30, 1582, 547.6, 3, 12, kNone, kOfPascal},
    {"Tesla V100-SXM2-16GB", "v100", "tesla sxm2 dgxs v100x 16gb", 70, 80, 1530, 900, 6, 16, kFull, kOfVolta,
     &kV100Sxm2},
    {"Tesla V100-SXM2-32GB", "v100", "tesla sxm2 dgxs v100dx 32gb", 70, 80, 1530, 900, 6, 32, kFull, kOfVolta,
     &kV100Sxm2},
    {"Tesla V100-SXM3-32GB", "v100", "tesla sxm3 32gb h", 70, 80, 1597, 981, 6, 32, kFull, kOfVolta},
    {"Tesla V100-PCIE-16GB", "v100", "tesla pcie 16gb", 70, 80, 1380, 900, 6, 16, kFull, kOfVolta, &kV100Pcie},
    {"Tesla V100-PCIE-32GB", "v100", "tesla pcie v100d 32gb", 70, 80, 1380, 900, 6, 32, kFull, kOfVolta, &kV100Pcie},
    {"Tesla V100-FHHL-16GB", "v100", "tesla fhhl v100l 16gb", 70, 80, 1290, 829, 6, 16, kFull, kOfVolta},
    {"Tesla V100S-PCIE-32GB", "v100s", "tesla pcie 32gb", 70, 80, 1597, 1134, 6, 32, kFull, kOfVolta, &kV100s},
    {"NVIDIA TITAN V", "titan v", "", 70, 80, 1455, 653, 4.5, 12, kFull, kOfTitanv},
    {"Quadro GV100", "gv100", "quadro", 70, 80, 1627, 870, 6, 32, kFull, kOfGv100},
    {"Tesla T4", "t4", "tesla grid t4g", 75, 40, 1590, 320, 4, 16, kFull, kOfT4, &kT4},
    {"Tesla T10", "t10", "tesla grid", 75, 56, 1395, 403, 6, 16, kFull, kOfTuring},
    {"Quadro RTX 3000", "quadro rtx 3000", "", 75, 30, 1380, 336, 3, 6, kFull, kOfTuring},
    {"Quadro RTX 4000", "quadro rtx 4000", "", 75, 36, 1545, 416, 4, 8, kFull, kOfTuring},
    {"Quadro RTX 5000", "quadro rtx 5000", "", 75, 48, 1815, 448, 4, 16, kFull, kOfTuring},
    {"Quadro RTX 6000", "quadro rtx 6000", "", 75, 72, 1770, 672, 6, 24, kFull, kOfTuring},
    {"Quadro RTX 8000", "quadro rtx 8000", "", 75, 72, 1770, 672, 6, 48, kFull, kOfTuring},
    {"GRID RTX 6000 (Turing)", "grid rtx 6000", "", 75, 72, 1770, 672, 6, 24, kFull, kOfTuring},
    {"NVIDIA TITAN RTX", "titan rtx", "", 75, 72, 1770, 672, 6, 24, kFull, kOfTuring},
    {"NVIDIA T400", "t400", "", 75, 6, 1425, 80, 1, 2, kNone, kOfTuring},
    {"NVIDIA T600", "t600", "", 75, 10, 1335, 160, 1, 4, kNone, kOfTuring},
    {"NVIDIA T1000", "t1000", "", 75, 14, 1395, 160, 1, 4, kNone, kOfTuring},
    {"GeForce GTX 1650", "gtx 1650", "geforce", 75, 14, 1665, 128, 1, 4, kNone, kOfTuring},
    {"GeForce GTX 1650 SUPER", "gtx 1650 super", "geforce", 75, 20, 1725, 192, 1, 4, kNone, kOfTuring},
    {"GeForce GTX 1660", "gtx 1660", "geforce", 75, 22, 1785, 192, 1.5, 6, kNone, kOfTuring},
    {"GeForce GTX 1660 SUPER", "gtx 1660 super", "geforce", 75, 22, 1785, 336, 1.5, 6, kNone, kOfTuring},
    {"GeForce GTX 1660 Ti", "gtx 1660 ti", "geforce", 75, 24, 1770, 288, 1.5, 6, kNone, kOfTuring},
    {"GeForce RTX 2060", "rtx 2060", "geforce 6gb", 75, 30, 1680, 336, 3, 6, kHalf, kOfTuring},
    {"GeForce RTX 2060 12GB", "rtx 2060", "geforce 12gb", 75, 34, 1650, 336, 3, 12, kHalf, kOfTuring},
    {"GeForce RTX 2060 SUPER", "rtx 2060 super", "geforce", 75, 34, 1650, 448, 4, 8, kHalf, kOfTuring},
    {"GeForce RTX 2070", "rtx 2070", "geforce", 75, 36, 1620, 448, 4, 8, kHalf, kOfTuring},
    {"GeForce RTX 2070 SUPER", "rtx 2070 super", "geforce", 75, 40, 1770, 448, 4, 8, kHalf, kOfTuring},
    {"GeForce RTX 2080", "rtx 2080", "geforce", 75, 46, 1710, 448, 4, 8, kHalf, kOfTuring},
    {"GeForce RTX 2080 SUPER", "rtx 2080 super", "geforce", 75, 48, 1815, 496, 4, 8, kHalf, kOfTuring},
    {"GeForce RTX 2080 Ti", "rtx 2080 ti", "geforce", 75, 68, 1545, 616, 5.5, 11, kHalf, kOfTuring},
    {"NVIDIA A100-SXM4-40GB", "a100", "grid sxm4 sxm 40gb pg509 pg506", 80, 108, 1410, 1555, 40, 40, kFull, kOfA100,
     &kA100},
    {"NVIDIA A100-SXM4-80GB", "a100", "grid sxm4 sxm 80gb pg509 pg506", 80, 108, 1410, 2039, 40, 80, kFull, kOfA100,
     &kA100},
    {"NVIDIA A100-PCIE-40GB", "a100", "grid pcie 40gb", 80, 108, 1410, 1555, 40, 40, kFull, kOfA100, &kA100},
    {"NVIDIA A100 80GB PCIe", "a100", "grid pcie 80gb", 80, 108, 1410, 1935, 40, 80, kFull, kOfA100, &kA100},
    {"NVIDIA A800-SXM4-40GB", "a800", "grid sxm4 sxm 40gb", 80, 108, 1410, 1555, 40, 40, kFull, kOfA100, &kA100},
    {"NVIDIA A800-SXM4-80GB", "a800", "grid sxm4 sxm 80gb", 80, 108, 1410, 2039, 40, 80, kFull, kOfA100, &kA100},
    {"NVIDIA A800-PCIE-40GB", "a800", "grid pcie 40gb", 80, 108, 1410, 1555, 40, 40, kFull, kOfA100, &kA100},
    {"NVIDIA A800 80GB PCIe", "a800", "grid pcie 80gb", 80, 108, 1410, 1935, 40, 80, kFull, kOfA100, &kA100},
    {"NVIDIA PG509-210", "pg509", "210", 80, 108, 1410, 2039, 40, 80, kFull, kOfA100, &kA100},
    {"NVIDIA A30", "a30", "grid", 80, 56, 1440, 933, 24, 24, kFull, kOfDca, &kA30},
    {"NVIDIA A40", "a40", "grid pcie", 86, 84, 1740, 696, 6, 48, kFull, kOfDca, &kA40},
    {"NVIDIA A10", "a10", "grid", 86, 72, 1695, 600, 6, 24, kFull, kOfDca, &kA10},
    {"NVIDIA A10G", "a10g", "grid", 86, 80, 1710, 600, 6, 24, kHalf, kOfDca},
    {"NVIDIA A16", "a16", "grid", 86, 10, 1755, 200, 2, 16, kFull, kOfDca, &kA16},
    {"NVIDIA A2", "a2", "grid", 86, 10, 1770, 200, 2, 16, kFull, kOfDca, &kA2},
    {"NVIDIA RTX A1000", "rtx a1000", "grid", 86, 18, 1462, 192, 2, 8, kFull, kOfGa10x},
    {"NVIDIA RTX A2000", "rtx a2000", "grid 12gb", 86, 26, 1200, 288, 3, 6, kFull, kOfGa10x},
    {"NVIDIA RTX A4000", "rtx a4000", "grid", 86, 48, 1560, 448, 4, 16, kFull, kOfGa10x},
    {"NVIDIA RTX A4500", "rtx a4500", "grid", 86, 56, 1650, 640, 6, 20, kFull, kOfGa10x},
    {"NVIDIA RTX A5000", "rtx a5000", "grid", 86, 64, 1695, 768, 6, 24, kFull, kOfGa10x},
    {"NVIDIA RTX A5500", "rtx a5500", "grid", 86, 80, 1665, 768, 6, 24, kFull, kOfGa10x},
    {"NVIDIA RTX A6000", "rtx a6000", "grid", 86, 84, 1800, 768, 6, 48, kFull, kOfGa10x},
    {"GeForce RTX 3050", "rtx 3050", "geforce 8gb", 86, 20, 1777, 224, 2, 8, kHalf, kOfGa10x},
    {"GeForce RTX 3050 6GB", "rtx 3050", "geforce 6gb", 86, 18, 1470, 168, 2, 6, kHalf, kOfGa10x},
    {"GeForce RTX 3060", "rtx 3060", "geforce 12gb", 86, 28, 1777, 360, 3, 12, kHalf, kOfGa10x},
    {"GeForce RTX 3060 Ti", "rtx 3060 ti", "geforce", 86, 38, 1665, 448, 4, 8, kHalf, kOfGa10x},
    {"GeForce RTX 3070", "rtx 3070", "geforce", 86, 46, 1725, 448, 4, 8, kHalf, kOfGa10x},
    {"GeForce RTX 3070 Ti", "rtx 3070 ti", "geforce", 86, 48, 1770, 608, 4, 8, kHalf, kOfGa10x},
    {"GeForce RTX 3080", "rtx 3080", "geforce 10gb", 86, 68, 1710, 760, 5, 10, kHalf, kOfGa10x},
    {"GeForce RTX 3080 12GB", "rtx 3080", "geforce 12gb", 86, 70, 1710, 912, 6, 12, kHalf, kOfGa10x},
    {"GeForce RTX 3080 Ti", "rtx 3080 ti", "geforce", 86, 80, 1665, 912, 6, 12, kHalf, kOfGa10x},
    {"GeForce RTX 3090", "rtx 3090", "geforce", 86, 82, 1695, 936, 6, 24, kHalf, kOfGa10x},
    {"GeForce RTX 3090 Ti", "rtx 3090 ti", "geforce", 86, 84, 1860, 1008, 6, 24, kHalf, kOfGa10x},
    {"NVIDIA L4", "l4", "grid", 89, 60, 2040, 300, 48, 24, kFull, kOfDcl, &kL4},
    {"NVIDIA L20", "l20", "grid", 89, 92, 2520, 864, 96, 48, kHalf, kOfDcl, &kL20},
    {"NVIDIA L40", "l40", "grid", 89, 142, 2490, 864, 96, 48, kHalf, kOfDcl, &kL40},
    {"NVIDIA L40S", "l40s", "grid", 89, 142, 2520, 864, 96, 48, kFull, kOfDcl, &kL40s},
    {"NVIDIA RTX 2000 Ada Generation", "rtx 2000 ada", "generation", 89, 22, 2130, 224, 12, 16, kFull, kOfAda},
    {"NVIDIA RTX 4000 Ada Generation", "rtx 4000 ada", "generation", 89, 48, 2175, 360, 48, 20, kFull, kOfAda},
    {"NVIDIA RTX 4500 Ada Generation", "rtx 4500 ada", "generation", 89, 60, 2580, 432, 48, 24, kFull, kOfAda},
    {"NVIDIA RTX 5000 Ada Generation", "rtx 5000 ada", "generation", 89, 100, 2550, 576, 72, 32, kFull, kOfAda},
    {"NVIDIA RTX 5880 Ada Generation", "rtx 5880 ada", "generation", 89, 110, 2460, 960, 72, 48, kFull, kOfAda},
    {"NVIDIA RTX 6000 Ada Generation", "rtx 6000 ada", "generation", 89, 142, 2505, 960, 96, 48, kFull, kOfAda},
    {"NVIDIA RTX 4000 SFF Ada Generation", "rtx 4000 sff ada", "generation", 89, 48, 1560, 280, 48, 20, kFull, kOfAda},
    {"GeForce RTX 4060", "rtx 4060", "geforce", 89, 24, 2460, 272, 24, 8, kHalf, kOfAda},
    {"GeForce RTX 4060 Ti", "rtx 4060 ti", "geforce", 89, 34, 2535, 288, 32, 8, kHalf, kOfAda},
    {"GeForce RTX 4070", "rtx 4070", "geforce", 89, 46, 2475, 504, 36, 12, kHalf, kOfAda},
    {"GeForce RTX 4070 SUPER", "rtx 4070 super", "geforce", 89, 56, 2475, 504, 48, 12, kHalf, kOfAda},
    {"GeForce RTX 4070 Ti", "rtx 4070 ti", "geforce", 89, 60, 2610, 504, 48, 12, kHalf, kOfAda},
    {"GeForce RTX 4070 Ti SUPER", "rtx 4070 ti super", "geforce", 89, 66, 2610, 672, 48, 16, kHalf, kOfAda},
    {"GeForce RTX 4080", "rtx 4080", "geforce", 89, 76, 2505, 716.8, 64, 16, kHalf, kOfAda},
    {"GeForce RTX 4080 SUPER", "rtx 4080 super", "geforce", 89, 80, 2550, 736, 64, 16, kHalf, kOfAda},
    {"GeForce RTX 4090", "rtx 4090", "geforce", 89, 128, 2520, 1008, 72, 24, kHalf, kOfAda},
    {"GeForce RTX 4090 D", "rtx 4090 d", "geforce", 89, 114, 2520, 1008, 72, 24, kHalf, kOfAda},
    {"NVIDIA H100 80GB HBM3", "h100", "sxm sxm5 hbm3 80gb 64gb 94gb 96gb", 90, 132, 1980, 3352, 50, 80, kFull,
     kOfHopper, &kH100Sxm},
    {"NVIDIA H100 PCIe", "h100", "pcie 80gb", 90, 114, 1755, 2039, 50, 80, kFull, kOfHopper, &kH100Pcie},
    {"NVIDIA H100 NVL", "h100", "nvl 94gb", 90, 132, 1785, 3938, 60, 94, kFull, kOfHopper, &kH100Nvl},
    {"NVIDIA H200", "h200", "sxm sxm5 141gb", 90, 132, 1980, 4800, 60, 141, kFull, kOfH200, &kH200},
    {"NVIDIA H200 NVL", "h200", "nvl 141gb", 90, 132, 1785, 4800, 60, 141, kFull, kOfH200, &kH200Nvl},
    {"NVIDIA GH200 480GB", "gh200", "480gb 96gb hbm3", 90, 132, 1980, 4000, 60, 96, kFull, kOfHopper, &kGh200},
    {"NVIDIA GH200 144G HBM3e", "gh200", "144g 144gb hbm3e", 90, 132, 1980, 4900, 60, 144, kFull, kOfHopper, &kGh200},
    {"NVIDIA H800", "h800", "sxm sxm5 80gb", 90, 132, 1980, 3352, 50, 80, kFull, kOfHopper, &kH800},
    {"NVIDIA H20", "h20", "", 90, 78, 1980, 4000, 60, 96, kFull, kOfHopper, &kH20},
    {"NVIDIA B100", "b100", "", 100, 148, 1665, 8000, 126, 192, kFull, kOfBlackdc, &kB100},
    {"NVIDIA B200", "b200", "sxm", 100, 148, 1965, 8000, 126, 180, kFull, kOfBlackdc, &kB200},
    {"NVIDIA GB200", "gb200", "", 100, 152, 2062, 8000, 126, 186, kFull, kOfBlackdc, &kGb200},
    {"NVIDIA B300", "b300", "sxm sxm6 ac", 103, 148, 2032, 8000, 126, 270, kFull, kOfBlackdc, &kB300},
    {"NVIDIA GB300", "gb300", "", 103, 152, 2070, 8000, 126, 279, kFull, kOfBlackdc, &kGb300},
    {"GeForce RTX 5050", "rtx 5050", "geforce", 120, 20, 2572, 320, 24, 8, kHalf, kOfRtxb},
    {"GeForce RTX 5060", "rtx 5060", "geforce", 120, 30, 2497, 448, 32, 8, kHalf, kOfRtxb},
    {"GeForce RTX 5060 Ti", "rtx 5060 ti", "geforce", 120, 36, 2572, 448, 32, 8, kHalf, kOfRtxb},
    {"GeForce RTX 5070", "rtx 5070", "geforce", 120, 48, 2512, 672, 48, 12, kHalf, kOfRtxb},
    {"GeForce RTX 5070 Ti", "rtx 5070 ti", "geforce", 120, 70, 2452, 896, 48, 16, kHalf, kOfRtxb},
    {"GeForce RTX 5080", "rtx 5080", "geforce", 120, 84, 2617, 960, 64, 16, kHalf, kOfRtxb},
    {"GeForce RTX 5090", "rtx 5090", "geforce", 120, 170, 2407, 1792, 96, 32, kHalf, kOfRtxb},
    {"GeForce RTX 5090 D", "rtx 5090 d", "geforce", 120, 170, 2407, 1792, 96, 32, kHalf, kOfRtxb},
    {"NVIDIA RTX PRO 2000 Blackwell", "rtx pro 2000 blackwell", "", 120, 34, 1957, 288, 32, 16, kFull, kOfRtxpro},
    {"NVIDIA RTX PRO 4000 Blackwell", "rtx pro 4000 blackwell", "", 120, 70, 2055, 672, 48, 24, kFull, kOfRtxpro},
    {"NVIDIA RTX PRO 4500 Blackwell", "rtx pro 4500 blackwell", "", 120, 82, 2407, 896, 64, 32, kFull, kOfRtxpro},
    {"NVIDIA RTX PRO 5000 Blackwell", "rtx pro 5000 blackwell", "72gb", 120, 110, 2377, 1344, 96, 48, kFull, kOfRtxpro},
    {"NVIDIA RTX PRO 6000 Blackwell", "rtx pro 6000 blackwell", "workstation server edition", 120, 188, 2617, 1792, 128,
     96, kFull, kOfRtxpro},
    {"NVIDIA RTX PRO 6000 Blackwell Max-Q", "rtx pro 6000 blackwell max q", "workstation edition", 120, 188, 2280, 1792,
     128, 96, kFull, kOfRtxpro},
    {"NVIDIA GB10", "gb10", "", 121, 48, 2418, 273, 24, 128, kFull, kOfSpark},
    {"Jetson Nano (Tegra X1)", "tegra x1", "jetson", 53, 1, 921, 25.6, 0.25, 4, kNone, kOfJetson},
    {"Jetson TX1 (Tegra X1)", "tegra x1", "jetson tx1", 53, 2, 998, 25.6, 0.25, 4, kNone, kOfJetson},
    {"Jetson TX2 (Tegra X2)", "tegra x2", "jetson tx2", 62, 2, 1300, 59.7, 0.5, 8, kNone, kOfJetson},
    {"Jetson AGX Xavier", "xavier", "jetson agx", 72, 8, 1377, 136.5, 0.5, 32, kFull, kOfJetson},
    {"Jetson Xavier NX", "xavier", "jetson nx", 72, 6, 1100, 59.7, 0.5, 8, kFull, kOfJetson},
    {"Jetson AGX Orin 64GB", "orin", "jetson agx 64gb", 87, 16, 1300, 204.8, 4, 64, kFull, kOfJetson},
    {"Jetson AGX Orin 32GB", "orin", "jetson agx 32gb", 87, 14, 930, 204.8, 4, 32, kFull, kOfJetson},
    {"Jetson Orin NX 16GB", "orin", "jetson nx 16gb", 87, 8, 918, 102.4, 4, 16, kFull, kOfJetson},
    {"Jetson Orin Nano 8GB", "orin", "jetson nano 8gb", 87, 8, 625, 68, 4, 8, kFull, kOfJetson},
    {"Jetson Orin Nano Super", "orin", "jetson nano super", 87, 8, 1020, 102.4, 4, 8, kFull, kOfJetson},
    {"Jetson Thor (T5000)", "thor", "jetson agx t5000", 110, 20, 1575, 273, 32, 128, kFull, kOfJetson},
};

/// By compute capability; columns in order of DataType. Matrix units: with f32 accumulators at full rate.
struct Rates {
  uint32_t capability;
  std::array<uint16_t, kDataTypes> operations;
};

constexpr Rates kRates[] = {
    //     unknown f64 f32  f16  bf16 i32  f64t tf32  f16t  bf16t f8     i8     f4
    {50, {0, 8, 256, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0}},
    {52, {0, 8, 256, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0}},
    {53, {0, 8, 256, 512, 0, 128, 0, 0, 0, 0, 0, 0, 0}},
    {60, {0, 64, 128, 256, 0, 64, 0, 0, 0, 0, 0, 0, 0}},
    {61, {0, 8, 256, 4, 0, 128, 0, 0, 0, 0, 0, 0, 0}},
    {62, {0, 8, 256, 512, 0, 128, 0, 0, 0, 0, 0, 0, 0}},
    {70, {0, 64, 128, 256, 0, 64, 0, 0, 1024, 0, 0, 0, 0}},
    {72, {0, 64, 128, 256, 0, 64, 0, 0, 1024, 0, 0, 2048, 0}},
    {75, {0, 4, 128, 256, 0, 64, 0, 0, 1024, 0, 0, 2048, 0}},
    {80, {0, 64, 128, 512, 256, 64, 128, 1024, 2048, 2048, 0, 4096, 0}},
    {86, {0, 4, 256, 256, 256, 64, 0, 512, 1024, 1024, 0, 2048, 0}},
    {87, {0, 4, 256, 256, 256, 64, 0, 1024, 2048, 2048, 0, 4096, 0}},
    {89, {0, 4, 256, 256, 256, 64, 0, 512, 1024, 1024, 2048, 2048, 0}},
    {90, {0, 128, 256, 512, 512, 64, 256, 2048, 4096, 4096, 8192, 8192, 0}},
    {100, {0, 128, 256, 256, 256, 64, 128, 4096, 8192, 8192, 16384, 16384, 32768}},
    {103, {0, 4, 256, 256, 256, 64, 0, 4096, 8192, 8192, 16384, 512, 49152}},
    {110, {0, 4, 256, 256, 256, 64, 0, 4096, 8192, 8192, 16384, 16384, 32768}},
    {120, {0, 4, 256, 256, 256, 128, 0, 512, 1024, 1024, 2048, 2048, 4096}},
    {121, {0, 4, 256, 256, 256, 128, 0, 512, 1024, 1024, 2048, 2048, 4096}},
};

bool is_tensor(DataType type) { return type >= DataType::kF64Tensor; }

}  // namespace

double DataSheet::tflops(DataType type, uint32_t capability) const {
  switch (type) {
    case DataType::kF64:
      return f64;
    case DataType::kF32:
      return f32;
    case DataType::kF16:
      return f16;
    case DataType::kF64Tensor:
      return f64_tensor;
    case DataType::kTf32Tensor:
      return tf32_tensor;
    case DataType::kF16Tensor:
      return f16_tensor;
    case DataType::kBf16Tensor:
      return capability >= 80 ? f16_tensor : 0;
    case DataType::kF8Tensor:
      return f8_tensor;
    case DataType::kI8Tensor:
      return i8_tensor;
    case DataType::kF4Tensor:
      return f4_tensor;
    case DataType::kUnknown:
    case DataType::kBf16:
    case DataType::kI32:
      return 0;
  }
  return 0;
}

std::span<const ListedDevice> listed_devices() { return kDevices; }

double operations_per_clock(DataType type, uint32_t capability, TensorRate tensor) {
  if (is_tensor(type) && tensor == TensorRate::kNone) return 0;
  for (const Rates& rates : kRates) {
    if (rates.capability != capability) continue;
    const double full = rates.operations[static_cast<size_t>(type)];
    const bool halved = type == DataType::kTf32Tensor || type == DataType::kF16Tensor ||
                        type == DataType::kBf16Tensor || type == DataType::kF8Tensor;
    return tensor == TensorRate::kHalf && halved ? full / 2 : full;
  }
  return 0;
}

}  // namespace xsp::analysis
