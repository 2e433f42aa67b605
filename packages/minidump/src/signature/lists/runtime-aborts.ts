// When a runtime stops the program at the wish of its caller, and which modules are the runtimes: their frames then
// say how it stopped, not why.
import type { Pattern } from './pattern-list.ts';

/** Reasons of a report that mean so. */
export const abortReasons: readonly Pattern[] = [
  { match: /SIGABRT(?: .*)?|EXC_CRASH \/ SIGABRT.*/, why: 'abort()' },
  { match: /(?:.* \/ )?FAST_FAIL_FATAL_APP_EXIT|STATUS_FATAL_APP_EXIT/, why: 'abort() of Windows' },
  { match: /Unhandled C\+\+ Exception|STATUS_GCC_THROW|0xe06d7363/, why: 'an exception of C++ that nobody caught' },
  { match: /MANAGED_EXCEPTION_CODE(?:_V4)?/, why: 'an exception of .NET that nobody caught' },
  { match: /Uncaught NSException/, why: 'an exception of Objective-C that nobody caught' },
  { match: /Unreal Engine .*/, why: 'a fatal error of Unreal' },
];

/** Reasons that say that the CPU stopped at an instruction; the frames are then those of the fault itself. */
export const faultReasons: readonly Pattern[] = [
  { match: /SIG(?:SEGV|BUS|FPE|ILL|TRAP|EMT|SYS)\b.*/, why: 'a fault on Linux' },
  { match: /EXC_(?:BAD_\w+|ARITHMETIC|BREAKPOINT|GUARD)\b.*/, why: 'a fault on macOS' },
  {
    match:
      /EXCEPTION_(?:ACCESS_VIOLATION|STACK_OVERFLOW|ILLEGAL|INT_|FLT_|IN_PAGE|BREAKPOINT|GUARD|DATATYPE|PRIV)\w*.*/,
    why: 'a fault on Windows',
  },
];

/** The loaders of programs, as labels. Such a file keeps few names, and what they name on the way of an abort is a neighbour of the function that ran. */
export const loaderModules: readonly Pattern[] = [
  {
    match: /ld-linux[\w-]*\.so(?:\.\d+)*|ld-\d+\.\d+(?:\.\d+)?\.so|ld(?:64)?\.so(?:\.\d+)*/,
    why: 'the loader of glibc',
  },
  { match: /ld-musl-\w+\.so(?:\.\d+)*|linker(?:64)?/, why: 'the loader of musl and Android' },
];

/** The modules, as labels: base names, of Windows in lower case. */
export const runtimeModules: readonly Pattern[] = [
  ...loaderModules,
  {
    match: /(?:libc|libpthread|libgcc_s|libstdc\+\+|libc\+\+(?:abi|_shared)?)\.so(?:\.\d+)*/,
    why: 'a runtime of Linux',
  },
  { match: /(?:libc|libpthread)-\d+\.\d+(?:\.\d+)?\.so/, why: 'a runtime of Linux' },
  {
    match: /ntdll\.dll|kernel32\.dll|kernelbase\.dll|ucrtbased?\.dll|vcruntime\w*\.dll|msvcp\w*\.dll|msvcr\w*\.dll/,
    why: 'a runtime of Windows',
  },
  {
    match:
      /libsystem_(?:kernel|pthread|c|malloc)\.dylib|libc\+\+(?:abi)?\.(?:1\.)?dylib|libobjc\.A\.dylib|CoreFoundation|libdispatch\.dylib/,
    why: 'a runtime of Apple',
  },
];
