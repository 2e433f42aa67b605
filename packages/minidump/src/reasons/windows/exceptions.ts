// Windows exception codes with names other than in the NTSTATUS list, or that are in none of Microsoft's lists.

export const EXCEPTIONS: ReadonlyMap<number, string> = new Map([
  // From `winnt.h` and `minwinbase.h`. Most are also an NTSTATUS, but the EXCEPTION names are more common.
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

  // Raised by Unreal Engine's handlers for assertions, lost graphics devices and failed allocations.
  [0x00004000, 'Unreal Engine Assertion'],
  [0x00008000, 'Unreal Engine GPU Crash'],
  [0x0000c000, 'Unreal Engine Out of Memory'],

  // Compilers and runtimes: Chromium's allocators, Visual C++, .NET before and since version 4, GCC, Delphi, LuaJIT.
  [0xe0000008, 'Out of Memory'],
  [0xe06d7363, 'Unhandled C++ Exception'],
  [0x406d1388, 'MS_VC_EXCEPTION'],
  [0xe073616e, 'EH_SANITIZER'],
  [0xe073616f, 'EH_SANITIZER_ASAN'],
  [0xe0434f4d, 'MANAGED_EXCEPTION_CODE'],
  [0xe0434352, 'MANAGED_EXCEPTION_CODE_V4'],
  [0x20474343, 'STATUS_GCC_THROW'],
  [0x0eedfade, 'Delphi Exception'],
  [0xe24c4a02, 'LJ_EXCODE / LUA_ERRRUN'],
  [0xe24c4a03, 'LJ_EXCODE / LUA_ERRSYNTAX'],
  [0xe24c4a04, 'LJ_EXCODE / LUA_ERRMEM'],
  [0xe24c4a05, 'LJ_EXCODE / LUA_ERRERR'],
]);
