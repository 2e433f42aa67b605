// Irrelevant frames of frameworks that games embed: how Chromium, V8, .NET, Python, Java, Qt, GLib and common C++
// libraries report a failed check, run out of memory and stop the program.
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
