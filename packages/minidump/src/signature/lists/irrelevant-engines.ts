// Irrelevant frames of game engines and game libraries: how they report failed checks and call game code.
import type { Pattern } from './pattern-list.ts';

export const unrealIrrelevant: readonly Pattern[] = [
  // Misc/AssertionMacros.cpp: `AssertFailedImplV` since 4.25, `CheckVerifyFailedImpl2` since 5.1.
  {
    match:
      /FDebug::.*|DispatchCheckVerify(?:<T>)?|UE::Assert::Private::.*|AssertFailedImplV?|CheckVerifyFailedImpl\d?|EnsureFailed/,
    why: 'failed Unreal check()',
  },
  // Each platform, also those of consoles and of a studio, has its own error device.
  {
    match: /FMsg::.*|UE::Logging::Private::.*|UE_LOG\w*|F\w*OutputDevice\w*::.*|LogfImpl|FLogTrace::.*/,
    why: 'Unreal fatal error logging',
  },
  {
    match:
      /FError::.*|(?:UE::)?LowLevelFatalError(?:_Impl|Handler)?(?:<T>)?|StaticFailDebug(?:V)?|F\w*FeedbackContext\w*::.*/,
    why: 'Unreal fatal error',
  },
  {
    match:
      /Report(?:Assert|Crash|Ensure|GPUCrash|Hang|Stall|OutOfMemory|InteractiveEnsure|CrashUsingCrashReportClient)|NewReportEnsure|CheckVerifyImpl|ProcessFatalError/,
    why: 'Unreal crash reporter',
  },
  {
    match:
      /(?:CommonUnix|Platform|Engine|Default|Graceful|Ignored)?(?:Crash|Termination|Assert)Handler|F\w*CrashContext(?:Ex)?::.*|FCrashReportingThread::.*/,
    why: 'Unreal crash handler',
  },
  {
    match:
      /F\w+PlatformMisc::(?:RequestExit\w*|DebugBreak\w*|RaiseException|SubmitErrorReport|PromptFor\w*|LocalPrint)/,
    why: 'Unreal program termination',
  },
  {
    match: /F\w+PlatformMemory::OnOutOfMemory|FMallocBinned\w*::OutOfMemory/,
    why: 'Unreal out of memory',
  },
  {
    match:
      /FMalloc(?:Binned\w*|Ansi|Mimalloc|TBB|Stomp\w*|Profiler|LeakDetection\w*|PoisonProxy|VerifyProxy|ThreadSafeProxy|CallstackHandler)::.*/,
    why: 'Unreal allocator internals',
  },
  {
    match:
      /T(?:Delegate|MulticastDelegate|MulticastDelegateBase|BaseDynamic\w*Delegate)(?:<T>)?::(?:Execute\w*|Broadcast|ProcessDelegate|ProcessMulticastDelegate)(?:<T>)?/,
    why: 'Unreal delegate call',
  },
  {
    match:
      /TBase\w*DelegateInstance<T>::.*|UE::Core::Private::Tuple::.*|Invoke(?:<T>)?|UE::Core::Private::Function::.*|TFunctionRef(?:<T>)?::.*|TUniqueFunction<T>::.*/,
    why: 'Unreal delegate call',
  },
  {
    match:
      /TGraphTask<T>::.*|FBaseGraphTask::.*|FTaskThread\w*::.*|FNamedTaskThread::.*|FTaskGraph\w*::.*|LowLevelTasks::.*|UE::Tasks::Private::.*/,
    why: 'Unreal task graph call',
  },
  { match: /FRunnableThread\w*::.*|FQueuedThread::.*|FThreadImpl::.*/, why: 'Unreal thread startup' },
  {
    match: /GuardedMain(?:Wrapper)?|LaunchWindows(?:Startup|Shutdown)|CommonUnixMain|FEngineLoop::Tick/,
    why: 'Unreal main loop',
  },
];

