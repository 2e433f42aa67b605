// All irrelevant frames: they say nothing about the fault and are skipped. This file has those of operating systems and
// their runtimes, and joins the lists at its end.
import { godotIrrelevant, otherEnginesIrrelevant, unityIrrelevant, unrealIrrelevant } from './irrelevant-engines.ts';
import { frameworkIrrelevant, goIrrelevant, rustIrrelevant } from './irrelevant-frameworks.ts';
import type { Pattern } from './pattern-list.ts';

// Irrelevant frames of crash reporters, and of software between a game and the OS: Wine, Proton, overlays.

const reporterIrrelevant: readonly Pattern[] = [
  { match: /@0x[1-9a-f][0-9a-f]*/, why: 'address outside all modules' },
  { match: /google_breakpad::.*/, why: 'Breakpad writing the dump' },
  { match: /crashpad::.*|CrashpadClient::.*/, why: 'Crashpad writing the dump' },
  {
    match: /sentry(?:__|_)\w+|SentryCrash\w*|sentrycrash\w*|bugsplat\w*|BugSplat::.*|bsg_\w+|backtrace::.*/,
    why: 'crash reporter',
  },
  {
    match: /SteamAPI_(?:WriteMiniDump|SetMiniDumpComment)|OUTLINED_FUNCTION_\d+/,
    why: 'crash reporter or shared code',
  },
  { match: /MiniDumpWriteDump|MiniDumper::.*|minidump_writer::.*|crash_handler::.*/, why: 'writing the dump' },
  {
    match:
      /__(?:asan|ubsan|tsan|msan|sanitizer|interceptor|hwasan|lsan)_\w+|__(?:asan|ubsan|tsan|msan|sanitizer|hwasan|lsan)::.*/,
    why: 'sanitizer report',
  },
  {
    match: /backtrace(?:_symbols(?:_fd)?)?|CaptureStackBackTrace|RtlCaptureStackBackTrace|RtlCaptureContext\d?/,
    why: 'stack capture',
  },
];

const translationIrrelevant: readonly Pattern[] = [
  {
    match:
      /__wine_\w+|wine_\w+|call_stdcall_func|call_(?:vectored|unhandled|seh)_\w+|dispatch_exception|raise_(?:exception|status)|signal_start_thread|start_thunk/,
    why: 'Wine call or dispatch',
  },
  {
    match:
      /(?:segv|trap|fpe|abrt|quit|usr1|int)_handler|setup_exception(?:_record)?|virtual_(?:handle_fault|setup_exception)/,
    why: 'Wine signal handling',
  },
  {
    match: /KiUserExceptionDispatcher_\w+|server_(?:call_unlocked|select|wait)|wait_(?:reply|select_reply)/,
    why: 'waiting for the Wine server',
  },
  { match: /wine(?:64)?(?:-preloader)?|ntdll\.so|winevulkan\.so|win32u\.so/, why: 'Wine module' },
  { match: /steamclient(?:64)?\.(?:so|dll)|pressure-vessel-\w+/, why: 'Steam client in the process' },
  {
    match: /gameoverlay(?:renderer|ui)(?:64)?\.(?:so|dll|dylib)|vulkan_?fossilize_layer\.so|libvkoverlay\.so/,
    why: 'Steam overlay',
  },
  {
    match:
      /discordhook(?:64)?\.dll|rtsshooks(?:64)?\.dll|nvspcap(?:64)?\.dll|obs-(?:vulkan|opengl|graphics-hook)(?:64|32)?\.dll|graphics-hook(?:64|32)\.dll|eosovh-win(?:64|32)-shipping\.dll|mangohud\.so|libmangohud\w*\.so/,
    why: 'third-party overlay',
  },
];

// Irrelevant frames of the Linux and Android C libraries, mostly how they stop a program.

