#include "bound/joining/operator_family.h"

#include <cctype>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace xsp::bound {
namespace {

struct FamilyRow {
  std::string_view family;
  std::string_view general;  // empty: it has no other name
  std::string_view types;    // as plain_type() writes them, beside the family's own name
};

constexpr FamilyRow kFamilies[] = {
    {"conv", "",
     "convolution fusedconv nhwcconv nhwcfusedconv qlinearconv convinteger slowconv cudnnconvolution "
     "mkldnnconvolution thnnconv depthwiseconv depthwiseconvnative separableconv padwithfusedconv padwithconv "
     "convforward "
     "convbiasadd sgonednnconv sgmkldnnconv cudnnconvolutionforward cudnnconvolutionbiasactivationforward "
     "convolutionoverrideable mpsconvolution miopenconvolution"},
    {"deconv", "",
     "convtranspose deconvolution convtransposed transposedconv conv2dbackpropinput convbackpropinput "
     "cudnnconvolutionbackwarddata"},
    {"matmul", "",
     "gemm blasgemm fusedgemm fusedmatmul transposematmul matmulinteger qlinearmatmul matmulnbits qgemm linear "
     "nondynamicallyquantizablelinear mm bmm addmm addbmm baddbmm addmv mv dot dotgeneral batchmatmul batchdot "
     "dense fullyconnected innerproduct sgonednnfullyconnected sgmkldnnfullyconnected gemv "
     "lazylinear dynamicquantizematmul matmulintegertofloat"},
    {"lstm", "", "lstmcell dynamicquantizelstm"},
    {"gru", "", "grucell"},
    {"rnn", "", "rnncell simplernn cudnnrnnforward cudnnrnn"},
    {"attention", "",
     "multiheadattention qattention groupqueryattention packedmultiheadattention scaleddotproductattention "
     "scaleddotproductflashattention scaleddotproductefficientattention scaleddotproductattentionmath "
     "nativemultiheadattention flashattention decodermaskedmultiheadattention cudnnmultiheadattnforward "
     "shiftedwindowattention selfattention bertselfattention"},
    {"batchnorm", "",
     "batchnormalization batchnorminference fusedbatchnorm syncbatchnorm nativebatchnorm cudnnbatchnorm "
     "frozenbatchnorm cudnnbatchnormalizationforwardinference spatialbn"},
    {"layernorm", "",
     "layernormalization nativelayernorm skiplayernormalization embedlayernormalization simplifiedlayernormalization "
     "skipsimplifiedlayernormalization rmsnorm rmsnormalization llamarmsnorm sgonednnlayernorm"},
    {"groupnorm", "", "groupnormalization nativegroupnorm skipgroupnorm"},
    {"instancenorm", "", "instancenormalization"},
    {"lrn", "", "localresponsenorm cudnnlrncrosschannelforward"},
    {"softmax", "", "fusedsoftmax cudnnsoftmaxforward softmaxforward"},
    {"logsoftmax", "", ""},
    {"relu", "activation", ""},
    {"clip", "activation", "relu6 hardtanh clamp clampmin clampmax clipbyvalue"},
    {"sigmoid", "activation", "logistic"},
    {"tanh", "activation", ""},
    {"leakyrelu", "activation", ""},
    {"elu", "activation", "selu celu"},
    {"prelu", "activation", ""},
    {"softplus", "activation", ""},
    {"mish", "activation", ""},
    {"hardsigmoid", "activation", ""},
    {"hardswish", "activation", ""},
    {"silu", "activation", "swish quickgelu swiglu silumul"},
    {"gelu", "activation", "fastgelu biasgelu geluactivation newgeluactivation"},
    {"maxpool", "pooling", "maxpooling maxpoolwithindices globalmaxpool nhwcmaxpool adaptivemaxpool globalmaxpooling"},
    {"avgpool", "pooling",
     "averagepool averagepooling globalaveragepool globalaveragepooling adaptiveavgpool qlinearaveragepool "
     "qlinearglobalaveragepool globalavgpool"},
    {"add", "elementwise", "elemwiseadd broadcastadd plus addn qlinearadd iadd"},
    {"sub", "elementwise", "subtract elemwisesub broadcastsub rsub"},
    {"mul", "elementwise", "multiply elemwisemul broadcastmul qlinearmul"},
    {"div", "elementwise", "divide truediv realdiv divnonan elemwisediv broadcastdiv"},
    {"pow", "elementwise", "power square"},
    {"sqrt", "elementwise", ""},
    {"reciprocal", "elementwise", "rsqrt"},
    {"exp", "elementwise", ""},
    {"log", "elementwise", ""},
    {"erf", "elementwise", ""},
    {"neg", "elementwise", ""},
    {"abs", "elementwise", ""},
    {"where", "elementwise", "maskedfill"},
    {"equal", "elementwise", "eq"},
    {"reducemean", "reduction", "mean"},
    {"reducesum", "reduction", "sum"},
    {"reducemax", "reduction", "amax"},
    {"reduceprod", "reduction", "prod"},
    {"argmax", "", ""},
    {"topk", "", ""},
    {"concat", "", "cat concatenate concatv qlinearconcat"},
    {"transpose", "", "permute numpyt t swapaxes movedim"},
    {"gather", "", "embedding embeddinglookup resourcegather indexselect select take sparsegather gatherv"},
    {"slice", "", "stridedslice narrow"},
    {"split", "", "chunk splitwithsizes splitv slicechannel unbind"},
    {"spacetodepth", "", ""},
    {"pad", "", "constantpadnd zeropadding zeropad reflectionpad replicationpad constantpad padv"},
    {"expand", "", "broadcastto expandas"},
    {"resize", "",
     "upsample upsamplenearest upsamplebilinear interpolate resizenearestneighbor resizebilinear upsampling"},
    {"cast", "", "todtype"},
    {"quantizelinear", "", "quantize quantizepertensor"},
    {"dequantizelinear", "", "dequantize"},
    {"reshape", "light",
     "flatten view squeeze unsqueeze identity dropout alphadropout shape constant contiguous unsafeview "
     "stochasticdepth expanddims alias detach to constantofshape readvariableop droppath featuredropout"},
    {"activation", "activation", "cudnnactivationforward eltwise elementwiseforward"},
    {"pooling", "pooling", "cudnnpoolingforward adaptivepooling poolingforward"},
    {"elementwise", "elementwise", "cudnnoptensor binary"},
    {"reduction", "reduction", "cudnnreducetensor reduce"},
    // What models have no node for.
    {"", "",
     "cudnnaddtensor biasadd reorder reorderinput reorderoutput cudnntransformtensor memcpyfromhost memcpytohost"},
};

constexpr std::string_view kGeneral[] = {"activation", "pooling", "elementwise", "reduction"};

std::string_view next_word(std::string_view* words) {
  const size_t begin = words->find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    *words = {};
    return {};
  }
  const size_t end = words->find(' ', begin);
  const std::string_view word = words->substr(begin, end == std::string_view::npos ? end : end - begin);
  words->remove_prefix(end == std::string_view::npos ? words->size() : end);
  return word;
}

