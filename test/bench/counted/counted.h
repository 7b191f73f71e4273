#ifndef XSP_BENCH_COUNTED_H
#define XSP_BENCH_COUNTED_H

/* What callgrind counts (instruction_counts.py): the instructions inside xsp_counted, one dump per call. A program
 * calls it three times, for a warm-up, for n and for 2 n operations: one-time setup cancels out in the difference of
 * the last two. */

#ifdef __cplusplus
extern "C" {
#endif

/* Calls work(operations). */
void xsp_counted(void (*work)(long operations), long operations);

/* The three calls, with rests in between so that a sender can empty its ring. */
void xsp_count_thrice(void (*work)(long operations), long operations);

#ifdef __cplusplus
}
#endif

#endif
