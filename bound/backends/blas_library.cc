#include "bound/backends/blas_library.h"

#include <dlfcn.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace xsp::bound {
namespace {

/// The names that builds of OpenBLAS give their functions.
constexpr struct {
  const char* prefix;
  const char* suffix;
} kOpenblasNames[] = {{"", ""}, {"", "64_"}, {"scipy_", ""}, {"scipy_", "64_"}};

/// "0.3.21" of "OpenBLAS 0.3.21 DYNAMIC_ARCH …", "2024.2" of "… Version 2024.2-Product Build …": the first number
/// behind `word`, with what belongs to it ("0.3.23.dev").
std::string version_behind(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return "";
  size_t begin = at + word.size();
  while (begin < text.size() && isdigit(static_cast<unsigned char>(text[begin])) == 0) ++begin;
  size_t end = begin;
  while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) ++end;
  return std::string(text.substr(begin, end - begin));
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

/// MKL's dispatching library takes Intel's OpenMP, and ends the process where that is not there. PyPI's has it in
/// another package. Before any other call.
void choose_threading(const SharedLibrary& file) {
  const auto set_layer = file.function<int (*)(int)>("MKL_Set_Threading_Layer");
  if (set_layer == nullptr || getenv("MKL_THREADING_LAYER") != nullptr) return;
  if (dlopen("libiomp5.so", RTLD_LAZY | RTLD_LOCAL) != nullptr) return;
  constexpr int kSequential = 1;
  constexpr int kGnu = 3;
  set_layer(dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr ? kGnu : kSequential);
}

}  // namespace

Status BlasLibrary::open(const std::string& path, BlasLibrary* library, bool* is_known) {
  *is_known = false;
  // Bound at once: a symbol that is missing should be an error here, not an abort in a call.
  if (Status status = SharedLibrary::open(path, true, &library->file_); !status.ok()) return status;
  const SharedLibrary& file = library->file_;
  Library& facts = library->facts_;
  facts.backend = "blas";
  facts.path = file.path();
  for (const auto& names : kOpenblasNames) {
    const std::string name = std::string(names.prefix) + "openblas_get_config" + names.suffix;
    const auto config = file.function<const char* (*)()>(name);
    if (config == nullptr) continue;
    library->prefix_ = names.prefix;
    library->suffix_ = names.suffix;
    facts.name = "openblas";
    facts.build = trimmed(config());
    facts.version = version_behind(facts.build, "OpenBLAS");
    library->has_wide_integers_ = facts.build.find("USE64BITINT") != std::string::npos || *names.suffix != '\0';
  }
  const auto mkl_version = file.function<void (*)(char*, int)>("MKL_Get_Version_String");
  const auto blis_version = file.function<const char* (*)()>("bli_info_get_version_str");
  if (facts.name.empty() && mkl_version != nullptr) {
    choose_threading(file);
    char text[256] = "";
    mkl_version(text, sizeof text - 1);
    facts.name = "mkl";
    facts.build = trimmed(text);
    facts.version = version_behind(facts.build, "Version");
  } else if (facts.name.empty() && blis_version != nullptr) {
    facts.name = "blis";
    facts.version = blis_version();
  }
  library->single_ = library->functions('s');
  library->double_ = library->functions('d');
  if (facts.name.empty() || library->single_.gemm == nullptr) return {};
  if (facts.version.empty()) return {path + ": does not say which version it is", ""};
  *is_known = true;
  return {};
}

BlasFunctions BlasLibrary::functions(char letter) const {
  const auto fortran = [&](const char* name) { return prefix_ + letter + name + "_" + suffix_; };
  BlasFunctions functions;
  functions.gemm = file_.function<BlasFunctions::Gemm>(fortran("gemm"));
  functions.gemv = file_.function<BlasFunctions::Gemv>(fortran("gemv"));
  functions.gemm_batch = file_.function<BlasFunctions::GemmBatch>(prefix_ + "cblas_" + letter + "gemm_batch" + suffix_);
  return functions;
}

bool BlasLibrary::can_batch(int64_t m, int64_t n, int64_t k) const {
  // OpenBLAS that chooses its kernels at run time jumps to none for small matrices, and the process ends:
  // https://github.com/OpenMathLib/OpenBLAS/pull/5980. It takes so much for small.
  constexpr double kSmall = 100.0 * 100.0 * 100.0;
  const bool chooses = facts_.name == "openblas" && facts_.build.find("DYNAMIC_ARCH") != std::string::npos;
  return !chooses || static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > kSmall;
}

void BlasLibrary::set_threads(int threads) const {
  // MKL inside PyTorch has no MKL_Set_Num_Threads but the function behind it; builds on OpenMP follow that, too.
  for (const std::string& name : {prefix_ + "openblas_set_num_threads" + suffix_, std::string("MKL_Set_Num_Threads"),
                                  std::string("mkl_serv_set_num_threads"), std::string("omp_set_num_threads"),
                                  std::string("bli_thread_set_num_threads")}) {
    // The last one takes a 64-bit number, of which the register of an int is the lower half.
    if (const auto set = file_.function<void (*)(int64_t)>(name)) set(threads);
  }
}

}  // namespace xsp::bound