export const unityIrrelevant: readonly Pattern[] = [
  {
    match: /il2cpp::vm::Exception::.*|il2cpp_codegen_raise\w*|il2cpp::vm::ThrowHelper.*|il2cpp_raise_exception/,
    why: 'il2cpp exception',
  },
  {
    match: /il2cpp::vm::(?:Runtime|RuntimeInvoke)::.*|il2cpp_runtime_invoke\w*|RuntimeInvoker_\w+/,
    why: 'il2cpp call',
  },
  { match: /il2cpp::(?:utils|os|gc)::.*/, why: 'il2cpp internals' },
  {
    match:
      /mono_(?:handle_native_crash|sigsegv_signal_handler|sigsegv_\w+|crash\w*|assertion_message\w*|log_write\w*|raise_exception\w*|handle_exception\w*|post_native_crash\w*)/,
    why: 'Mono crash or exception',
  },
  {
    match:
      /(?:do_)?mono_runtime_(?:invoke|try_invoke|delegate_invoke)\w*|mono_jit_runtime_invoke|mono_arch_\w+|\(wrapper .*/,
    why: 'Mono call',
  },
  {
    match: /mono_altstack_\w+|mono_chain_signal\w*|mini_\w*crash\w*|monoeg_\w+|monoeg_g_logv\w*|eglib_\w+/,
    why: 'Mono signal handling',
  },
  {
    match:
      /HandleSignal|(?:HandleCrash|LaunchCrashHandler|ProcessCrash|UnityCrashHandler|CrashReporting::).*|ExceptionFilter/,
    why: 'Unity crash handler',
  },
  {
    match:
      /AssertImplementation|DebugStringToFile(?:Impl\w*)?|DebuggerBreak|ForceCrash\w*|Diagnostics::ForceCrash\w*|LogAssert\w*/,
    why: 'failed Unity check',
  },
  {
    match: /(?:scripting_|Scripting)\w*(?:invoke|Invoke)\w*|ScriptingInvocation(?:NoArgs)?::.*|ScriptingMethod\w*::.*/,
    why: 'Unity script call',
  },
  {
    match:
      /MonoBehaviour::(?:CallMethodIfAvailable|CallUpdateMethod|InvokeMethodOrCoroutineChecked)|SerializableManagedRef\w*::.*|Coroutine::(?:Run|InvokeMoveNext|ContinueCoroutine)/,
    why: 'Unity script call',
  },
  {
    match:
      /(?:BaseBehaviourManager|BehaviourManager|FixedBehaviourManager|LateBehaviourManager)::.*|ExecutePlayerLoop|PlayerLoop|InitPlayerLoopCallbacks.*|`InitPlayerLoopCallbacks'.*/,
    why: 'Unity player loop',
  },
  { match: /PlayerMain\w*|UnityMain\w*|MainMessageLoop|PerformMainLoop/, why: 'Unity main loop' },
  {
    match:
      /(?:DynamicHeap|Unity|Dual\w*|Bucket|LowLevel\w*|Stack)\w*Allocator(?:<T>)?::.*|tlsf_\w+|MemoryManager::(?:Allocate|Deallocate|Reallocate)/,
    why: 'Unity allocator internals',
  },
];

export const godotIrrelevant: readonly Pattern[] = [
  {
    match: /CrashHandler(?:Exception)?(?:::.*)?|handle_crash|OS_\w+::(?:alert|print_\w+)/,
    why: 'Godot crash handler',
  },
  {
    match:
      /_err_(?:print|flush)\w*|print_error|_err_print_index_error|Logger::(?:log_error|logv|logf)|CompositeLogger::.*/,
    why: 'Godot error logging',
  },
  {
    match:
      /Callable(?:CustomBase|CustomMethodPointerBase)?::(?:callp|call)|CallableCustom\w*(?:<T>)?::call|Variant::(?:callp|call|call_const)|Object::(?:callp|call|emit_signalp|call_\w+)/,
    why: 'Godot call by name',
  },
  {
    match: /MethodBind\w*(?:<T>)?::.*|call_with_variant_args\w*(?:<T>)?|CallQueue::.*|MessageQueue::.*/,
    why: 'Godot call by name',
  },
  { match: /OS_\w+::run|Main::iteration/, why: 'Godot main loop' },
];

export const otherEnginesIrrelevant: readonly Pattern[] = [
  {
    match:
      /SDL_(?:AbortAssertion|ReportAssertion(?:_REAL)?|PromptAssertion|AssertionFailed|ExitProcess|TriggerBreakpoint)/,
    why: 'failed SDL check',
  },
  {
    match: /SDL_(?:RunThread|RunApp|main|main_\w+)|RunThread|SDL_SYS_\w*Thread/,
    why: 'SDL program or thread startup',
  },
  {
    match:
      /_SpewMessage|_ExitOnFatalAssert|DoNewAssertDialog|CallAssertFailedNotifyFunc|LoggingSystem_\w+|Plat_(?:ExitProcess\w*|DebugBreak)|AssertMsgImplementation|CLoggingSystem::.*/,
    why: 'Source fatal error',
  },
  {
    match: /(?:Com_|Sys_|Host_|Con_)Error(?:f|_f)?|idCommonLocal::(?:Error|FatalError)|idLib::(?:Error|FatalError)/,
    why: 'id Tech or Source fatal error',
  },
  {
    match: /CrySystem::FatalError|CSystem::FatalError|CryFatalError|AZ::Debug::Trace::.*|AZ::Debug::Platform::.*/,
    why: 'CryEngine or O3DE fatal error',
  },
  {
    match:
      /luaD_(?:throw|rawrunprotected|pcall|call\w*)|lua_(?:callk?|pcallk?|error)|luaL_\w*err(?:or)?|luaG_\w*err(?:or|ormsg)|luaV_execute|lj_(?:err|vm)_\w+/,
    why: 'Lua call or error',
  },
];
