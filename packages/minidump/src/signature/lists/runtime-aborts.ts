// Reasons that mean that the program aborted on purpose, and the runtime modules that it aborts through. The frames of
// these modules then show how the program stopped, not why.
import type { Pattern } from './pattern-list.ts';

/** Crash reasons that mean that a runtime stopped the program on request. */
export const abortReasons: readonly Pattern[] = [
  { match: /SIGABRT(?: .*)?|EXC_CRASH \/ SIGABRT.*/, why: 'abort()' },
  { match: /(?:.* \/ )?FAST_FAIL_FATAL_APP_EXIT|STATUS_FATAL_APP_EXIT/, why: 'Windows abort()' },
  { match: /Unhandled C\+\+ Exception|STATUS_GCC_THROW|0xe06d7363/, why: 'uncaught C++ exception' },
  { match: /(?:MANAGED_EXCEPTION_CODE(?:_V4)?|COR_E_EXECUTIONENGINE)(?: \/ .*)?/, why: 'uncaught .NET exception' },
  {
    match: /EXCEPTION_WINE_ASSERTION|RUST_PANIC|STATUS_GCC_UNWIND|(?:Delphi|C\+\+Builder|Free Pascal) Exception.*/,
    why: 'abort or uncaught exception',
  },
  { match: /Uncaught NSException/, why: 'uncaught Objective-C exception' },
  { match: /Unreal Engine .*/, why: 'Unreal fatal error' },
];

/** Crash reasons that mean that the CPU faulted at an instruction. The innermost frames then belong to the fault itself. */
export const faultReasons: readonly Pattern[] = [
  { match: /SIG(?:SEGV|BUS|FPE|ILL|TRAP|EMT|SYS)\b.*/, why: 'Linux fault' },
  { match: /EXC_(?:BAD_\w+|ARITHMETIC|BREAKPOINT|GUARD)\b.*/, why: 'macOS fault' },
  {
    match:
      /EXCEPTION_(?:ACCESS_VIOLATION|STACK_OVERFLOW|ILLEGAL|INT_|FLT_|IN_PAGE|BREAKPOINT|GUARD|DATATYPE|PRIV)\w*.*/,
    why: 'Windows fault',
  },
];

/**
 * Dynamic loaders, as labels. Their files export few symbols, so in an abort the symbol found is that of a neighboring
 * function.
 */
export const loaderModules: readonly Pattern[] = [
  {
    match: /ld-linux[\w-]*\.so(?:\.\d+)*|ld-\d+\.\d+(?:\.\d+)?\.so|ld(?:64)?\.so(?:\.\d+)*/,
    why: 'glibc loader',
  },
  { match: /ld-musl-\w+\.so(?:\.\d+)*|linker(?:64)?/, why: 'musl or Android loader' },
];

/** Runtime modules, as labels: base names, in lower case for Windows. */
export const runtimeModules: readonly Pattern[] = [
  ...loaderModules,
  {
    match: /(?:libc|libpthread|libgcc_s|libstdc\+\+|libc\+\+(?:abi|_shared)?)\.so(?:\.\d+)*/,
    why: 'Linux runtime',
  },
  { match: /(?:libc|libpthread)-\d+\.\d+(?:\.\d+)?\.so/, why: 'Linux runtime' },
  {
    match: /ntdll\.dll|kernel32\.dll|kernelbase\.dll|ucrtbased?\.dll|vcruntime\w*\.dll|msvcp\w*\.dll|msvcr\w*\.dll/,
    why: 'Windows runtime',
  },
  {
    match:
      /libsystem_(?:kernel|pthread|c|malloc)\.dylib|libc\+\+(?:abi)?\.(?:1\.)?dylib|libobjc\.A\.dylib|CoreFoundation|libdispatch\.dylib/,
    why: 'Apple runtime',
  },
];
