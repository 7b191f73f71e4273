// The exported dlsym and dlvsym (dynamic_lookup.h). Only the registers of their own arguments are kept over the call of
// the route: neither function has others, and the next one may overwrite the rest just as well.
#if defined(__x86_64__)
  .text

  .globl dlsym
  .type dlsym, @function
  .p2align 4
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rdx
  call xsp_route_dlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  jne 1f
  jmp *%rdx
1:
  movq %rdx, %rax
  ret
  .cfi_endproc
  .size dlsym, . - dlsym

  .globl dlvsym
  .type dlvsym, @function
  .p2align 4
dlvsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rcx
  call xsp_route_dlvsym
  movq %rdx, %r11
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testq %rax, %rax
  jne 1f
  jmp *%r11
1:
  movq %r11, %rax
  ret
  .cfi_endproc
  .size dlvsym, . - dlvsym
#endif
  .section .note.GNU-stack, "", @progbits
