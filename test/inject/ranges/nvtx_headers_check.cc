// Compiled by headers_test.py against NVIDIA's headers: what inject/ranges/nvtx_abi.h says is what they say.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <type_traits>

#include "inject/ranges/nvtx_abi.h"

namespace abi = xsp::guest::nvtx;

template <typename Ours, typename Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
  return static_cast<long long>(ours) == static_cast<long long>(theirs);
}

static_assert(same(abi::CoreFunction::kMarkEx, NVTX_CBID_CORE_MarkEx));
static_assert(same(abi::CoreFunction::kMarkA, NVTX_CBID_CORE_MarkA));
static_assert(same(abi::CoreFunction::kMarkW, NVTX_CBID_CORE_MarkW));
static_assert(same(abi::CoreFunction::kRangeStartEx, NVTX_CBID_CORE_RangeStartEx));
static_assert(same(abi::CoreFunction::kRangeStartA, NVTX_CBID_CORE_RangeStartA));
static_assert(same(abi::CoreFunction::kRangeStartW, NVTX_CBID_CORE_RangeStartW));
static_assert(same(abi::CoreFunction::kRangeEnd, NVTX_CBID_CORE_RangeEnd));
static_assert(same(abi::CoreFunction::kRangePushEx, NVTX_CBID_CORE_RangePushEx));
static_assert(same(abi::CoreFunction::kRangePushA, NVTX_CBID_CORE_RangePushA));
static_assert(same(abi::CoreFunction::kRangePushW, NVTX_CBID_CORE_RangePushW));
static_assert(same(abi::CoreFunction::kRangePop, NVTX_CBID_CORE_RangePop));

static_assert(same(abi::Core2Function::kDomainMarkEx, NVTX_CBID_CORE2_DomainMarkEx));
static_assert(same(abi::Core2Function::kDomainRangeStartEx, NVTX_CBID_CORE2_DomainRangeStartEx));
static_assert(same(abi::Core2Function::kDomainRangeEnd, NVTX_CBID_CORE2_DomainRangeEnd));
static_assert(same(abi::Core2Function::kDomainRangePushEx, NVTX_CBID_CORE2_DomainRangePushEx));
static_assert(same(abi::Core2Function::kDomainRangePop, NVTX_CBID_CORE2_DomainRangePop));
static_assert(same(abi::Core2Function::kDomainResourceCreate, NVTX_CBID_CORE2_DomainResourceCreate));
static_assert(same(abi::Core2Function::kDomainResourceDestroy, NVTX_CBID_CORE2_DomainResourceDestroy));
static_assert(same(abi::Core2Function::kDomainNameCategoryA, NVTX_CBID_CORE2_DomainNameCategoryA));
static_assert(same(abi::Core2Function::kDomainNameCategoryW, NVTX_CBID_CORE2_DomainNameCategoryW));
static_assert(same(abi::Core2Function::kDomainRegisterStringA, NVTX_CBID_CORE2_DomainRegisterStringA));
static_assert(same(abi::Core2Function::kDomainRegisterStringW, NVTX_CBID_CORE2_DomainRegisterStringW));
static_assert(same(abi::Core2Function::kDomainCreateA, NVTX_CBID_CORE2_DomainCreateA));
static_assert(same(abi::Core2Function::kDomainCreateW, NVTX_CBID_CORE2_DomainCreateW));
static_assert(same(abi::Core2Function::kDomainDestroy, NVTX_CBID_CORE2_DomainDestroy));
static_assert(same(abi::Core2Function::kInitialize, NVTX_CBID_CORE2_Initialize));

static_assert(same(abi::Module::kCore, NVTX_CB_MODULE_CORE));
static_assert(same(abi::Module::kCore2, NVTX_CB_MODULE_CORE2));
static_assert(same(abi::kCallbacksTable, NVTX_ETID_CALLBACKS));
static_assert(same(abi::kVersionTable, NVTX_ETID_VERSIONINFO));
static_assert(same(abi::kNotTracked, NVTX_NO_PUSH_POP_TRACKING));
static_assert(same(abi::kInjectionVersion, NVTX_VERSION));

static_assert(sizeof(abi::Callbacks) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(abi::Callbacks, get_module_functions) ==
              offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));
static_assert(sizeof(abi::Version) == sizeof(NvtxExportTableVersionInfo));
static_assert(offsetof(abi::Version, set_injection_version) ==
              offsetof(NvtxExportTableVersionInfo, SetInjectionNvtxVersion));
static_assert(std::is_same_v<abi::FunctionTable, NvtxFunctionTable>);
static_assert(std::is_same_v<abi::GetExportTable, NvtxGetExportTableFunc_t>);

static_assert(sizeof(abi::EventAttributes) == sizeof(nvtxEventAttributes_t));
static_assert(offsetof(abi::EventAttributes, version) == offsetof(nvtxEventAttributes_t, version));
static_assert(offsetof(abi::EventAttributes, size) == offsetof(nvtxEventAttributes_t, size));
static_assert(offsetof(abi::EventAttributes, payload) == offsetof(nvtxEventAttributes_t, payload));
static_assert(offsetof(abi::EventAttributes, message_type) == offsetof(nvtxEventAttributes_t, messageType));
static_assert(offsetof(abi::EventAttributes, message) == offsetof(nvtxEventAttributes_t, message));
static_assert(same(abi::MessageType::kNone, NVTX_MESSAGE_UNKNOWN));
static_assert(same(abi::MessageType::kAscii, NVTX_MESSAGE_TYPE_ASCII));
static_assert(same(abi::MessageType::kUnicode, NVTX_MESSAGE_TYPE_UNICODE));
static_assert(same(abi::MessageType::kRegistered, NVTX_MESSAGE_TYPE_REGISTERED));
static_assert(std::is_same_v<nvtxRangeId_t, uint64_t>);
