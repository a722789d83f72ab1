    .globl eight
    .type eight, %function
eight:
    movl $8, %eax
    ret
    .section .note.GNU-stack,"",%progbits
