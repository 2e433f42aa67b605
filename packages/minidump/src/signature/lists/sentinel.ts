// The frames where a signature starts, wherever they are: what is above them is the way from the fault to the dump.
import type { Pattern } from './pattern-list.ts';

/**
 * Asked first, and only of a report whose reason is no fault of the CPU. What runs above these frames handles a fault or an
 * exception; when it has the fault itself, in a signal handler or in a `catch` block of MSVC, it is what matters.
 */
export const handlingSentinels: readonly Pattern[] = [
  {
    match: /_sigtramp|<signal handler called>|__restore_rt|__kernel_rt_sigreturn/,
    why: 'a signal handler runs on top of the fault',
  },
  { match: /KiUserExceptionDispatch(?:er)?/, why: 'a handler of Windows runs on top of the fault' },
  { match: /_CxxThrowException|__cxa_throw|objc_exception_throw/, why: 'an exception that nobody caught' },
  {
    match: /il2cpp::vm::Exception::Raise\w*|il2cpp_codegen_raise_exception|mono_raise_exception/,
    why: 'an exception of C#',
  },
];

/** Why the program stopped itself. */
export const sentinelPatterns: readonly Pattern[] = [
  { match: /__assert_fail|__assert_rtn|__assert2|_wassert|_assert/, why: 'a failed assert()' },
  {
    match: /__stack_chk_fail|__fortify_fail|__chk_fail|__report_gsfailure|__report_rangecheckfailure/,
    why: 'a failed check of the stack or a buffer',
  },
  { match: /std::terminate|__std_terminate/, why: 'std::terminate' },
  { match: /_purecall|purecall|__cxa_pure_virtual/, why: 'a pure virtual function was called' },
  {
    match: /google_breakpad::ExceptionHandler::HandleInvalidParameter|_?invalid_parameter_noinfo(?:_noreturn)?/,
    why: 'the C runtime refuses an argument',
  },
  { match: /rust_begin_unwind|core::panicking::panic_fmt|std::panicking::begin_panic_handler/, why: 'Rust panics' },
  { match: /runtime\.gopanic|runtime\.sigpanic|runtime\.throw/, why: 'Go panics' },
  {
    match:
      /FDebug::(?:AssertFailed\w*|CheckVerifyFailed\w*|ProcessFatalError|EnsureFailed)|FMsg::Logf\w*|UE::Logging::Private::BasicFatalLog\w*|LowLevelFatalError_Impl/,
    why: 'a failed check of Unreal',
  },
  { match: /SDL_ReportAssertion(?:_REAL)?|Sys_Error|Com_Error|Host_Error/, why: 'an engine stops at an error' },
];

/** Asked last: one of the causes above lies nearer to the fault, where the stack has one. */
export const abortSentinels: readonly Pattern[] = [
  { match: /abort|std::process::abort/, why: 'what abort() does is not the fault' },
];
