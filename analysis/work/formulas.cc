#include "analysis/work/formulas.h"

#include <array>

namespace xsp::analysis {
namespace {

using enum FormulaId;

// n(X) is the number of elements of X; e bytes of an element; "in + out" every input read once, every output written
// once.
constexpr std::array<Formula, kFormulas> kTable = {{
    {kMatrixProduct, FormulaKind::kProduct, "matrix product", "2·B·M·N·K, + B·M·N with a bias or beta ≠ 0; complex × 4",
     "B(e·M·K + e·K·N + e·M·N); an operand without batch once",
     "definition of the product; BLAS gemm, netlib.org/blas"},
    {kMatrixVector, FormulaKind::kProduct, "matrix × vector", "2·M·N, + M with a bias; dot 2·N; outer product M·N",
     "e(M·N + N + M)", "definition; BLAS gemv, dot, ger"},
    {kConvolution, FormulaKind::kProduct, "convolution",
     "2·N·K·P·Q·(C/g)·R·S = 2·n(Y)·n(W)/K, + n(Y) with a bias in the operator", "X + W + Y (+ bias, + Z)",
     "direct convolution, arXiv:1410.0759 section 2; P = (H + 2·pad − dil·(R−1) − 1)/stride + 1"},
    {kTransposedConvolution, FormulaKind::kProduct, "transposed convolution", "2·n(X)·n(W)/C, + n(Y) with a bias",
     "X + W + Y", "the gradient of a convolution, arXiv:1603.07285 section 4"},
    {kConvolutionBackward, FormulaKind::kProduct, "convolution, backward",
     "that of the forward one for each of the gradients of X and W that is wanted, + n(dY) for that of the bias",
     "dY + W for dX, dY + X for dW, dY once; each gradient written",
     "both gradients are convolutions of as many products, arXiv:1410.0759 section 2; without a mask both"},
    {kAttention, FormulaKind::kProduct, "attention",
     "2·B·Hq·Sq·Sk·(Dk + Dv); causal: 2·B·Hq·pairs·(Dk + Dv), pairs = Σ min(i, Sk) for i = 1…Sq",
     "Q + K + V + O (K and V with their own heads)", "QKᵀ and PV, arXiv:1706.03762 eq. 1; softmax is left out"},
    {kAttentionBackward, FormulaKind::kProduct, "attention, backward", "2·B·Hq·pairs·(3·Dk + 2·Dv)",
     "dO + Q + K + V + O + dQ + dK + dV", "five products, QKᵀ anew, arXiv:2205.14135 algorithm 4"},
    {kRecurrent, FormulaKind::kProduct, "recurrent network",
     "a step, layer and direction: 2·G·H·(I + H)·N + 30·H·N; G = 4 LSTM, 3 GRU, 1 else; I of later layers H·directions",
     "X + weights once + Y + states", "gates of arXiv:1402.1128, arXiv:1406.1078; 30 for gates is an estimate"},
    {kBatchNormInference, FormulaKind::kNormalization, "batch norm, inference", "2·n(X)", "X + Y + parameters",
     "scale and shift folded, arXiv:1502.03167 algorithm 2"},
    {kNormalization, FormulaKind::kNormalization, "normalization",
     "7·n(X): sum 1, squares 2, − mean 1, ÷ deviation 1, scale 1, shift 1; 5·n(X) without parameters",
     "X + Y + parameters + statistics", "arXiv:1607.06450 eq. 4, arXiv:1502.03167 algorithm 1, arXiv:1803.08494"},
    {kNormalizationBackward, FormulaKind::kNormalization, "normalization, backward",
     "9·n(X): x̂ 2, Σdy 1, Σdy·x̂ 2, dX 4; 13·n(X) with weights of single elements: scale 1, dW 2, db 1",
     "X + dY + parameters + dX + their gradients", "derivative of the above, arXiv:1502.03167 section 3"},
    {kRmsNorm, FormulaKind::kNormalization, "RMS norm", "4·n(X): squares 2, ÷ root 1, scale 1", "X + weight + Y",
     "arXiv:1910.07467 eq. 4"},
    {kSoftmax, FormulaKind::kSoftmax, "softmax", "4·n(X): − max 1, exp 1, sum 1, ÷ 1 (log: − 1)", "X + Y",
     "definition, stable by the maximum"},
    {kSoftmaxBackward, FormulaKind::kSoftmax, "softmax, backward", "4·n(X): y·dy 1, sum 1, − 1, × 1", "Y + dY + dX",
     "dx = y(dy − Σ y·dy)"},
    {kMaxPooling, FormulaKind::kPooling, "max pooling", "0: comparisons", "X + Y (+ indices)", "definition"},
    {kAveragePooling, FormulaKind::kPooling, "average pooling", "R·S·n(Y); adaptive and global: n(X)", "X + Y",
     "R·S − 1 additions and a division"},
    {kPoolingBackward, FormulaKind::kPooling, "pooling, backward", "average: R·S·n(dY); max: n(dY)",
     "dY (+ indices) + dX", "an addition for each element that a gradient is given to"},
    {kElementwise, FormulaKind::kElementwise, "elementwise", "as listed, for each element of the broadcast output",
     "in (a broadcast one once) + out",
     "one for each arithmetic operation or function; comparisons, selections and conversions 0; GELU 8"},
    {kOptimizer, FormulaKind::kElementwise, "lists of tensors", "as listed, for each element of the first list",
     "lists read + list written", "one for each arithmetic operation, arXiv:1412.6980 algorithm 1"},
    {kReduction, FormulaKind::kReduction, "reduction", "as listed, for each element of the input", "in + out",
     "one for each arithmetic operation; comparisons 0"},
    {kMovement, FormulaKind::kMovement, "copy", "0", "in + out", "definition"},
    {kSelection, FormulaKind::kMovement, "gather and scatter", "0; adding ones 1 for each element moved",
     "what is moved is read and written, + indices", "definition"},
    {kFill, FormulaKind::kMovement, "fill", "0", "out", "definition"},
    {kCollective, FormulaKind::kCollective, "collective", "0: what it adds depends on the algorithm",
     "send buffer + receive buffer", "docs.nvidia.com/deeplearning/nccl, collective operations"},
    {kFusedPlan, FormulaKind::kProduct, "cuDNN plan", "the sum over its operations, each by the formulas above",
     "tensors that are not virtual", "docs.nvidia.com/deeplearning/cudnn, graph API"},
}};

constexpr bool in_order() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].id) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const Formula& formula_of(FormulaId id) { return kTable[static_cast<size_t>(id)]; }

const Formula& formula_of(uint16_t number) { return kTable[number < kTable.size() ? number : 0]; }

}  // namespace xsp::analysis
