// Windows exception codes with names other than in the NTSTATUS list, or that are in none of Microsoft's lists.

export const EXCEPTIONS: ReadonlyMap<number, string> = new Map([
  // The codes are from `winnt.h` and `minwinbase.h`. Most are also an NTSTATUS, but the EXCEPTION names are more
  // common.
  [0x80000001, 'EXCEPTION_GUARD_PAGE'],
  [0x80000002, 'EXCEPTION_DATATYPE_MISALIGNMENT'],
  [0x80000003, 'EXCEPTION_BREAKPOINT'],
  [0x80000004, 'EXCEPTION_SINGLE_STEP'],
  [0xc0000008, 'EXCEPTION_INVALID_HANDLE'],
  [0xc000001d, 'EXCEPTION_ILLEGAL_INSTRUCTION'],
  [0xc0000025, 'EXCEPTION_NONCONTINUABLE_EXCEPTION'],
  [0xc0000026, 'EXCEPTION_INVALID_DISPOSITION'],
  [0xc000008c, 'EXCEPTION_BOUNDS_EXCEEDED'],
  [0xc000008d, 'EXCEPTION_FLT_DENORMAL_OPERAND'],
  [0xc000008e, 'EXCEPTION_FLT_DIVIDE_BY_ZERO'],
  [0xc000008f, 'EXCEPTION_FLT_INEXACT_RESULT'],
  [0xc0000090, 'EXCEPTION_FLT_INVALID_OPERATION'],
  [0xc0000091, 'EXCEPTION_FLT_OVERFLOW'],
  [0xc0000092, 'EXCEPTION_FLT_STACK_CHECK'],
  [0xc0000093, 'EXCEPTION_FLT_UNDERFLOW'],
  [0xc0000094, 'EXCEPTION_INT_DIVIDE_BY_ZERO'],
  [0xc0000095, 'EXCEPTION_INT_OVERFLOW'],
  [0xc0000096, 'EXCEPTION_PRIV_INSTRUCTION'],
  [0xc00000fd, 'EXCEPTION_STACK_OVERFLOW'],
  [0xc0000194, 'EXCEPTION_POSSIBLE_DEADLOCK'],

  // Crashpad: a program requested a dump of itself, or another program requested it by triggering a crash.
  [0x0517a7ed, 'Simulated Exception'],
  [0x0cca11ed, 'Triggered Exception'],

  // Wine, for programs with its import libraries and for itself: `wine/exception.h`. The first is a call of a function
  // that Wine doesn't have, the second a failed assertion or SIGABRT.
  [0x80000100, 'EXCEPTION_WINE_STUB'],
  [0x80000101, 'EXCEPTION_WINE_ASSERTION'],

  // Windows: errors of the Windows Runtime that were raised for debuggers (`RoOriginateError`).
  [0x40080201, 'WinRT Originated Error'],
  [0x40080202, 'WinRT Transformed Error'],

  // Direct3D's debug layer, when it is set to break: the facility of DXGI.
  [0x0000087a, 'Direct3D Debug Layer'],

  // Raised by Unreal Engine's handlers for assertions, lost graphics devices and failed allocations.
  [0x00004000, 'Unreal Engine Assertion'],
  [0x00008000, 'Unreal Engine GPU Crash'],
  [0x0000c000, 'Unreal Engine Out of Memory'],
  // `UnhandledEnsure` (777008) of the engine's `GenericPlatformCrashContext.h`.
  [0x000bdb30, 'Unreal Engine Ensure'],

  // Compilers and runtimes: Chromium's allocators, Visual C++, .NET before and since version 4, GCC, Delphi, LuaJIT.
  [0xe0000008, 'Out of Memory'],
  [0xe06d7363, 'Unhandled C++ Exception'],
  [0x406d1388, 'MS_VC_EXCEPTION'],
  [0xe073616e, 'EH_SANITIZER'],
  [0xe073616f, 'EH_SANITIZER_ASAN'],
  [0xe0434f4d, 'MANAGED_EXCEPTION_CODE'],
  [0xe0434352, 'MANAGED_EXCEPTION_CODE_V4'],
  // NativeAOT's `PalRedhawkMinWin.cpp`.
  [0xe0434f4e, 'EXCEPTION_HIJACK'],
  // GCC's `unwind-seh.c`.
  [0x20474343, 'STATUS_GCC_THROW'],
  [0x21474343, 'STATUS_GCC_UNWIND'],
  [0x22474343, 'STATUS_GCC_FORCED'],
  // Rust for MinGW until 2020: `libpanic_unwind/seh64_gnu.rs`. For MSVC, a panic is a C++ exception.
  [0xe1525354, 'RUST_PANIC'],
  // Delphi and C++Builder: `System.pas`.
  [0x0eedfade, 'Delphi Exception'],
  [0x0eedfadf, 'Delphi Exception / Reraised'],
  [0x0eedfae0, 'Delphi Exception / Except'],
  [0x0eedfae1, 'Delphi Exception / Finally'],
  [0x0eedfae2, 'Delphi Exception / Terminate'],
  [0x0eedfae3, 'Delphi Exception / Unhandled'],
  [0x0eedfae4, 'Delphi Exception / Foreign'],
  [0x0eedfae5, 'Delphi Exception / Exit'],
  [0x0eefface, 'C++Builder Exception'],
  // Free Pascal: `rtl/win64/seh64.inc`, 'FPC' and the bits of a program's own error.
  [0xe0465043, 'Free Pascal Exception'],
  // D: `rt/deh_win32.d`.
  [0xe0440001, 'STATUS_DIGITAL_MARS_D_EXCEPTION'],
  [0xe24c4a00, 'LJ_EXCODE'],
  [0xe24c4a01, 'LJ_EXCODE / LUA_YIELD'],
  [0xe24c4a02, 'LJ_EXCODE / LUA_ERRRUN'],
  [0xe24c4a03, 'LJ_EXCODE / LUA_ERRSYNTAX'],
  [0xe24c4a04, 'LJ_EXCODE / LUA_ERRMEM'],
  [0xe24c4a05, 'LJ_EXCODE / LUA_ERRERR'],
]);
