/* The part of NVTX that a program carries, by its ABI alone, for machines without NVIDIA's headers: finds the
 * injection through NVTX_INJECTION64_PATH at the first call, as the real one does. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

typedef void (*function_t)(void);
typedef uint64_t nvtxRangeId_t;
typedef struct domain* nvtxDomainHandle_t;
typedef struct string* nvtxStringHandle_t;

enum { NVTX_VERSION = 3, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2, NVTX_MESSAGE_TYPE_REGISTERED = 3 };

typedef struct {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
  } payload;
  int32_t messageType;
  union {
    const char* ascii;
    const wchar_t* unicode;
    nvtxStringHandle_t registered;
  } message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

static function_t core[16], core2[16];
static function_t *core_table[17], *core2_table[17];

static int module_functions(int module, function_t*** table, unsigned* entries) {
  for (int i = 1; i < 16; ++i) {
    core_table[i] = &core[i];
    core2_table[i] = &core2[i];
  }
  *table = module == 1 ? core_table : core2_table;
  *entries = 16;
  return module == 1 || module == 5;
}

static struct {
  size_t struct_size;
  int (*get)(int, function_t***, unsigned*);
} callbacks = {sizeof callbacks, module_functions};

static const void* export_table(uint32_t table) { return table == 1 ? &callbacks : NULL; }

static void look_up(void) {
  const char* path = getenv("NVTX_INJECTION64_PATH");
  void* library = path == NULL ? NULL : dlopen(path, RTLD_LAZY);
  if (library == NULL) return;
  int (*attach)(const void* (*)(uint32_t)) =
      (int (*)(const void* (*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2");
  if (attach == NULL || attach(export_table) == 0) dlclose(library);
}

static function_t find(function_t* functions, int id) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look_up);
  return functions[id];
}

#define CALL(functions, id, result, otherwise, types, ...) \
  function_t function = find(functions, id);               \
  return function == NULL ? otherwise : ((result(*) types)function)(__VA_ARGS__)
#define CALL_VOID(functions, id, types, ...) \
  function_t function = find(functions, id); \
  if (function != NULL) ((void(*) types)function)(__VA_ARGS__)

static void nvtxMarkA(const char* text) { CALL_VOID(core, 2, (const char*), text); }
static nvtxRangeId_t nvtxRangeStartA(const char* text) { CALL(core, 5, nvtxRangeId_t, 0, (const char*), text); }
static void nvtxRangeEnd(nvtxRangeId_t id) { CALL_VOID(core, 7, (nvtxRangeId_t), id); }
static int nvtxRangePushA(const char* text) { CALL(core, 9, int, -2, (const char*), text); }
static int nvtxRangePop(void) { CALL(core, 11, int, -2, (void)); }
static int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  CALL(core2, 4, int, -2, (nvtxDomainHandle_t, const nvtxEventAttributes_t*), domain, event);
}
static int nvtxDomainRangePop(nvtxDomainHandle_t domain) { CALL(core2, 5, int, -2, (nvtxDomainHandle_t), domain); }
static nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* text) {
  CALL(core2, 10, nvtxStringHandle_t, NULL, (nvtxDomainHandle_t, const char*), domain, text);
}
static nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  CALL(core2, 12, nvtxDomainHandle_t, NULL, (const char*), name);
}