std::unordered_map<std::string_view, const FamilyRow*> rows_by_type() {
  std::unordered_map<std::string_view, const FamilyRow*> rows;
  for (const FamilyRow& row : kFamilies) {
    if (!row.family.empty()) rows.emplace(row.family, &row);
    std::string_view words = row.types;
    for (std::string_view word = next_word(&words); !word.empty(); word = next_word(&words)) rows.emplace(word, &row);
  }
  return rows;
}

/// Names of types that no table has must outlive what refers to them.
std::string_view kept(const std::string& type) {
  static std::unordered_set<std::string> names;
  return *names.insert(type).first;
}

bool has_dimensions_suffix(std::string_view type) {
  return type.size() > 2 && type.back() == 'd' && std::isdigit(static_cast<unsigned char>(type[type.size() - 2])) != 0;
}

bool has_version_suffix(std::string_view type) {
  return type.size() > 2 && std::isdigit(static_cast<unsigned char>(type.back())) != 0 && type[type.size() - 2] == 'v';
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  for (std::string_view next = next_word(&words); !next.empty(); next = next_word(&words)) {
    if (next == word) return true;
  }
  return false;
}

std::string plain_type(std::string_view type) {
  // Namespaces and domains: "aten::add_", "com.microsoft.FusedConv".
  if (const size_t colon = type.rfind("::"); colon != std::string_view::npos) type.remove_prefix(colon + 2);
  // Instances of compilers: "convolution.5".
  if (const size_t dot = type.rfind('.'); dot != std::string_view::npos && dot + 1 < type.size()) {
    const bool is_number = std::isdigit(static_cast<unsigned char>(type[dot + 1])) != 0;
    type = is_number ? type.substr(0, dot) : type.substr(dot + 1);
  }
  std::string plain;
  for (const char c : type) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const std::string_view prefix : {"mklnative", "mkldnn", "mkl", "itex", "onednn"}) {
    if (plain.starts_with(prefix) && plain.size() > prefix.size()) {
      plain.erase(0, prefix.size());
      break;
    }
  }
  if (has_version_suffix(plain)) plain.resize(plain.size() - 2);
  if (has_dimensions_suffix(plain)) plain.resize(plain.size() - 2);
  const bool is_product_of_blas = plain.find("gemm") != std::string::npos &&
                                  (plain.starts_with("cublas") || plain.starts_with("cblas") || plain.size() == 5);
  if (is_product_of_blas || plain == "cublasltmatmul") return "blasgemm";
  return plain;
}

OperatorFamily family_of(std::string_view type) {
  static const auto rows = rows_by_type();
  const std::string plain = plain_type(type);
  const auto found = rows.find(plain);
  if (found == rows.end()) {
    const std::string_view name = kept(plain);
    return {name, name};
  }
  const FamilyRow& row = *found->second;
  bool is_general = false;
  for (const std::string_view general : kGeneral) is_general |= row.family == general;
  return {row.family, row.general.empty() ? row.family : row.general, is_general};
}

bool is_heavy(std::string_view family) { return has_word("conv deconv matmul lstm gru rnn attention", family); }

bool is_light(std::string_view family) { return family.empty() || family == "reshape"; }

}  // namespace xsp::bound
