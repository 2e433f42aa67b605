// Irrelevant frames: how Rust and Go panic, and how their runtimes call.
import type { Pattern } from './pattern-list.ts';

export const rustIrrelevant: readonly Pattern[] = [
  {
    match:
      /rust_(?:begin_unwind|panic|panic_without_hook)|_?_?rust_start_panic|__rust_drop_panic|__rust_foreign_exception/,
    why: 'Rust panics',
  },
  {
    match:
      /(?:std|core)::panicking::.*|std::rt::(?:begin_panic\w*|lang_start\w*)(?:<T>)?(?:::.*)?|panic_(?:abort|unwind)::.*/,
    why: 'Rust panics',
  },
  {
    match: /std::sys(?:_common)?::backtrace::.*|std::backtrace::.*|std::panic::.*|core::panic::.*/,
    why: 'Rust prints a panic',
  },
  { match: /(?:core|std)::(?:option|result)::(?:expect|unwrap)_failed/, why: 'unwrap() of nothing' },
  { match: /core::(?:option::Option|result::Result)<T>::(?:unwrap|expect)\w*/, why: 'unwrap() of nothing' },
  {
    match: /core::(?:slice|str)::(?:index::)?(?:slice_\w+_fail|slice_error_fail)\w*(?:::.*)?/,
    why: 'an index out of range',
  },
  {
    match: /<.* as core::slice::index::SliceIndex<T>>::.*|core::slice::index::<impl .*>::.*/,
    why: 'an index of a slice',
  },
  { match: /<.* as core::ops::index::Index(?:Mut)?<T>>::index(?:_mut)?/, why: 'an index of a collection' },
  {
    match:
      /(?:<.* as )?core::ops::function::Fn(?:Once|Mut)?(?:<T>)?>?::call(?:_once|_mut)?(?:<T>)?(?:\{\{vtable\.shim\}\})?/,
    why: 'a call of a closure',
  },
  {
    match: /core::(?:ptr|mem|intrinsics|sync::atomic|fmt|cell|pin)::.*|compiler_builtins::.*/,
    why: 'inside of the core library of Rust',
  },
  { match: /std::(?:thread|sys)::.*|<?alloc::boxed::Box<T>(?: as .*)?>?::.*/, why: 'threads and boxes of Rust' },
  {
    match:
      /(?:alloc::)?alloc::(?:__alloc_error_handler::__rg_oom|handle_alloc_error|rust_oom)|std::alloc::.*|__rg_oom|rust_oom|_?_?rust_alloc_error_handler/,
    why: 'Rust has no memory left',
  },
  { match: /tokio::runtime::.*|<tokio::.* as core::future::.*|futures_util::.*/, why: 'an executor of Rust calls' },
];

export const goIrrelevant: readonly Pattern[] = [
  {
    match:
      /runtime\.(?:raise(?:proc)?|dieFromSignal|crash|sigfwdgo|sigtramp\w*|sigpanic\d*|signalM|tgkill|fatal\w*|throw|dopanic_m|gopanic|panic\w*|goPanic\w*|exit)/,
    why: 'Go panics',
  },
  {
    match:
      /runtime\.(?:goexit|main|mcall|systemstack\w*|morestack\w*|asmcgocall\w*|cgocall\w*|rt0_go|mstart\d?)(?:\.abi0)?/,
    why: 'the Go runtime calls',
  },
  {
    match: /runtime\.(?:futex\w*|notesleep|notetsleep\w*|gopark|park_m|schedule|findRunnable|stopm|usleep)/,
    why: 'the Go runtime waits',
  },
];
