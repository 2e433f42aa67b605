// Irrelevant frames of frameworks and languages that games embed: how Chromium, V8, .NET, Python, Java, Qt, GLib and
// common C++ libraries report a failed check, run out of memory and stop the program, and how Rust and Go panic.
import type { Pattern } from './pattern-list.ts';

// Electron, CEF and NW.js: base/check.cc, base/logging.cc, base/immediate_crash.h, base/process/memory.cc,
// base/allocator; V8: src/base/logging.cc, src/api/api.cc, src/heap/heap.cc; Node: src/node_errors.cc; Electron:
// shell/common/node_bindings.cc.
const chromiumIrrelevant: readonly Pattern[] = [
  {
    match:
      /(?:logging|base)::(?:\w*(?:LogMessage|CheckError|NoreturnError|NotReachedError|ErrnoLogMessage)\w*)(?:::.*)?|logging::(?:Raw\w+|\w*(?:Failure|Fatal)\w*)(?:::.*)?/,
    why: 'failed Chromium check',
  },
  {
    match:
      /base::(?:internal::)?(?:ImmediateCrash|ForceCrash\w*)|base::debug::(?:BreakDebugger\w*|CollectStackTrace|StackTrace::.*|DumpWithoutCrashing\w*)/,
    why: 'Chromium stopping the process',
  },
  {
    match:
      /(?:base|partition_alloc)::(?:internal::|\(anonymous namespace\)::)*(?:TerminateBecauseOutOfMemory|OnNoMemory\w*|OutOfMemory\w*|RunPartitionAllocOomCallback|HandleOutOfMemory\w*)|partition_alloc::PartitionRoot::OutOfMemory\w*|blink::(?:BlinkGCOutOfMemory|ReportOOM\w*|OOM\w*)|(?:WTF::)?Partitions::HandleOutOfMemory|blink::\(anonymous namespace\)::OnNoMemory/,
    why: 'Chromium out of memory',
  },
  {
    match: /partition_alloc::.*|allocator_shim::.*|base::allocator::.*|ShimMalloc|ShimCppNew|AllocatorShim\w*/,
    why: 'Chromium allocator internals',
  },
  {
    match:
      /V8_(?:Fatal|Dcheck)|v8::base::(?:OS::Abort|FatalOOM|\w*Fatal\w*|CheckFailed\w*)|v8::Utils::(?:ReportApiFailure|ReportOOMFailure|ApiCheck)/,
    why: 'failed V8 check',
  },
  {
    match: /v8::internal::(?:V8::|Heap::|Isolate::)?(?:FatalProcessOutOfMemory|FatalOOM|FatalHeapOOM)/,
    why: 'V8 out of memory',
  },
  {
    match:
      /node::(?:OnFatalError|FatalError|OOMErrorHandler|Abort|Assert|Dump\w*Backtrace|errors::\w*Fatal\w*|ABORT\w*)|(?:electron::)?(?:\(anonymous namespace\)::)?V8(?:FatalError|OOMError)Callback/,
    why: 'Node or Electron stopping the process',
  },
  { match: /(?:rtc|webrtc)::(?:FatalMessage|webrtc_checks_impl)(?:::.*)?|SkAbort\w*|sk_abort\w*/, why: 'failed check' },
];

