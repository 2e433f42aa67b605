// Irrelevant frames of Rust and Go: how they panic, and how their runtimes call user code.
import type { Pattern } from './pattern-list.ts';

export const rustIrrelevant: readonly Pattern[] = [
  {
    match:
      /rust_(?:begin_unwind|panic|panic_without_hook)|_?_?rust_start_panic|__rust_drop_panic|__rust_foreign_exception/,
    why: 'Rust panic',
  },
  {
    match:
      /(?:std|core)::panicking::.*|std::rt::(?:begin_panic\w*|lang_start\w*)(?:<T>)?(?:::.*)?|panic_(?:abort|unwind)::.*/,
    why: 'Rust panic',
  },
  {
    match: /std::sys(?:_common)?::backtrace::.*|std::backtrace::.*|std::panic::.*|core::panic::.*/,
    why: 'Rust panic output',
  },
  {
    match:
      /(?:core|std)::(?:option|result)::(?:expect|unwrap|expect_none)_failed|alloc::raw_vec::(?:capacity_overflow|handle_error)/,
    why: 'failed Rust unwrap() or expect()',
  },
  {
    match: /core::(?:option::Option|result::Result)<T>::(?:unwrap|expect)\w*/,
    why: 'failed Rust unwrap() or expect()',
  },
  {
    match: /core::(?:slice|str)::(?:index::)?(?:slice_\w+_fail|slice_error_fail)\w*(?:::.*)?/,
    why: 'Rust index out of range',
  },
  {
    match: /<.* as core::slice::index::SliceIndex<T>>::.*|core::slice::index::<impl .*>::.*/,
    why: 'Rust slice indexing',
  },
  { match: /<.* as core::ops::index::Index(?:Mut)?<T>>::index(?:_mut)?/, why: 'Rust collection indexing' },
  {
    match:
      /(?:<.* as )?core::ops::function::Fn(?:Once|Mut)?(?:<T>)?>?::call(?:_once|_mut)?(?:<T>)?(?:\{\{vtable\.shim\}\})?/,
    why: 'Rust closure call',
  },
  {
    match: /core::(?:ptr|mem|intrinsics|sync::atomic|fmt|cell|pin)::.*|compiler_builtins::.*/,
    why: 'Rust core library internals',
  },
  { match: /std::(?:thread|sys)::.*|<?alloc::boxed::Box<T>(?: as .*)?>?::.*/, why: 'Rust threads and boxes' },
  {
    match:
      /(?:alloc::)?alloc::(?:__alloc_error_handler::__rg_oom|handle_alloc_error|rust_oom)|std::alloc::.*|__rg_oom|rust_oom|_?_?rust_alloc_error_handler/,
    why: 'Rust out of memory',
  },
  { match: /tokio::runtime::.*|<tokio::.* as core::future::.*|futures_util::.*/, why: 'Rust async executor call' },
];

export const goIrrelevant: readonly Pattern[] = [
  {
    match:
      /runtime\.(?:raise(?:proc)?|dieFromSignal|crash|sigfwdgo|sigtramp\w*|sigpanic\d*|signalM|tgkill|fatal\w*|throw|dopanic_m|gopanic|panic\w*|goPanic\w*|exit)/,
    why: 'Go panic',
  },
  {
    match:
      /runtime\.(?:goexit|main|mcall|systemstack\w*|morestack\w*|asmcgocall\w*|cgocall\w*|rt0_go|mstart\d?)(?:\.abi0)?/,
    why: 'Go runtime call',
  },
  {
    match: /runtime\.(?:futex\w*|notesleep|notetsleep\w*|gopark|park_m|schedule|findRunnable|stopm|usleep)/,
    why: 'waiting in the Go runtime',
  },
];
