"""Stamps of the clock of every multiprocessor."""
import triton
import triton.language as tl


@triton.jit
def stamp_kernel(out):
    pid = tl.program_id(0)
    sm = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=tl.int32,
                                   is_pure=False, pack=1)
    cycles = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64,
                                       is_pure=False, pack=1)
    ns = tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64,
                                   is_pure=False, pack=1)
    tl.store(out + pid * 3, sm.to(tl.int64))
    tl.store(out + pid * 3 + 1, cycles)
    tl.store(out + pid * 3 + 2, ns)