// CoreCLR: src/coreclr/vm/excep.cpp, jithelpers.cpp, eepolicy.cpp, pal/src/thread/process.cpp; NativeAOT:
// src/coreclr/nativeaot/Runtime.Base and its mangled names (`S_P_CoreLib_…`); Mono: mono/metadata/exception.c,
// mono/mini/mini-exceptions.c.
const dotnetIrrelevant: readonly Pattern[] = [
  {
    match:
      /IL_(?:Throw\w*|Rethrow)|JIT_(?:\w*Throw\w*|Overflow|RngChkFail)|`?(?:Raise(?:TheException\w*|ThrowException)|RealCOMPlusThrow\w*|COMPlusThrow\w*|EEPolicy::HandleFatalError)'?(?:::.*)?|DispatchManagedException|DispatchRethrownManagedException|UnwindManagedException\w*|ThrowHR|(?:EX_)?ThrowOutOfMemory|FCThrow\w*/,
    why: '.NET exception',
  },
  {
    match:
      /EEPolicy::\w+|WatsonLastChance|InternalUnhandledExceptionFilter\w*|COMUnhandledExceptionFilter|(?:EntryPoint|DefaultCatch)Filter|CrashDumpAndTerminateProcess|CreateCrashDumpIfEnabled|PROC(?:Abort|CreateCrashDump\w*|EndProcess)|SystemNative_Abort|SafeExitProcess|ForceEEShutdown|TerminateOnAssert|CallDescrWorker\w*/,
    why: '.NET stopping the process',
  },
  {
    match:
      /Rh(?:p)?(?:Throw|Rethrow)(?:Hw)?Ex\w*|(?:S_P_CoreLib_)?(?:System|Internal)_(?:Runtime_)?(?:\w+_)?(?:EH|ThrowHelpers?|RuntimeExceptionHelpers)__\w+|RaiseFailFast\w*|PalRaiseFailFast\w*/,
    why: 'NativeAOT exception',
  },
  {
    match:
      /System\.(?:(?:\w+\.)*ThrowHelpers?[.:]\w+|Environment[.:](?:FailFast|_Exit)|Diagnostics\.Debug(?:Provider)?[.:]\w+|Runtime\.ExceptionServices\.ExceptionDispatchInfo[.:]Throw|Runtime\.EH[.:]\w+|RuntimeExceptionHelpers[.:]\w+)/,
    why: '.NET exception',
  },
  {
    match:
      /mono_(?:(?:llvm_|arch_)?(?:re)?throw_\w+|error_(?:raise|set_pending)_exception\w*|unhandled_exception\w*|invoke_unhandled_exception_hook|assertion_message\w*)|mini_unhandled_exception|ves_icall_\w*[Rr]ethrow\w*|(?:object|<Module>):runtime_invoke_\w+|il2cpp_codegen_rethrow_exception|IL2CPP_RAISE_\w+/,
    why: 'Mono or il2cpp exception',
  },
  { match: /UnityEngine\.Assertions\.Assert[.:]\w+/, why: 'failed Unity check' },
];

// CPython: Python/pylifecycle.c, Modules/faulthandler.c; HotSpot: share/utilities/vmError.cpp, debug.cpp and
// os/*/os_*.cpp.
const interpreterIrrelevant: readonly Pattern[] = [
  {
    match: /_?Py_Fatal\w+|fatal_error(?:_exit)?|faulthandler_\w+|_PyObject_AssertFailed|_Py_NegativeRefcount/,
    why: 'Python fatal error',
  },
  {
    match:
      /VMError::.*|report_(?:vm_error|fatal|vm_out_of_memory|should_not_\w+|java_out_of_memory)\w*|os::(?:abort|die)|JVM_handle_\w+|(?:java)?[sS]ignalHandler|PosixSignals::.*|topLevel(?:Vectored)?ExceptionFilter|JVM_abort/,
    why: 'Java VM stopping',
  },
];

// glog: src/logging.cc; Abseil: absl/log/internal, absl/base/internal; Boost: boost/assert.hpp,
// boost/throw_exception.hpp; GLib: glib/gmessages.c, glib/gtestutils.c; Qt: qlogging.cpp, qassert.cpp; Xlib:
// src/XlibInt.c; Wayland: src/wayland-client.c; OpenSSL: crypto/cryptlib.c.
const assertionsOfLibraries: readonly Pattern[] = [
  {
    match:
      /google::(?:\w*(?:LogMessage|LogDestination|LogSink)\w*|logging_internal|base_internal)(?:::.*)?|google::(?:DumpStackTraceAndExit|logging_fail|\(anonymous namespace\)::(?:FailureSignalHandler|DumpSignalInfo|InvokeDefaultSignalHandler))|google::protobuf::internal::(?:LogMessage|LogFinisher)::.*/,
    why: 'failed glog check',
  },
  {
    match:
      /absl::(?:log_internal|raw_log_internal|raw_logging_internal|internal_any_invocable)::.*|absl::base_internal::Throw\w+|absl::internal_statusor::(?:Crash\w*|ThrowBadStatus\w*|Helper::.*)/,
    why: 'failed Abseil check',
  },
  {
    match: /boost::(?:assertion_failed(?:_msg)?|(?:exception_detail::)?throw_exception_?|wrapexcept)(?:<T>)?(?:::.*)?/,
    why: 'Boost check or exception',
  },
  {
    match:
      /fmt::(?:detail::|internal::)?(?:assert_fail|throw_format_error|report_error|throw_\w+)|eastl::AssertionFailure\w*/,
    why: 'failed library check',
  },
  {
    match:
      /_?g_log(?:v|_abort|_structured\w*|_default_handler|_writer_\w+)?|g_(?:assertion_message\w*|return_if_fail_warning|warn_message|on_error_\w+)|gdk_x_error|_gdk_x11_display_error_event/,
    why: 'GLib fatal message',
  },
  {
    match:
      /QMessageLogger::.*|qt_(?:assert(?:_x)?|check_pointer|message\w*)(?:<T>)?|q(?:Fatal|Abort|Terminate|BadAlloc)|QtPrivate::\w*[aA]ssert\w*/,
    why: 'Qt fatal message',
  },
  {
    match:
      /_X(?:Error|IOError|DefaultError|DefaultIOError|Reply)|wl_(?:abort|log)|display_(?:fatal|protocol)_error|OPENSSL_die/,
    why: 'library stopping the program',
  },
  {
    match:
      /bgfx::(?:CallbackStub::)?fatal|bx::debugBreak|JPH::(?:AssertFailed\w*|DummyAssertFailed)|b2(?:Assert\w*|DefaultAssertFcn)/,
    why: 'failed library check',
  },
];

export const frameworkIrrelevant: readonly Pattern[] = [
  ...chromiumIrrelevant,
  ...dotnetIrrelevant,
  ...interpreterIrrelevant,
  ...assertionsOfLibraries,
];

// Irrelevant frames of Rust and Go: how they panic, and how their runtimes call user code.

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
