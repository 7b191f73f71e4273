/* Ranges of NVTX as programs use and misuse them. NVTX_HEADER is NVIDIA's header or nvtx_by_abi.h. */
#include NVTX_HEADER

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nvtxDomainHandle_t domain;
static nvtxRangeId_t handed_over;

static void push(nvtxDomainHandle_t to, int type, const void* message) {
  nvtxEventAttributes_t event;
  memset(&event, 0, sizeof event);
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = type;
  event.message.ascii = (const char*)message;
  nvtxDomainRangePushEx(to, &event);
}

static void* other_thread(void* unused) {
  nvtxRangePushA("other thread");
  nvtxRangeEnd(handed_over);
  nvtxRangePop();
  nvtxRangePop();
  return unused;
}

int main(void) {
  domain = nvtxDomainCreateA("D");
  nvtxRangePushA("outer");
  nvtxRangePushA("inner");
  nvtxMarkA("mark");
  push(domain, NVTX_MESSAGE_TYPE_UNICODE, L"in D");
  nvtxRangePop();
  nvtxRangePop();
  nvtxDomainRangePop(domain);
  for (int i = 0; i < 5; ++i) nvtxRangePop();

  handed_over = nvtxRangeStartA("handed over");
  pthread_t thread;
  pthread_create(&thread, NULL, other_thread, NULL);
  pthread_join(thread, NULL);

  push(domain, NVTX_MESSAGE_TYPE_REGISTERED, nvtxDomainRegisterStringA(domain, "registered"));
  nvtxDomainRangePop(domain);

  enum { kHuge = 10000000 };
  char* huge = malloc(kHuge + 1);
  memset(huge, 'x', kHuge);
  huge[kHuge] = '\0';
  nvtxRangePushA(huge);
  nvtxRangePop();
  nvtxRangePushA("\xff\xfe not UTF-8 \xc3");
  nvtxRangePop();
  nvtxRangePushA("\x1b[31mred\r\n\x01");
  nvtxRangePop();
  push(NULL, NVTX_MESSAGE_TYPE_ASCII, NULL);
  nvtxRangePop();
  nvtxRangePushA("never popped");
  free(huge);
  puts("done");
  return 0;
}
