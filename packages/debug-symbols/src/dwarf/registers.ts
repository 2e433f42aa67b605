// Names of registers in STACK CFI records, by their numbers in DWARF (the ABI supplement of each CPU).

const X86_64 = [
  ...['$rax', '$rdx', '$rcx', '$rbx', '$rsi', '$rdi', '$rbp', '$rsp'],
  ...Array.from({ length: 8 }, (_, index) => `$r${index + 8}`),
  '$rip',
  ...Array.from({ length: 16 }, (_, index) => `$xmm${index}`),
];

const X86 = ['$eax', '$ecx', '$edx', '$ebx', '$esp', '$ebp', '$esi', '$edi', '$eip'];

/** In .eh_frame of macOS, the numbers of the stack and base pointers are exchanged. */
const X86_MACOS = ['$eax', '$ecx', '$edx', '$ebx', '$ebp', '$esp', '$esi', '$edi', '$eip'];

const ARM = [
  ...Array.from({ length: 13 }, (_, index) => `r${index}`),
  ...['sp', 'lr', 'pc'],
  ...blank(48),
  ...Array.from({ length: 32 }, (_, index) => `s${index}`),
  ...blank(160),
  ...Array.from({ length: 32 }, (_, index) => `d${index}`),
];

const ARM64 = [
  ...Array.from({ length: 31 }, (_, index) => `x${index}`),
  'sp',
  ...blank(32),
  ...Array.from({ length: 32 }, (_, index) => `v${index}`),
];

function blank(count: number): (string | undefined)[] {
  return Array.from({ length: count }, () => undefined);
}

export type RegisterNames = readonly (string | undefined)[];

/** Undefined for a CPU whose stacks aren't walked. */
export function registerNames(cpu: string, isMacOs = false): RegisterNames | undefined {
  switch (cpu) {
    case 'x86_64':
      return X86_64;
    case 'x86':
      return isMacOs ? X86_MACOS : X86;
    case 'arm':
      return ARM;
    case 'arm64':
      return ARM64;
    default:
      return undefined;
  }
}
