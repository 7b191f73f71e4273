/* A libcuda.so.1 without a device that takes any code and runs none: what cuDNN's engines that are compiled at run time
 * look up before they are plans. */

static long some_object[8];

#define TAKES(name) \
  int name(void) { return 0; }
#define GIVES(name)         \
  int name(void** object) { \
    *object = some_object;  \
    return 0;               \
  }
enum { kNoDevice = 100 };

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 0;
  return 0;
}
int cuDeviceGet(void) { return kNoDevice; }
int cuKernelGetAttribute(int* value) {
  *value = 1;
  return 0;
}
int cuOccupancyMaxPotentialClusterSize(int* size) {
  *size = 1;
  return 0;
}
int cuGetErrorName(int error, const char** text) {
  *text = error == kNoDevice ? "CUDA_ERROR_NO_DEVICE" : "?";
  return 0;
}
int cuGetErrorString(int error, const char** text) { return cuGetErrorName(error, text); }

GIVES(cuLibraryLoadData)
GIVES(cuLibraryLoadFromFile)
GIVES(cuLibraryGetKernel)
GIVES(cuKernelGetFunction)
GIVES(cuCtxGetCurrent)
GIVES(cuCtxPopCurrent)

TAKES(cuCtxGetLimit)
TAKES(cuCtxPushCurrent)
TAKES(cuKernelSetAttribute)
TAKES(cuLaunchCooperativeKernel)
TAKES(cuLaunchKernel)
TAKES(cuLaunchKernelEx)
TAKES(cuLibraryUnload)
TAKES(cuLinkAddData)
TAKES(cuLinkComplete)
TAKES(cuLinkCreate)
TAKES(cuLinkDestroy)
TAKES(cuStreamGetCtx)
