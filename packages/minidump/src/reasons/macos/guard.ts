// EXC_GUARD: a process did something to a port, a file or memory that it had forbidden itself, or that the system forbids.
import { hex64 } from '../hex.ts';
import { bits } from './bit-fields.ts';
import { FILE_FLAVORS, MEMORY_FLAVORS, PORT_FLAVORS, VNODE_FLAVORS } from './guard-flavors.ts';

/** The parts of the codes: `code` is type [63:61], flavor [60:32], target [31:0]; `subcode` is the guard’s own. */
type Violation = { readonly flavor: number; readonly target: number; readonly subcode: bigint };

type Guard = {
  readonly name: string;
  /** undefined for a flavor that is not known. */
  describe(violation: Violation): string | undefined;
};

/** Types of xnu’s `kern/exc_guard.h`, in rust-minidump’s words. */
const GUARDS: Readonly<Record<number, Guard>> = {
  0: { name: 'GUARD_TYPE_NONE', describe: () => '' },
  1: { name: 'GUARD_TYPE_MACH_PORT', describe: describePort },
  2: {
    name: 'GUARD_TYPE_FD',
    describe: ({ flavor, target, subcode }) =>
      append(nameFlags(FILE_FLAVORS, flavor), `file descriptor: ${target} guard identifier: ${subcode}`),
  },
  3: {
    name: 'GUARD_TYPE_USER',
    describe: ({ target, subcode }) => ` / namespace: ${target} guard identifier: ${subcode}`,
  },
  4: {
    name: 'GUARD_TYPE_VN',
    describe: ({ flavor, target, subcode }) =>
      append(nameFlags(VNODE_FLAVORS, flavor), `pid: ${target} guard identifier: ${subcode}`),
  },
  5: {
    name: 'GUARD_TYPE_VIRT_MEMORY',
    describe: ({ flavor, subcode }) => append(MEMORY_FLAVORS.get(flavor), `offset: ${subcode}`),
  },
  6: {
    name: 'GUARD_TYPE_REJECTED_SC',
    // The target says which of the two kinds of system call it was.
    describe: ({ target, subcode }) => ` / ${target === 0 ? 'syscall' : 'mach trap'}: ${subcode}`,
  },
};

/**
 * `GUARD_TYPE_FD / GUARD_EXC_CLOSE file descriptor: 7 guard identifier: 42`; of an unknown flavor both codes in hex.
 * undefined for an unknown type.
 */
export function describeGuard(code: bigint, subcode: bigint): string | undefined {
  const guard = GUARDS[bits(code, 63, 61)];
  if (guard === undefined) return undefined;
  const violation = { flavor: bits(code, 60, 32), target: bits(code, 31, 0), subcode };
  return `${guard.name}${guard.describe(violation) ?? ` / ${hex64(code)} / ${hex64(subcode)}`}`;
}

function describePort({ flavor, target, subcode }: Violation): string | undefined {
  return append(PORT_FLAVORS.get(flavor), `port name: ${target}${subcode === 0n ? '' : ` subcode: ${subcode}`}`);
}

function append(flavor: string | undefined, detail: string): string | undefined {
  return flavor === undefined ? undefined : ` / ${flavor} ${detail}`;
}

/**
 * The flavors of files and vnodes are bits, and one call can violate two: to dup2() over a guarded file closes it with
 * another’s guard, `GUARD_EXC_CLOSE | GUARD_EXC_MISMATCH`. undefined when a bit is not known, or none is set.
 */
function nameFlags(names: readonly string[], flags: number): string | undefined {
  if (flags === 0 || flags >>> names.length !== 0) return undefined;
  return names.filter((_, bit) => flags & (1 << bit)).join(' | ');
}
