// Sentinels: frames at which a signature starts. The frames above them only lead from the fault to the dump.
import type { Pattern } from './pattern-list.ts';

/**
 * Checked first, and only when the reason is not a CPU fault. The frames above these handle a fault or an exception.
 * When the handler itself faults (a signal handler, or an MSVC `catch` block), its own frames matter.
 */
export const handlingSentinels: readonly Pattern[] = [
  {
    match: /_sigtramp|<signal handler called>|__restore_rt|__kernel_rt_sigreturn/,
    why: 'signal handler running above the fault',
  },
  { match: /KiUserExceptionDispatch(?:er)?/, why: 'Windows handler running above the fault' },
  { match: /_CxxThrowException|__cxa_throw|objc_exception_throw/, why: 'uncaught exception' },
  {
    match:
      /il2cpp::vm::Exception::Raise\w*|il2cpp_codegen_raise_exception|mono_raise_exception|IL_(?:Throw|Rethrow)|Rhp?ThrowEx|RealCOMPlusThrow\w*/,
    why: 'C# exception',
  },
  { match: /_*delayLoadHelper\d?/, why: 'missing DLL' },
];

/** Frames that show why the program stopped itself. */
export const sentinelPatterns: readonly Pattern[] = [
  { match: /__assert_fail|__assert_rtn|__assert2|_wassert|_assert/, why: 'failed assert()' },
  {
    match: /__stack_chk_fail|__fortify_fail|__chk_fail|__report_gsfailure|__report_rangecheckfailure/,
    why: 'failed stack or buffer check',
  },
  { match: /std::terminate|__std_terminate/, why: 'std::terminate' },
  { match: /_purecall|purecall|__cxa_pure_virtual/, why: 'pure virtual function call' },
  {
    match: /google_breakpad::ExceptionHandler::HandleInvalidParameter|_?invalid_parameter_noinfo(?:_noreturn)?/,
    why: 'C runtime rejecting an argument',
  },
  {
    match:
      /rust_begin_unwind|core::panicking::\w+|std::panicking::begin_panic\w*(?:<T>)?|std::rt::begin_panic\w*(?:<T>)?/,
    why: 'Rust panic',
  },
  { match: /runtime\.gopanic|runtime\.sigpanic|runtime\.throw/, why: 'Go panic' },
  {
    match:
      /FDebug::(?:AssertFailed\w*|CheckVerifyFailed\w*|ProcessFatalError|EnsureFailed)|FMsg::Logf\w*|UE::Logging::Private::BasicFatalLog\w*|(?:UE::)?LowLevelFatalError(?:_Impl|Handler)(?:<T>)?|F\w*OutputDevice\w*::\w+|AssertFailedImplV?/,
    why: 'failed Unreal check()',
  },
  // The sources are in irrelevant-frameworks.ts.
  {
    match:
      /logging::(?:\w*LogMessage\w*|\w*Error)::~\w+|base::ImmediateCrash|V8_Fatal|v8::(?:internal::)?(?:V8::|Heap::)?FatalProcessOutOfMemory|v8::Utils::ReportApiFailure|node::(?:OnFatalError|FatalError|OOMErrorHandler|Assert)|base::TerminateBecauseOutOfMemory/,
    why: 'failed Chromium check',
  },
  {
    match:
      /google::LogMessage(?:Fatal)?::~\w+|google::LogMessage::(?:Fail|SendToLog)|absl::log_internal::LogMessage\w*::~\w+/,
    why: 'failed glog or Abseil check',
  },
  {
    match: /g_(?:log|logv|assertion_message\w*)|QMessageLogger::fatal|qt_assert(?:_x)?|_X(?:IO)?Error/,
    why: 'fatal message of a library',
  },
  { match: /EEPolicy::HandleFatalError|SystemNative_Abort/, why: '.NET stopping the process' },
  {
    match: /art::Runtime::Abort|__android_log_assert|_?Py_FatalError\w*|VMError::report_and_die/,
    why: 'fatal error of a runtime',
  },
  { match: /SDL_ReportAssertion(?:_REAL)?|Sys_Error|Com_Error|Host_Error/, why: 'engine fatal error' },
];

/** Checked last: if the stack also has one of the sentinels above, that one is closer to the fault. */
export const abortSentinels: readonly Pattern[] = [
  { match: /abort|std::process::abort/, why: 'frames inside abort() are not the fault' },
];
