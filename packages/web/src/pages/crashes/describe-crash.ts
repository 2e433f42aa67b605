// Describes crashes in words: the reason, such as `SIGSEGV / SEGV_MAPERR`, in a sentence, the names of the builds in
// which a group occurs, and whether an update introduced or fixed it.
import { formatPlatform } from '@chauffeur/contract/format';

type Explanation = {
  readonly match: RegExp;
  readonly text: string;
  /** The text for an invalid memory access at a known address, and for one that is close to zero. */
  readonly textAt?: string;
  readonly textNearNull?: string;
};

/**
 * Matches the beginnings of reasons as reports have them: signals of Linux and macOS, exceptions of Windows and Mach.
 */
const EXPLANATIONS: readonly Explanation[] = [
  {
    match: /^SIGSEGV \/ SEGV_ACCERR/,
    text: 'Memory access without permission.',
    textAt: 'Memory access without permission at {address}.',
    textNearNull: 'Memory access without permission at {address} (likely a null pointer).',
  },
  // The system doesn't say which address it was, and the report has 0.
  {
    match: /^SIGSEGV \/ SI_KERNEL|^EXC_BAD_ACCESS \/ EXC_I386_GPFLT/,
    text: 'Access to an address outside the valid range.',
  },
  // Instead of an address, the report has the sender.
  {
    match: /^(?:SIGSEGV|SIGBUS) \/ SI_/,
    text: 'The game or another program sent this signal; no memory access failed.',
  },
  {
    match: /^SIGSEGV|^EXC_BAD_ACCESS/,
    text: 'Invalid memory access.',
    textAt: 'Invalid memory access at {address}.',
    textNearNull: 'Invalid memory access at {address} (likely a null pointer).',
  },
  {
    match: /^SIGBUS/,
    text: 'Unreachable or misaligned memory access.',
    textAt: 'Unreachable or misaligned memory access at {address}.',
    textNearNull: 'Unreachable or misaligned memory access at {address} (likely a null pointer).',
  },
  {
    match: /^EXCEPTION_ACCESS_VIOLATION_READ/,
    text: 'Invalid memory read.',
    textAt: 'Invalid memory read at {address}.',
    textNearNull: 'Invalid memory read at {address} (likely a null pointer).',
  },
  {
    match: /^EXCEPTION_ACCESS_VIOLATION_WRITE/,
    text: 'Invalid memory write.',
    textAt: 'Invalid memory write at {address}.',
    textNearNull: 'Invalid memory write at {address} (likely a null pointer).',
  },
  {
    match: /^EXCEPTION_ACCESS_VIOLATION_EXEC/,
    text: 'Execution of memory that contains no code.',
    textAt: 'Execution of memory that contains no code at {address}.',
    textNearNull: 'Execution of memory that contains no code at {address} (likely a null pointer).',
  },
  { match: /^SIGFPE \/ FPE_INTDIV|^EXCEPTION_INT_DIVIDE_BY_ZERO/, text: 'Integer division by zero.' },
  { match: /^SIGFPE|^EXC_ARITHMETIC/, text: 'Arithmetic error.' },
  { match: /^SIGILL|^EXCEPTION_ILLEGAL_INSTRUCTION|^EXC_BAD_INSTRUCTION/, text: 'Illegal instruction.' },
  { match: /^SIGTRAP|^EXCEPTION_BREAKPOINT|^EXC_BREAKPOINT/, text: 'Trap or breakpoint, such as a failed assertion.' },
  { match: /^SIGABRT|^EXC_CRASH \/ .*SIGABRT/, text: 'The game called abort().' },
  { match: /^EXCEPTION_STACK_OVERFLOW/, text: 'Stack overflow, usually caused by infinite recursion.' },
  { match: /^EXC_RESOURCE/, text: 'System resource limit exceeded.' },
  { match: /^EXC_GUARD/, text: 'Violation of a guarded system resource.' },
  { match: /^0x[eE]06[dD]7363|^Unhandled C\+\+ Exception/, text: 'Uncaught C++ exception.' },
];

/** Nothing is mapped below this address: an access there is usually to a field of a null pointer. */
const NEAR_NULL = 0x10000n;

/** `Invalid memory access at 0x14 (likely a null pointer).`; null for a reason that has no explanation. */
export function formatReason(reason: string | null, address: string | null): string | null {
  const explanation = EXPLANATIONS.find(({ match }) => match.test(reason ?? ''));
  if (explanation === undefined) return null;
  const { text, textAt = text, textNearNull = text } = explanation;
  if (address === null || !/^0x[0-9a-f]+$/i.test(address)) return text;
  return (BigInt(address) < NEAR_NULL ? textNearNull : textAt).replace('{address}', address);
}

type Affected = { readonly version: string };

/**
 * `builds` are builds with reports of the group, possibly not all; `buildCount` is their total number. A deleted build
 * has an empty version. Returns null if nothing certain can be said.
 */
export function formatAffectedVersions(
  builds: readonly Affected[],
  buildCount: number,
  newest: string | undefined,
): string | null {
  const versions = new Set(builds.map(({ version }) => version));
  const [first] = versions;
  const isComplete = buildCount === builds.length;
  if (newest === undefined || first === undefined) return null;
  if (isComplete && versions.size === 1 && first !== '') {
    return first === newest ? `Only in ${first} (newest build)` : `Only in ${first}, not in ${newest} (newest build)`;
  }
  if (versions.has(newest)) return `Also in ${newest} (newest build)`;
  return isComplete ? `Not in ${newest} (newest build)` : null;
}

type Build = { readonly version: string; readonly os: string; readonly arch: string };

/** The version of each build, with the platform where several builds have the same version. */
export function nameBuilds(builds: readonly Build[]): string[] {
  return builds.map((build) => {
    if (build.version === '') return 'deleted build';
    const isShared = builds.some((other) => other !== build && other.version === build.version);
    return isShared ? `${build.version} ${formatPlatform(build)}` : build.version;
  });
}
