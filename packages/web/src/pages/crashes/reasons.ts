// Says the reason of a crash in words: what the processor or the system did not let the program do.

type Explained = { readonly match: RegExp; readonly words: string };

/** By the beginnings of reasons as reports have them: signals of Linux and macOS, exceptions of Windows and Mach. */
const REASONS: readonly Explained[] = [
  { match: /^SIGSEGV \/ SEGV_MAPERR/, words: 'It used memory that is not there' },
  { match: /^SIGSEGV \/ SEGV_ACCERR/, words: 'It used memory in a way that is not allowed there' },
  { match: /^SIGSEGV \/ SI_KERNEL/, words: 'It used an address that no memory can have' },
  { match: /^SIGSEGV/, words: 'It used memory that it may not use' },
  { match: /^SIGBUS/, words: 'It used memory that cannot be reached, or at a crooked address' },
  { match: /^SIGFPE \/ FPE_INTDIV|^EXCEPTION_INT_DIVIDE_BY_ZERO/, words: 'It divided a whole number by zero' },
  { match: /^SIGFPE|^EXC_ARITHMETIC/, words: 'It made an impossible calculation' },
  {
    match: /^SIGILL|^EXCEPTION_ILLEGAL_INSTRUCTION|^EXC_BAD_INSTRUCTION/,
    words: 'It ran something that is no instruction',
  },
  {
    match: /^SIGTRAP|^EXCEPTION_BREAKPOINT|^EXC_BREAKPOINT/,
    words: 'It stopped itself at a trap, as failed checks do',
  },
  { match: /^SIGABRT|^EXC_CRASH \/ .*SIGABRT/, words: 'It stopped itself with abort()' },
  { match: /^EXCEPTION_ACCESS_VIOLATION_READ/, words: 'It read memory that it may not read' },
  { match: /^EXCEPTION_ACCESS_VIOLATION_WRITE/, words: 'It wrote to memory that it may not write to' },
  { match: /^EXCEPTION_ACCESS_VIOLATION_EXEC/, words: 'It ran memory that holds no code' },
  { match: /^EXCEPTION_STACK_OVERFLOW/, words: 'Its stack was full, mostly of calls that never end' },
  { match: /^EXC_BAD_ACCESS/, words: 'It used memory that it may not use' },
  { match: /^EXC_RESOURCE/, words: 'It used more than the system allows' },
  { match: /^EXC_GUARD/, words: 'It broke a guard of the system' },
  { match: /^0x[eE]06[dD]7363|^Unhandled C\+\+ Exception/, words: 'An exception of C++ that nobody caught' },
];

const NO_MEMORY = /memory/;
/** Nothing is ever mapped below; an address here is a null pointer and the place of a field. */
const NEAR_NULL = 0x10000n;

/** `It used memory that is not there: 0x14, which is near null.`; null for a reason that is not known here. */
export function sayReason(reason: string | null, address: string | null): string | null {
  const words = REASONS.find(({ match }) => match.test(reason ?? ''))?.words;
  if (words === undefined) return null;
  if (!NO_MEMORY.test(words) || address === null || !/^0x[0-9a-f]+$/i.test(address)) return `${words}.`;
  return BigInt(address) < NEAR_NULL ? `${words}: ${address}, by a null pointer most likely.` : `${words}: ${address}.`;
}
