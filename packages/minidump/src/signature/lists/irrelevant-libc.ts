// Irrelevant frames: the C libraries of Linux and Android, and how they stop a program.
import type { Pattern } from './pattern-list.ts';

export const libcIrrelevant: readonly Pattern[] = [
  { match: /abort/, why: 'libc abort' },
  { match: /(?:g?signal_)?raise|gsignal/, why: 'libc raises a signal' },
  { match: /t?g?kill|syscall|__kernel_vsyscall/, why: 'libc sends a signal' },
  { match: /_exit|exit|quick_exit|_Exit|__run_exit_handlers|__cxa_finalize/, why: 'libc ends the process' },
  { match: /__assert(?:_fail(?:_base)?|_perror_fail|_rtn|2)?/, why: 'a failed assert()' },
  { match: /__(?:stack_chk_fail(?:_local)?|fortify_fail(?:_abort)?|chk_fail)/, why: 'a fortify check of libc failed' },
  { match: /__(?:[a-z]+_chk|fortify_fatal|fdelt_warn)/, why: 'a call with a fortify check' },
  { match: /__libc_(?:message(?:_impl)?|fatal)|malloc_printerr/, why: 'libc says why it aborts' },
  {
    match: /async_safe_fatal(?:_va_list|_no_abort)?|__android_log_assert|android_set_abort_message/,
    why: 'Android aborts',
  },
  {
    match: /__restore(?:_rt)?|__default(?:_sa|_rt_sa)_restorer(?:_v\d)?|__kernel_(?:rt_)?sigreturn(?:_v\d)?/,
    why: 'return from a signal handler',
  },
  { match: /<signal handler called>|_sigtramp|sigaction|__sigaction/, why: 'entry of a signal handler' },
  { match: /linux-(?:gate|vdso)\.so(?:\.\d+)?|\[vdso\]/, why: 'code of the kernel' },
  {
    match: /_init|_fini|frame_dummy|deregister_tm_clones|register_tm_clones|__do_global_dtors_aux/,
    why: 'the nearest symbol of stripped code',
  },
  { match: /<\.(?:i?plt|init|fini)[\w.]* ELF section in .*>/, why: 'code that the linker made' },
  {
    match: /_start|__libc_start_main(?:_impl)?|__libc_start_call_main|__libc_init(?:_first)?/,
    why: 'start of the program',
  },
  { match: /_dl_(?:runtime_resolve\w*|fixup|call_init|init|catch_\w+)|call_init/, why: 'the dynamic loader' },
  { match: /__aeabi_\w+|__(?:u?div|u?mod)[sdt]i[34]|__fixunsdfsi/, why: 'arithmetic of the compiler' },
  {
    match:
      /_int_(?:malloc|free(?:_\w+)?|realloc|memalign)|malloc_consolidate|unlink_chunk|sysmalloc|systrim|tcache_\w+/,
    why: 'inside of the allocator of glibc',
  },
  {
    match:
      /je_\w+|(?:arena|extent|tcache|huge)_(?:malloc|dalloc|ralloc|palloc|alloc|bin|run|chunk|slab|decay|purge)\w*/,
    why: 'inside of jemalloc',
  },
  {
    match: /scudo::.*|_?mi_(?:malloc|free|calloc|realloc|new|heap|page|segment|arena)\w*/,
    why: 'inside of an allocator',
  },
  { match: /tcmalloc::.*|\(anonymous namespace\)::(?:do_malloc|do_free\w*|cpp_alloc)/, why: 'inside of tcmalloc' },
];
