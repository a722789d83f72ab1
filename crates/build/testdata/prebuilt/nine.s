    .globl nine
    .type nine, %function
nine:
    movl $9, %eax
    ret
    .section .note.GNU-stack,"",%progbits
