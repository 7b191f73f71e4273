#ifndef XSP_INJECT_LIBRARY_STUB_H
#define XSP_INJECT_LIBRARY_STUB_H

/* The exported entry of a wrapper. It has no frame and touches no argument: when nothing is recorded it jumps to the
 * real function of this caller, else to record_NAME, which finds the arguments and the return address as they came.
 * In C, a tail call with arguments on the stack loads and stores each of them. Offsets: struct xsp_binding. */

#include <stddef.h>

#include "inject/interpose/binding.h"

#if defined(__x86_64__)
_Static_assert(offsetof(struct xsp_binding, low) == 0 && offsetof(struct xsp_binding, size) == 8 &&
                   offsetof(struct xsp_binding, real) == 16,
               "XSP_STUB reads them");

#define XSP_STUB_TEXT(text) #text
#define XSP_STUB_NUMBER(number) XSP_STUB_TEXT(number)
#define XSP_STUB(name, index, threshold) \
  __asm__(".pushsection .text\n"                                             \
          ".p2align 4\n"                                                     \
          ".globl " #name "\n"                                               \
          ".type " #name ", @function\n"                                     \
          ".globl xsp_wrapper_" #name "\n"                                   \
          ".hidden xsp_wrapper_" #name "\n"                                  \
          "xsp_wrapper_" #name ":\n" #name ":\n"                             \
          "  .cfi_startproc\n"                                               \
          "  endbr64\n"                                                      \
          "  cmpb $(" XSP_STUB_NUMBER(threshold) "), xsp_library_state(%rip)\n" \
          "  jae record_" #name "\n"                                         \
          "  mov xsp_bindings + 8 * " #index "(%rip), %rax\n"                \
          "  test %rax, %rax\n"                                              \
          "  je record_" #name "\n"                                          \
          "  mov (%rsp), %r11\n"                                             \
          "  sub (%rax), %r11\n"                                             \
          "  cmp 8(%rax), %r11\n"                                            \
          "  jae record_" #name "\n"                                         \
          "  jmp *16(%rax)\n"                                                \
          "  .cfi_endproc\n"                                                 \
          ".size " #name ", . - " #name "\n"                                 \
          ".popsection\n");
#endif

#endif
