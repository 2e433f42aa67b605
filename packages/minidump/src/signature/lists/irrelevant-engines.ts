// Irrelevant frames: game engines and game libraries, how they report a failed check and call game code.
import type { Pattern } from './pattern-list.ts';

export const unrealIrrelevant: readonly Pattern[] = [
  { match: /FDebug::.*|DispatchCheckVerify(?:<T>)?|UE::Assert::Private::.*/, why: 'a failed check() of Unreal' },
  {
    match: /FMsg::.*|UE::Logging::Private::.*|UE_LOG\w*|FOutputDevice\w*::.*|LogfImpl|FLogTrace::.*/,
    why: 'Unreal logs a fatal error',
  },
  {
    match: /F(?:Windows|Unix|Linux|Mac|Android|IOS|Apple|Generic)ErrorOutputDevice::.*|FErrorOutputDevice::.*/,
    why: 'Unreal logs a fatal error',
  },
  {
    match: /FError::.*|LowLevelFatalError_Impl|StaticFailDebug(?:V)?|FFeedbackContext\w*::.*/,
    why: 'Unreal stops at a fatal error',
  },
  {
    match:
      /Report(?:Assert|Crash|Ensure|GPUCrash|Hang|InteractiveEnsure|CrashUsingCrashReportClient)|NewReportEnsure|CheckVerifyImpl/,
    why: 'the crash reporter of Unreal',
  },
  {
    match:
      /(?:CommonUnix|Platform|Engine|Default|Graceful|Ignored)?(?:Crash|Termination|Assert)Handler|F\w*CrashContext(?:Ex)?::.*|FCrashReportingThread::.*/,
    why: 'the crash handler of Unreal',
  },
  {
    match:
      /F(?:Windows|Unix|Linux|Mac|Android|Generic)PlatformMisc::(?:RequestExit\w*|DebugBreak\w*|RaiseException|SubmitErrorReport|PromptFor\w*|LocalPrint)/,
    why: 'Unreal stops the program',
  },
  {
    match: /F(?:Windows|Unix|Linux|Mac|Android|Generic|\w*)PlatformMemory::OnOutOfMemory|FMallocBinned\w*::OutOfMemory/,
    why: 'Unreal has no memory left',
  },
  {
    match:
      /FMalloc(?:Binned\w*|Ansi|Mimalloc|TBB|Stomp\w*|Profiler|LeakDetection\w*|PoisonProxy|VerifyProxy|ThreadSafeProxy|CallstackHandler)::.*/,
    why: 'inside of an allocator of Unreal',
  },
  {
    match:
      /T(?:Delegate|MulticastDelegate|MulticastDelegateBase|BaseDynamic\w*Delegate)(?:<T>)?::(?:Execute\w*|Broadcast|ProcessDelegate|ProcessMulticastDelegate)(?:<T>)?/,
    why: 'a delegate of Unreal calls',
  },
  {
    match:
      /TBase\w*DelegateInstance<T>::.*|UE::Core::Private::Tuple::.*|Invoke(?:<T>)?|UE::Core::Private::Function::.*|TFunctionRef(?:<T>)?::.*|TUniqueFunction<T>::.*/,
    why: 'a delegate of Unreal calls',
  },
  {
    match:
      /TGraphTask<T>::.*|FBaseGraphTask::.*|FTaskThread\w*::.*|FNamedTaskThread::.*|FTaskGraph\w*::.*|LowLevelTasks::.*|UE::Tasks::Private::.*/,
    why: 'the task graph of Unreal calls',
  },
  { match: /FRunnableThread\w*::.*|FQueuedThread::.*|FThreadImpl::.*/, why: 'start of a thread of Unreal' },
  {
    match: /GuardedMain(?:Wrapper)?|LaunchWindows(?:Startup|Shutdown)|CommonUnixMain|FEngineLoop::Tick/,
    why: 'the main loop of Unreal',
  },
];

