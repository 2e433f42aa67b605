// Irrelevant frames of the Linux and Android C libraries, mostly how they stop a program.
import type { Pattern } from './pattern-list.ts';

export const libcIrrelevant: readonly Pattern[] = [
  { match: /abort/, why: 'libc abort' },
  { match: /(?:g?signal_)?raise|gsignal/, why: 'libc signal' },
  { match: /t?g?kill|syscall|__kernel_vsyscall/, why: 'libc signal' },
  { match: /_exit|exit|quick_exit|_Exit|__run_exit_handlers|__cxa_finalize/, why: 'process exit' },
  { match: /__assert(?:_fail(?:_base)?|_perror_fail|_rtn|2)?/, why: 'failed assert()' },
  { match: /__(?:stack_chk_fail(?:_local)?|fortify_fail(?:_abort)?|chk_fail)/, why: 'failed libc fortify check' },
  { match: /__(?:[a-z]+_chk|fortify_fatal|fdelt_warn)/, why: 'call with a fortify check' },
  { match: /__libc_(?:message(?:_impl)?|fatal)|malloc_printerr/, why: 'libc abort message' },
  {
    match: /async_safe_fatal(?:_va_list|_no_abort)?|__android_log_\w+|android_set_abort_message|__libc_android_abort/,
    why: 'Android abort',
  },
  // Android: system/libbase/logging.cpp, art/runtime/runtime.cc, art/runtime/jni, libutils/CallStack.cpp.
  {
    match:
      /android::(?:base::(?:LogMessage|LogdLogger|DefaultAborter|SetAborter\w*)|CallStack)(?:::.*)?|art::(?:Runtime::Abort|LogMessage::.*|JavaVMExt::JniAbort\w*|JNI<T>::FatalError|\(anonymous namespace\)::ScopedCheck::.*|AbortState::.*)|_JNIEnv::FatalError/,
    why: 'Android abort',
  },
  {
    match: /__restore(?:_rt)?|__default(?:_sa|_rt_sa)_restorer(?:_v\d)?|__kernel_(?:rt_)?sigreturn(?:_v\d)?/,
    why: 'return from a signal handler',
  },
  { match: /<signal handler called>|_sigtramp|sigaction|__sigaction/, why: 'signal handler entry' },
  { match: /linux-(?:gate|vdso)\.so(?:\.\d+)?|\[vdso\]/, why: 'kernel code' },
  {
    match: /_init|_fini|frame_dummy|deregister_tm_clones|register_tm_clones|__do_global_dtors_aux/,
    why: 'nearest symbol in stripped code',
  },
  { match: /<\.(?:i?plt|init|fini)[\w.]* ELF section in .*>/, why: 'linker-generated code' },
  {
    match: /_start|__libc_start_main(?:_impl)?|__libc_start_call_main|__libc_init(?:_first)?/,
    why: 'program startup',
  },
  { match: /_dl_(?:runtime_resolve\w*|fixup|call_init|init|catch_\w+)|call_init/, why: 'dynamic loader' },
  { match: /__aeabi_\w+|__(?:u?div|u?mod)[sdt]i[34]|__fixunsdfsi/, why: 'compiler arithmetic helper' },
  {
    match:
      /_int_(?:malloc|free(?:_\w+)?|realloc|memalign)|malloc_consolidate|unlink_chunk|sysmalloc|systrim|tcache_\w+/,
    why: 'glibc allocator internals',
  },
  {
    match:
      /je_\w+|(?:arena|extent|tcache|huge)_(?:malloc|dalloc|ralloc|palloc|alloc|bin|run|chunk|slab|decay|purge)\w*/,
    why: 'jemalloc internals',
  },
  {
    match: /scudo::.*|_?mi_(?:malloc|free|calloc|realloc|new|heap|page|segment|arena)\w*/,
    why: 'allocator internals',
  },
  { match: /tcmalloc::.*|\(anonymous namespace\)::(?:do_malloc|do_free\w*|cpp_alloc)/, why: 'tcmalloc internals' },
];
