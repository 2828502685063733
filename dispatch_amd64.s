//go:build !purego

#include "textflag.h"

// func scanPlainKernel(p *byte, n int, o *offsets) bool
TEXT ·scanPlainKernel(SB), NOSPLIT, $0-25
	CMPB ·useAVX512(SB), $0
	JEQ  avx2
	JMP  ·scanPlainAVX512(SB)

avx2:
	JMP ·scanPlainAVX2(SB)