export const unityIrrelevant: readonly Pattern[] = [
  {
    match: /il2cpp::vm::Exception::.*|il2cpp_codegen_raise\w*|il2cpp::vm::ThrowHelper.*|il2cpp_raise_exception/,
    why: 'il2cpp throws',
  },
  {
    match: /il2cpp::vm::(?:Runtime|RuntimeInvoke)::.*|il2cpp_runtime_invoke\w*|RuntimeInvoker_\w+/,
    why: 'il2cpp calls',
  },
  { match: /il2cpp::(?:utils|os|gc)::.*/, why: 'inside of il2cpp' },
  {
    match:
      /mono_(?:handle_native_crash|sigsegv_signal_handler|sigsegv_\w+|crash\w*|assertion_message\w*|log_write\w*|raise_exception\w*|handle_exception\w*|post_native_crash\w*)/,
    why: 'Mono crashes or throws',
  },
  {
    match:
      /(?:do_)?mono_runtime_(?:invoke|try_invoke|delegate_invoke)\w*|mono_jit_runtime_invoke|mono_arch_\w+|\(wrapper .*/,
    why: 'Mono calls',
  },
  {
    match: /mono_altstack_\w+|mono_chain_signal\w*|mini_\w*crash\w*|monoeg_\w+|monoeg_g_logv\w*|eglib_\w+/,
    why: 'Mono handles a signal',
  },
  {
    match:
      /HandleSignal|(?:HandleCrash|LaunchCrashHandler|ProcessCrash|UnityCrashHandler|CrashReporting::).*|ExceptionFilter/,
    why: 'the crash handler of Unity',
  },
  {
    match:
      /AssertImplementation|DebugStringToFile(?:Impl\w*)?|DebuggerBreak|ForceCrash\w*|Diagnostics::ForceCrash\w*|LogAssert\w*/,
    why: 'a failed check of Unity',
  },
  {
    match: /(?:scripting_|Scripting)\w*(?:invoke|Invoke)\w*|ScriptingInvocation(?:NoArgs)?::.*|ScriptingMethod\w*::.*/,
    why: 'Unity calls a script',
  },
  {
    match:
      /MonoBehaviour::(?:CallMethodIfAvailable|CallUpdateMethod|InvokeMethodOrCoroutineChecked)|SerializableManagedRef\w*::.*|Coroutine::(?:Run|InvokeMoveNext|ContinueCoroutine)/,
    why: 'Unity calls a script',
  },
  {
    match:
      /(?:BaseBehaviourManager|BehaviourManager|FixedBehaviourManager|LateBehaviourManager)::.*|ExecutePlayerLoop|PlayerLoop|InitPlayerLoopCallbacks.*|`InitPlayerLoopCallbacks'.*/,
    why: 'the player loop of Unity',
  },
  { match: /PlayerMain\w*|UnityMain\w*|MainMessageLoop|PerformMainLoop/, why: 'the main loop of Unity' },
  {
    match:
      /(?:DynamicHeap|Unity|Dual\w*|Bucket|LowLevel\w*|Stack)\w*Allocator(?:<T>)?::.*|tlsf_\w+|MemoryManager::(?:Allocate|Deallocate|Reallocate)/,
    why: 'inside of an allocator of Unity',
  },
];

export const godotIrrelevant: readonly Pattern[] = [
  {
    match: /CrashHandler(?:Exception)?(?:::.*)?|handle_crash|OS_\w+::(?:alert|print_\w+)/,
    why: 'the crash handler of Godot',
  },
  {
    match:
      /_err_(?:print|flush)\w*|print_error|_err_print_index_error|Logger::(?:log_error|logv|logf)|CompositeLogger::.*/,
    why: 'Godot logs an error',
  },
  {
    match:
      /Callable(?:CustomBase|CustomMethodPointerBase)?::(?:callp|call)|CallableCustom\w*(?:<T>)?::call|Variant::(?:callp|call|call_const)|Object::(?:callp|call|emit_signalp|call_\w+)/,
    why: 'Godot calls by name',
  },
  {
    match: /MethodBind\w*(?:<T>)?::.*|call_with_variant_args\w*(?:<T>)?|CallQueue::.*|MessageQueue::.*/,
    why: 'Godot calls by name',
  },
  { match: /OS_\w+::run|Main::iteration/, why: 'the main loop of Godot' },
];

export const otherEnginesIrrelevant: readonly Pattern[] = [
  {
    match:
      /SDL_(?:AbortAssertion|ReportAssertion(?:_REAL)?|PromptAssertion|AssertionFailed|ExitProcess|TriggerBreakpoint)/,
    why: 'a failed check of SDL',
  },
  {
    match: /SDL_(?:RunThread|RunApp|main|main_\w+)|RunThread|SDL_SYS_\w*Thread/,
    why: 'start of a program or thread of SDL',
  },
  {
    match:
      /_SpewMessage|_ExitOnFatalAssert|DoNewAssertDialog|CallAssertFailedNotifyFunc|LoggingSystem_\w+|Plat_(?:ExitProcess\w*|DebugBreak)|AssertMsgImplementation|CLoggingSystem::.*/,
    why: 'Source stops at an error',
  },
  {
    match: /(?:Com_|Sys_|Host_|Con_)Error(?:f|_f)?|idCommonLocal::(?:Error|FatalError)|idLib::(?:Error|FatalError)/,
    why: 'id Tech and Source stop at an error',
  },
  {
    match: /CrySystem::FatalError|CSystem::FatalError|CryFatalError|AZ::Debug::Trace::.*|AZ::Debug::Platform::.*/,
    why: 'CryEngine and O3DE stop at an error',
  },
  {
    match:
      /luaD_(?:throw|rawrunprotected|pcall|call\w*)|lua_(?:callk?|pcallk?|error)|luaL_error|luaV_execute|lj_(?:err|vm)_\w+/,
    why: 'Lua calls or throws',
  },
];
