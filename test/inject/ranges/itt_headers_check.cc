// Compiled by headers_test.py against Intel's header: what inject/ranges/itt_abi.h says is what it says. The
// collector's side (Global, Function) is in no public header; e2e tests of PyTorch try that.
#include <ittnotify.h>

#include <cstddef>
#include <type_traits>

#include "inject/ranges/itt_abi.h"

namespace abi = xsp::guest::itt;

static_assert(sizeof(abi::Domain) == sizeof(__itt_domain));
static_assert(offsetof(abi::Domain, flags) == offsetof(__itt_domain, flags));
static_assert(offsetof(abi::Domain, name) == offsetof(__itt_domain, nameA));
static_assert(offsetof(abi::Domain, extra2) == offsetof(__itt_domain, extra2));
static_assert(offsetof(abi::Domain, next) == offsetof(__itt_domain, next));
static_assert(sizeof(abi::StringHandle) == sizeof(__itt_string_handle));
static_assert(offsetof(abi::StringHandle, text) == offsetof(__itt_string_handle, strA));
static_assert(offsetof(abi::StringHandle, extra1) == offsetof(__itt_string_handle, extra1));
static_assert(sizeof(abi::Id) == sizeof(__itt_id));

using TaskBegin = void(const __itt_domain*, __itt_id, __itt_id, __itt_string_handle*);
using TaskBeginFunction = void(const __itt_domain*, __itt_id, __itt_id, void*);
using TaskEnd = void(const __itt_domain*);
using MetadataAdd = void(const __itt_domain*, __itt_id, __itt_string_handle*, const char*, size_t);
using FormattedMetadataAdd = void(const __itt_domain*, __itt_string_handle*, ...);
static_assert(std::is_same_v<decltype((__itt_task_begin)), TaskBegin&>);
static_assert(std::is_same_v<decltype((__itt_task_begin_fn)), TaskBeginFunction&>);
static_assert(std::is_same_v<decltype((__itt_task_end)), TaskEnd&>);
static_assert(std::is_same_v<decltype((__itt_metadata_str_add)), MetadataAdd&>);
static_assert(std::is_same_v<decltype((__itt_formatted_metadata_add)), FormattedMetadataAdd&>);
