/* Requests to callgrind, for programs that cannot make them (Python, by ctypes): they are instructions that only
 * valgrind knows. */
#include <valgrind/callgrind.h>

/* From here on instructions are counted; valgrind is faster while they are not (--instr-atstart=no). */
void xsp_start_counting(void) {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

/* Writes what every thread has counted since the last dump to files of its own, and begins at zero. */
void xsp_dump_counts(void) { CALLGRIND_DUMP_STATS; }
