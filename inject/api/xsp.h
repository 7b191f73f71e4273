#ifndef XSP_H
#define XSP_H

/**
 * Marks spans of your own code in an XSP trace. Nothing needs this; outside xsp-run every call does nothing.
 *
 *     static xsp_name predict;
 *     if (predict == 0) predict = xsp_intern("predict");
 *     xsp_span span = xsp_start_span(predict, XSP_MODEL);
 *     xsp_tag_span(span, "batch", "32");
 *     ...
 *     xsp_finish_span(span);
 *
 * Build with `pkg-config --cflags --libs xsp`. All functions may be called from any thread, also after fork(); none
 * sets errno, blocks, or fails. A span may be finished by another thread than the one that started it.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Levels of the stack, outermost first. */
enum xsp_level { XSP_APPLICATION = 1, XSP_MODEL = 2, XSP_LAYER = 3, XSP_LIBRARY = 4, XSP_RUNTIME = 5, XSP_DEVICE = 6 };

/** A name made known once; 0: none. Stays valid in forked children. */
typedef uint32_t xsp_name;

/** A span in progress; 0: none. Not valid in forked children. */
typedef uint64_t xsp_span;

/** The id of a name; the same for the same bytes. At most 256 KiB are kept. 0 if nothing is recorded. */
xsp_name xsp_intern(const char* name);

/** Starts a span inside the innermost one that this thread has open. 0 if it is not recorded, as a level below --level
 * is. */
xsp_span xsp_start_span(xsp_name name, enum xsp_level level);

/** Ends a span. Spans started inside and still open stay open. A span that is 0 or already finished is ignored. One
 * that a jump (longjmp, an exception) leaves without its end stays open too. Where model calls are sampled, one of
 * XSP_MODEL that is not sampled keeps its thread from recording until it ends, or a span around it does. */
void xsp_finish_span(xsp_span span);

/** Attaches a key and value to a span that is not yet finished. */
void xsp_tag_span(xsp_span span, const char* key, const char* value);

#ifdef __cplusplus
}
#endif

#endif
