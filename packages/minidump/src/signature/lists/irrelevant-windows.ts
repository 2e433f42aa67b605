// Irrelevant frames: ntdll, kernel32 and the C runtime of MSVC, how Windows raises, dispatches and waits.
import type { Pattern } from './pattern-list.ts';

export const windowsIrrelevant: readonly Pattern[] = [
  { match: /RaiseException|RtlRaise(?:Exception|Status)|(?:Nt|Zw)RaiseException/, why: 'Windows raises an exception' },
  {
    match:
      /_*(?:CallSettingFrame\w*|CxxCallCatchBlock|RcConsolidateFrames|RcFrameUnwind|FrameUnwind\w*|CallCatchBlock\w*)/,
    why: 'a catch block of MSVC is called',
  },
  {
    match: /_CxxThrowException|_*CxxThrow\w*|_*(?:Internal)?CxxFrameHandler\d?|__C?xxExceptionFilter/,
    why: 'exceptions of MSVC',
  },
  {
    match: /KiUser(?:Exception|Apc|Callback)Dispatch(?:er)?|KiRaiseUserExceptionDispatcher|KiFastSystemCall(?:Ret)?/,
    why: 'the kernel calls back',
  },
  {
    match: /Rtl(?:p)?(?:DispatchException|ExecuteHandlerForException|UnwindEx|CallVectoredHandlers)/,
    why: 'Windows looks for a handler',
  },
  {
    match: /_*C_specific_handler(?:_noexcept)?|_except_handler\d?(?:_common)?|seh_filter_(?:exe|dll)|.*\$filt\$\d+/,
    why: 'a handler of SEH',
  },
  {
    match: /UnhandledExceptionFilter|RtlUserThreadStart\$filt\$0|RtlpUnhandled\w*|BasepReportFault|WerpReport\w*/,
    why: 'nobody handled the exception',
  },
  {
    match:
      /(?:Rtl)?FailFast\d?|RtlFailFast2|__fastfail|RaiseFailFastException|__report_(?:gsfailure|securityfailure(?:Ex)?|rangecheckfailure)/,
    why: 'Windows stops the process at once',
  },
  {
    match:
      /_*security_check_cookie|_*guard_(?:dispatch_icall(?:_nop)?|check_icall\w*)|LdrpValidateUserCallTarget|LdrpHandleInvalidUserCallTarget|RtlpHandleInvalidUserCallTarget/,
    why: 'a check of calls or the stack',
  },
  {
    match:
      /Rtlp?(?:Hp)?(?:HeapHandleError|AnalyzeHeapFailure|LogHeapFailure|ReportHeapFailure)|RtlReport(?:CriticalFailure|FatalFailure)/,
    why: 'Windows says that the heap is damaged',
  },
  {
    match: /Rtlp(?:Allocate|Free|ReAllocate|Coalesce|Lfh|Hp|Lowfrag|Insert|Extend|Find)\w*|RtlpHp\w+/,
    why: 'inside of the heap of Windows',
  },
  {
    match: /(?:Nt|Zw)?WaitFor(?:SingleObject|MultipleObjects|KeyedEvent|AlertByThreadId)(?:Ex)?(?:Implementation)?/,
    why: 'Windows waits',
  },
  {
    match:
      /(?:Nt|Zw)(?:DelayExecution|TerminateProcess|Terminate\w*)|Sleep(?:Ex)?|SleepConditionVariable(?:SRW|CS)|Rtl(?:Sleep|Wake)\w*/,
    why: 'Windows waits or ends',
  },
  {
    match:
      /Rtl(?:p)?(?:Enter|Leave|Acquire|Release|TryEnter|WaitOn)(?:CriticalSection|SRWLock)\w*|RtlpEnterCriticalSectionContended/,
    why: 'a lock of Windows',
  },
  { match: /DebugBreak|DbgBreakPoint|wil::details::DebugBreak|__debugbreak/, why: 'a breakpoint' },
  {
    match: /common_assert(?:_to_\w+)?(?:<T>)?|_(?:w)?assert|_CrtDbgReport\w*|_CrtDbgBreak|_VCrtDbgReport\w*/,
    why: 'a failed assert()',
  },
  {
    match:
      /_?invalid_parameter(?:_noinfo(?:_noreturn)?|_internal)?|_invoke_watson|_call_reportfault|HandleInvalidParameter/,
    why: 'the C runtime refuses an argument',
  },
  {
    match:
      /terminate|__std_terminate|__scrt_unhandled_exception_filter|FindHandler(?:<T>)?|__FrameHandler3::.*|__FrameHandler4::.*|_*unexpected/,
    why: 'the terminate handler of MSVC',
  },
  {
    match: /BaseThreadInitThunk|_?_?RtlUserThreadStart|BaseProcessStart|thread_start<T>|_(?:thread|begin)start\w*/,
    why: 'start of a thread',
  },
  {
    match: /__scrt_common_main(?:_seh)?|_*tmainCRTStartup|_*(?:w?Win)?[Mm]ainCRTStartup|invoke_main|_initterm(?:_e)?/,
    why: 'start of the program',
  },
  { match: /_*chkstk(?:_ms)?|_alloca_probe(?:_\d+)?/, why: 'the stack grows' },
  {
    match:
      /std::_(?:Invoker\w*|Func_impl(?:_no_alloc)?|Func_class|LaunchPad|Pad|Ref_count\w*|Ptr_base|Tree\w*|Hash\w*|List_node\w*)(?:<T>)?(?:::.*)?/,
    why: 'inside of the C++ library of MSVC',
  },
];
