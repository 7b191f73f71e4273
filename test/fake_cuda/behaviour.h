#ifndef XSP_TEST_FAKE_CUDA_BEHAVIOUR_H
#define XSP_TEST_FAKE_CUDA_BEHAVIOUR_H

/* What every function of the stand-in libraries does: it writes a line `LIBRARY FUNCTION ARGUMENTS` to the file
 * FAKE_CUDA_LOG, the ground truth for traces; calls the program back, if it exports fake_cuda_callback; and returns the
 * status given by FAKE_CUDA_FAIL=FUNCTION=STATUS, or success. LIBRARY is a macro.
 */

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs inside the call, and may throw, longjmp, block, fork or call the library. */
extern void fake_cuda_callback(const char* function) __attribute__((weak));

__attribute__((unused, format(printf, 2, 3))) static int behave(const char* function, const char* format, ...) {
  const char* log = getenv("FAKE_CUDA_LOG");
  if (log != NULL) {
    char line[1024];
    int length = snprintf(line, sizeof line, "%s %s ", LIBRARY, function);
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, arguments);
    va_end(arguments);
    line[length++] = '\n';
    const int file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || write(file, line, (size_t)length) != length) abort();
    close(file);
  }
  if (fake_cuda_callback) fake_cuda_callback(function);
  const char* fail = getenv("FAKE_CUDA_FAIL");
  const size_t length = strlen(function);
  if (fail != NULL && strncmp(fail, function, length) == 0 && fail[length] == '=') return atoi(fail + length + 1);
  return 0;
}

#endif
