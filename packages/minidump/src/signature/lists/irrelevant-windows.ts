// Irrelevant frames of ntdll, kernel32 and the MSVC runtime: how Windows raises and dispatches exceptions, and waits.
import type { Pattern } from './pattern-list.ts';

export const windowsIrrelevant: readonly Pattern[] = [
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
