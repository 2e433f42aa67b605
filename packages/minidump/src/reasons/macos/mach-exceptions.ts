// Mach exceptions of macOS and iOS and their codes, some of which depend on the CPU.

type Names = ReadonlyMap<number, string>;

export type MachException = {
  readonly name: string;
  /** Codes with the same meaning on every CPU. */
  readonly codes?: Names;
  /** Codes on 32-bit and 64-bit Intel CPUs. */
  readonly intel?: Names;
  /** Codes on 32-bit and 64-bit ARM CPUs. */
  readonly arm?: Names;
};

/** From xnu's `mach/exception_types.h`, `mach/kern_return.h`, and `exception.h` of i386 and arm. */
export const MACH_EXCEPTIONS: Readonly<Record<number, MachException>> = {
  1: {
    name: 'EXC_BAD_ACCESS',
    codes: new Map([
      [1, 'KERN_INVALID_ADDRESS'],
      [2, 'KERN_PROTECTION_FAILURE'],
      [5, 'KERN_FAILURE'],
      [8, 'KERN_NO_ACCESS'],
      [9, 'KERN_MEMORY_FAILURE'],
      [10, 'KERN_MEMORY_ERROR'],
      [50, 'KERN_CODESIGN_ERROR'],
    ]),
    intel: new Map([[13, 'EXC_I386_GPFLT']]),
    arm: new Map([
      [0x0101, 'EXC_ARM_DA_ALIGN'],
      [0x0102, 'EXC_ARM_DA_DEBUG'],
      [0x0103, 'EXC_ARM_SP_ALIGN'],
      [0x0104, 'EXC_ARM_SWP'],
      [0x0105, 'EXC_ARM_PAC_FAIL'],
      [0x0106, 'EXC_ARM_MTE_TAGCHECK_FAIL'],
    ]),
  },
  2: {
    name: 'EXC_BAD_INSTRUCTION',
    intel: new Map([
      [1, 'EXC_I386_INVOP'],
      [10, 'EXC_I386_INVTSSFLT'],
      [11, 'EXC_I386_SEGNPFLT'],
      [12, 'EXC_I386_STKFLT'],
      [13, 'EXC_I386_GPFLT'],
      [17, 'EXC_I386_ALIGNFLT'],
    ]),
    arm: new Map([[1, 'EXC_ARM_UNDEFINED']]),
  },
  3: {
    name: 'EXC_ARITHMETIC',
    intel: new Map([
      [1, 'EXC_I386_DIV'],
      [2, 'EXC_I386_INTO'],
      [3, 'EXC_I386_NOEXT'],
      [4, 'EXC_I386_EXTOVR'],
      [5, 'EXC_I386_EXTERR'],
      [6, 'EXC_I386_EMERR'],
      [7, 'EXC_I386_BOUND'],
      [8, 'EXC_I386_SSEEXTERR'],
    ]),
    arm: new Map([
      [0, 'EXC_ARM_FP_UNDEFINED'],
      [1, 'EXC_ARM_FP_IO'],
      [2, 'EXC_ARM_FP_DZ'],
      [3, 'EXC_ARM_FP_OF'],
      [4, 'EXC_ARM_FP_UF'],
      [5, 'EXC_ARM_FP_IX'],
      [6, 'EXC_ARM_FP_ID'],
    ]),
  },
  4: { name: 'EXC_EMULATION' },
  5: {
    name: 'EXC_SOFTWARE',
    codes: new Map([
      [0x00010000, 'SIGSYS'],
      [0x00010001, 'SIGPIPE'],
      [0x00010002, 'SIGABRT'],
      [0x00010003, 'EXC_SOFT_SIGNAL'],
      // PowerPC only; no other CPU uses these numbers.
      [0x00000001, 'EXC_PPC_TRAP'],
      [0x00010100, 'EXC_PPC_MIGRATE'],
      // Written by Breakpad's client.
      [0xdeadc0de, 'UNCAUGHT_NS_EXCEPTION'],
    ]),
  },
  6: {
    name: 'EXC_BREAKPOINT',
    intel: new Map([
      [1, 'EXC_I386_SGL'],
      [2, 'EXC_I386_BPT'],
    ]),
    arm: new Map([
      [1, 'EXC_ARM_BREAKPOINT'],
      [0x0101, 'EXC_ARM_DA_ALIGN'],
      [0x0102, 'EXC_ARM_DA_DEBUG'],
    ]),
  },
  7: { name: 'EXC_SYSCALL' },
  8: { name: 'EXC_MACH_SYSCALL' },
  9: { name: 'EXC_RPC_ALERT' },
  10: { name: 'EXC_CRASH' },
  11: { name: 'EXC_RESOURCE' },
  12: { name: 'EXC_GUARD' },
  13: { name: 'EXC_CORPSE_NOTIFY' },
};

/** Darwin's signals, from `sys/signal.h`. They differ from Linux's, starting with 7. */
export const MACH_SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGEMT',
  8: 'SIGFPE',
  9: 'SIGKILL',
  10: 'SIGBUS',
  11: 'SIGSEGV',
  12: 'SIGSYS',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  16: 'SIGURG',
  17: 'SIGSTOP',
  18: 'SIGTSTP',
  19: 'SIGCONT',
  20: 'SIGCHLD',
  21: 'SIGTTIN',
  22: 'SIGTTOU',
  23: 'SIGIO',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  26: 'SIGVTALRM',
  27: 'SIGPROF',
  28: 'SIGWINCH',
  29: 'SIGINFO',
  30: 'SIGUSR1',
  31: 'SIGUSR2',
};