const libcIrrelevant: readonly Pattern[] = [
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

// Irrelevant frames of pthreads: threads and locks on every OS that has them.

const pthreadIrrelevant: readonly Pattern[] = [
  { match: /_*pthread_kill(?:_implementation|_internal|@.*)?/, why: 'pthread signal' },
  {
    match:
      /start_thread|__?clone\d?|_*pthread_(?:start|body)|thread_start|__bionic_clone|__start_thread|__pthread_start/,
    why: 'thread startup',
  },
  { match: /_*pthread_(?:mutex|cond|rwlock|once|exit|join|create)\w*/, why: 'pthread lock' },
  { match: /_*futex_\w+|__lll_lock_\w+|lll_\w+|__nptl_\w+/, why: 'glibc lock internals' },
];

// Irrelevant frames of the GCC and Clang C++ libraries: how they throw, terminate and call user code.

const libstdcxxIrrelevant: readonly Pattern[] = [
  { match: /std::(?:__)?terminate/, why: 'std::terminate' },
  { match: /(?:__gnu_cxx::)?__verbose_terminate_handler|__cxxabiv1::.*/, why: 'C++ terminate handler' },
  { match: /__cxa_\w+|__gxx_personality_\w+|__clang_call_terminate/, why: 'C++ exception handling' },
  {
    match: /demangling_(?:terminate|unexpected)_handler|abort_message|__abort_message/,
    why: 'libc++ terminate handler',
  },
  {
    match: /_Unwind_\w+|unwind_phase2(?:_forced)?|uw_\w+|_UNWIND_\w+|libunwind::.*|unw_\w+/,
    why: 'exception unwinder',
  },
  {
    match: /std::(?:rethrow_exception|rethrow_if_nested|unexpected|__throw_with_nested)/,
    why: 'rethrown C++ exception',
  },
  { match: /std::__throw_\w+(?:<T>)?|std::_X\w+/, why: 'C++ library exception' },
  {
    match:
      /std::__(?:glibcxx_assert_fail|replacement_assert|libcpp_(?:verbose_abort|debug_function|assertion_handler\w*)|libcxx\w*abort\w*)|__libcpp_verbose_abort/,
    why: 'failed C++ library check',
  },
  {
    match: /std::__(?:invoke(?:_impl|_r)?|apply_impl)(?:<T>)?|std::(?:invoke|apply)<T>/,
    why: 'std::invoke call',
  },
  {
    match: /std::_Function_handler<T>::_M_invoke|std::function<T>::operator\(\)/,
    why: 'std::function call',
  },
  {
    match: /std::__function::.*|std::__invoke_void_return_wrapper<T>::.*/,
    why: 'libc++ std::function call',
  },
  {
    match:
      /std::(?:__uniq_ptr|unique_ptr|shared_ptr|weak_ptr|__shared_ptr|__weak_ptr|__shared_ptr_access|__shared_count|_Sp_counted\w*)(?:<T>)?(?:::.*)?/,
    why: 'C++ smart pointer',
  },
  { match: /std::(?:atomic|__atomic_base|_Atomic\w*)(?:<T>)?(?:::.*)?/, why: 'C++ atomic' },
  {
    match: /std::(?:thread|jthread|this_thread|mutex|lock_guard|unique_lock|condition_variable)(?:<T>)?(?:::.*)?/,
    why: 'C++ threads',
  },
  {
    match: /std::__(?:tree|hash_table|thread_proxy|thread_execute|vector_base)(?:<T>)?(?:::.*)?/,
    why: 'libc++ container internals',
  },
  {
    match: /std::(?:_Rb_tree|_Hashtable|_Vector_base|_Deque_base)(?:<T>)?(?:::.*)?|std::__detail::.*/,
    why: 'libstdc++ container internals',
  },
  {
    match:
      /std::__copy_move\w*(?:<T>)?(?:::.*)?|std::__(?:copy|fill|uninitialized|relocate|destroy|do_uninit)\w*(?:<T>)?(?:::.*)?/,
    why: 'libstdc++ algorithm internals',
  },
  { match: /<name omitted>|\(anonymous namespace\)|operator\(\)/, why: 'unnamed function' },
];

// Irrelevant frames of ntdll, kernel32 and the MSVC runtime: how Windows raises and dispatches exceptions, and waits.

const windowsIrrelevant: readonly Pattern[] = [
  { match: /RaiseException|RtlRaise(?:Exception|Status)|(?:Nt|Zw)RaiseException/, why: 'Windows raising an exception' },
  {
    match:
      /_*(?:CallSettingFrame\w*|CxxCallCatchBlock|RcConsolidateFrames|RcFrameUnwind|FrameUnwind\w*|CallCatchBlock\w*)/,
    why: 'MSVC catch block call',
  },
  {
    match: /_CxxThrowException|_*CxxThrow\w*|_*(?:Internal)?CxxFrameHandler\d?|__C?xxExceptionFilter/,
    why: 'MSVC exception handling',
  },
  {
    match: /KiUser(?:Exception|Apc|Callback)Dispatch(?:er)?|KiRaiseUserExceptionDispatcher|KiFastSystemCall(?:Ret)?/,
    why: 'kernel callback',
  },
  {
    match: /Rtl(?:p)?(?:DispatchException|ExecuteHandlerForException|UnwindEx|CallVectoredHandlers)/,
    why: 'Windows handler search',
  },
  {
    match: /_*C_specific_handler(?:_noexcept)?|_except_handler\d?(?:_common)?|seh_filter_(?:exe|dll)|.*\$filt/,
    why: 'SEH handler',
  },
  {
    match:
      /UnhandledExceptionFilter|RtlpUnhandled\w*|BasepReportFault|Werp?Report\w*|RtlReport(?:Exception|SilentProcessExit)\w*|RtlpWer\w*|SendMessageToWERService|SignalStartWerSvc|__crt(?:UnhandledException|TerminateProcess)/,
    why: 'unhandled exception',
  },
  {
    match:
      /(?:Rtl)?FailFast\d?|RtlFailFast2|__fastfail|RaiseFailFastException|__(?:report|raise)_(?:gsfailure|securityfailure(?:Ex)?|rangecheckfailure)|__scrt_fastfail|capture_(?:current|previous)_context/,
    why: 'Windows fail-fast',
  },
  { match: /_*GSHandlerCheck\w*/, why: 'stack check of an exception handler' },
  // Visual C++: delayhlp.cpp, dloadsup.h.
  {
    match:
      /_*delayLoadHelper\d?|_*tailMerge_?\w*|Dload(?:Acquire|Release|Obtain|Get|Make|Protect|Handle|Lock|Unlock)\w*|(?:Ldr(?:p)?)?ResolveDelayLoad\w+|LdrpHandleProtectedDelayload/,
    why: 'delay-loaded DLL',
  },
  // C++/WinRT, WIL, WRL, ATL, COM and the samples of DirectX: how they throw a failed HRESULT.
  {
    match:
      /winrt::(?:impl::)?(?:throw_\w+|check_hresult|terminate|hresult_error::.*)|wil::(?:details|details_abi)::.*|Microsoft::WRL::Details::Raise\w+|(?:ATL::)?AtlThrow\w*|_com_(?:raise|issue)_error\w*|__abi_WinRTraise\w+|Ro(?:Originate|FailFast|Transform)\w*|Rpcp?RaiseException|(?:DX::)?ThrowIfFailed/,
    why: 'failed HRESULT',
  },
  { match: /_RTC_\w+|failwithmessage|_*acrt_(?:report|show)\w*/, why: 'failed run-time check' },
  {
    match:
      /_*security_check_cookie|_*guard_(?:dispatch_icall(?:_nop)?|check_icall\w*)|LdrpValidateUserCallTarget|LdrpHandleInvalidUserCallTarget|RtlpHandleInvalidUserCallTarget/,
    why: 'call or stack check',
  },
  {
    match:
      /Rtlp?(?:Hp)?(?:HeapHandleError|AnalyzeHeapFailure|LogHeapFailure|ReportHeapFailure)|RtlReport(?:CriticalFailure|FatalFailure)/,
    why: 'Windows heap corruption report',
  },
  {
    match: /Rtlp(?:Allocate|Free|ReAllocate|Coalesce|Lfh|Hp|Lowfrag|Insert|Extend|Find)\w*|RtlpHp\w+/,
    why: 'Windows heap internals',
  },
  {
    match: /(?:Nt|Zw)?WaitFor(?:SingleObject|MultipleObjects|KeyedEvent|AlertByThreadId)(?:Ex)?(?:Implementation)?/,
    why: 'waiting in Windows',
  },
  {
    match:
      /(?:Nt|Zw)(?:DelayExecution|TerminateProcess|Terminate\w*)|Sleep(?:Ex)?|SleepConditionVariable(?:SRW|CS)|Rtl(?:Sleep|Wake)\w*/,
    why: 'waiting or exiting in Windows',
  },
  {
    match:
      /Rtl(?:p)?(?:Enter|Leave|Acquire|Release|TryEnter|WaitOn)(?:CriticalSection|SRWLock)\w*|RtlpEnterCriticalSectionContended/,
    why: 'Windows lock',
  },
  { match: /DebugBreak|DbgBreakPoint|wil::details::DebugBreak|__debugbreak/, why: 'breakpoint' },
  {
    match: /common_assert(?:_to_\w+)?(?:<T>)?|_(?:w)?assert|_CrtDbgReport\w*|_CrtDbgBreak|_VCrtDbgReport\w*/,
    why: 'failed assert()',
  },
  {
    match:
      /_?invalid_parameter(?:_noinfo(?:_noreturn)?|_internal)?|_invoke_watson|_call_reportfault|HandleInvalidParameter/,
    why: 'C runtime rejecting an argument',
  },
  {
    match:
      /terminate|__std_terminate|__scrt_unhandled_exception_filter|FindHandler(?:<T>)?|__FrameHandler3::.*|__FrameHandler4::.*|_*unexpected/,
    why: 'MSVC terminate handler',
  },
  {
    match: /BaseThreadInitThunk|_?_?RtlUserThreadStart|BaseProcessStart|thread_start<T>|_(?:thread|begin)start\w*/,
    why: 'thread startup',
  },
  {
    match: /__scrt_common_main(?:_seh)?|_*tmainCRTStartup|_*(?:w?Win)?[Mm]ainCRTStartup|invoke_main|_initterm(?:_e)?/,
    why: 'program startup',
  },
  { match: /_*chkstk(?:_ms)?|_alloca_probe(?:_\d+)?/, why: 'stack growth' },
  {
    match:
      /std::_(?:Invoker\w*|Func_impl(?:_no_alloc)?|Func_class|LaunchPad|Pad|Ref_count\w*|Ptr_base|Tree\w*|Hash\w*|List_node\w*)(?:<T>)?(?:::.*)?/,
    why: 'MSVC C++ library internals',
  },
];

// Irrelevant frames on macOS and iOS: dyld, libdispatch, CoreFoundation and the Objective-C runtime.

const appleIrrelevant: readonly Pattern[] = [
  {
    match: /__abort(?:_with_payload)?|abort_with_(?:reason|payload)(?:_wrapper_internal)?|__pthread_sigmask/,
    why: 'libSystem abort',
  },
  {
    match:
      /mach_msg(?:\d?_(?:trap|overwrite|internal))?|_mach_msg|semaphore_(?:timed)?wait(?:_trap)?|__psynch_\w+|__ulock_wait\d?|__semwait_signal/,
    why: 'waiting in the kernel',
  },
  {
    match: /_objc_terminate|objc_terminate|_objc_fatal(?:v|v_with_reason)?|_objc_error|__objc_error/,
    why: 'Objective-C runtime termination',
  },
  {
    match:
      /objc_exception_(?:throw|rethrow)|__exceptionPreprocess|__handleUncaughtException|_handleAEListException|_CFThrowFormattedException|_?_?NSRaise\w*/,
    why: 'Objective-C exception handling',
  },
  {
    match: /[-+]\[NSException raise(?::format:(?:arguments:)?)?\]|-\[NSAssertionHandler .*\]|_NSSetLogCStringFunction/,
    why: 'Foundation exception handling',
  },
  { match: /-\[NSApplication (?:_crashOnException:|reportException:|run)\]/, why: 'AppKit exception handling' },
  { match: /_dispatch_\w+|dispatch_\w+/, why: 'libdispatch call' },
  {
    match: /__CFRUNLOOP_IS_\w+|__CFRunLoop\w*|CFRunLoopRun\w*|_CFXNotification\w*|___?CFX\w+/,
    why: 'run loop call',
  },
  { match: /_?dyld(?:_stub_binder|\d?::.*)|_?dyld_start/, why: 'program startup' },
  {
    match: /gpus(?:_ReturnGuiltyForHardwareRestart|_ReturnNotPermittedKillClient|GenerateCrashLog\w*)/,
    why: 'termination by the GPU driver',
  },
  {
    match: /_?swift_runtime_on_report|Swift\._(?:assertionFailure|fatalErrorMessage)|_?swift_(?:retain|release)_?\w*/,
    why: 'Swift runtime',
  },
  // Swift: stdlib/public/core/AssertCommon.swift, stdlib/public/runtime/Errors.cpp.
  {
    match:
      /\$ss\d+_?(?:assertionFailure|fatalErrorMessage|unexpectedNil|diagnoseUnexpected|preconditionFailure)\w*|(?:closure in )*Swift\.(?:_?(?:assertionFailure|fatalError(?:Message)?|preconditionFailure|unexpectedError)|_diagnoseUnexpected\w+)/,
    why: 'failed Swift check',
  },
  {
    match:
      /swift_(?:unexpectedError|abort\w*|reportError|deletedMethodError|dynamicCastFailure\w*|willThrow\w*)|swift::(?:fatalError\w*|swift_\w*(?:abort|Failure|Error)\w*|warning\w*)|_swift_(?:stdlib_reportFatalError\w*|runtime_on_report)/,
    why: 'Swift runtime failure',
  },
  // libmalloc, libplatform and libsystem.
  {
    match:
      /malloc_(?:vreport|report|zone_error|error_break)|_os_(?:crash\w*|assert_log\w*|unfair_lock_\w+)|_libplatform_abort/,
    why: 'libSystem abort',
  },
  { match: /_?MTLReport\w*|_MTLMessageContextEnd|MTLReleaseAssertionFailure/, why: 'failed Metal check' },
];

export const irrelevantPatterns: readonly Pattern[] = [
  ...reporterIrrelevant,
  ...libcIrrelevant,
  ...pthreadIrrelevant,
  ...libstdcxxIrrelevant,
  ...windowsIrrelevant,
  ...appleIrrelevant,
  ...rustIrrelevant,
  ...goIrrelevant,
  ...frameworkIrrelevant,
  ...unrealIrrelevant,
  ...unityIrrelevant,
  ...godotIrrelevant,
  ...otherEnginesIrrelevant,
  ...translationIrrelevant,
];
