// Irrelevant frames on macOS and iOS: dyld, libdispatch, CoreFoundation and the Objective-C runtime.
import type { Pattern } from './pattern-list.ts';

export const appleIrrelevant: readonly Pattern[] = [
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
