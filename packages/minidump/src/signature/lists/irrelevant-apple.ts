// Irrelevant frames: dyld, libdispatch, CoreFoundation and the Objective-C runtime of macOS and iOS.
import type { Pattern } from './pattern-list.ts';

export const appleIrrelevant: readonly Pattern[] = [
  {
    match: /__abort(?:_with_payload)?|abort_with_(?:reason|payload)(?:_wrapper_internal)?|__pthread_sigmask/,
    why: 'libSystem aborts',
  },
  {
    match:
      /mach_msg(?:\d?_(?:trap|overwrite|internal))?|_mach_msg|semaphore_(?:timed)?wait(?:_trap)?|__psynch_\w+|__ulock_wait\d?|__semwait_signal/,
    why: 'a wait in the kernel',
  },
  {
    match: /_objc_terminate|objc_terminate|_objc_fatal(?:v|v_with_reason)?|_objc_error|__objc_error/,
    why: 'the Objective-C runtime ends the program',
  },
  {
    match: /objc_exception_(?:throw|rethrow)|__exceptionPreprocess|__handleUncaughtException|_handleAEListException/,
    why: 'exceptions of Objective-C',
  },
  {
    match: /[-+]\[NSException raise(?::format:(?:arguments:)?)?\]|-\[NSAssertionHandler .*\]|_NSSetLogCStringFunction/,
    why: 'exceptions of Foundation',
  },
  { match: /-\[NSApplication (?:_crashOnException:|reportException:|run)\]/, why: 'AppKit stops at an exception' },
  { match: /_dispatch_\w+|dispatch_\w+/, why: 'libdispatch calls' },
  {
    match: /__CFRUNLOOP_IS_\w+|__CFRunLoop\w*|CFRunLoopRun\w*|_CFXNotification\w*|___?CFX\w+/,
    why: 'the run loop calls',
  },
  { match: /_?dyld(?:_stub_binder|\d?::.*)|_?dyld_start/, why: 'start of the program' },
  {
    match: /gpus(?:_ReturnGuiltyForHardwareRestart|_ReturnNotPermittedKillClient|GenerateCrashLog\w*)/,
    why: 'the GPU driver stops the program',
  },
  {
    match: /_?swift_runtime_on_report|Swift\._(?:assertionFailure|fatalErrorMessage)|_?swift_(?:retain|release)_?\w*/,
    why: 'the Swift runtime',
  },
  { match: /\$ss17_assertionFailure\w*/, why: 'a failed check of Swift' },
];
