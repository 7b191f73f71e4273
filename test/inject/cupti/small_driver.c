/* A libcuda for unit tests: one device, and nothing that runs. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#define XSP_TEST_EXPORT __attribute__((visibility("default")))

static int setting(const char* name, int otherwise) {
  const char* value = getenv(name);
  return value == NULL ? otherwise : atoi(value);
}

XSP_TEST_EXPORT int cuDriverGetVersion(int* version) {
  *version = setting("SMALL_DRIVER_VERSION", 13000);
  return 0;
}
XSP_TEST_EXPORT int cuDeviceGetCount(int* count) {
  *count = 1;
  return setting("SMALL_DRIVER_RESULT", 0);
}
XSP_TEST_EXPORT int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal + 40;
  return ordinal == 0 ? 0 : 101;
}
XSP_TEST_EXPORT int cuDeviceGetName(char* name, int length, int device) {
  if (device != 40) return 101;
  strncpy(name, "Small GPU", (size_t)length);
  return 0;
}
XSP_TEST_EXPORT int cuDeviceGetUuid_v2(char* uuid, int device) {
  memset(uuid, 0x5a, 16);
  return device == 40 ? 0 : 101;
}
XSP_TEST_EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = (size_t)80 << 30;
  return device == 40 ? 0 : 101;
}
/* The attribute's own number. */
XSP_TEST_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute;
  return device == 40 ? 0 : 101;
}
