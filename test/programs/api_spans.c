/* Marks its own work through xsp.h: 10 predictions of 3 steps each, a tag on every prediction. With -DLARGE_TLS its
 * thread-local storage, which the loader takes out of every thread's stack, would fill a small one. */
#include <stdio.h>
#include <xsp.h>

static volatile double sink;
#ifdef LARGE_TLS
_Thread_local volatile char large[112 * 1024];
#endif

static void work(int n) {
  for (int i = 0; i < n; ++i) sink += i * 0.5;
}

int main(void) {
  static const char* const kSteps[] = {"tokenize", "forward", "decode"};
  const xsp_name predict = xsp_intern("predict");
  char text[16];
#ifdef LARGE_TLS
  large[0] = 1;
#endif
  for (int i = 0; i < 10; ++i) {
    const xsp_span prediction = xsp_start_span(predict, XSP_MODEL);
    snprintf(text, sizeof text, "%d", i);
    xsp_tag_span(prediction, "request", text);
    for (int step = 0; step < 3; ++step) {
      const xsp_span span = xsp_start_span(xsp_intern(kSteps[step]), XSP_LAYER);
      work(1000);
      xsp_finish_span(span);
    }
    xsp_finish_span(prediction);
  }
  puts("10 predictions");
  return 0;
}
