// EXC_GUARD: the process used a port, file or memory in a way that a guard, set by itself or the system, forbids.
import { hex64 } from '../hex.ts';
import { bits } from './bit-fields.ts';
import { FILE_FLAVORS, MEMORY_FLAVORS, PORT_FLAVORS, VNODE_FLAVORS } from './guard-flavors.ts';

/** The parts of the codes. `code` is type [63:61], flavor [60:32] and target [31:0]; `subcode` depends on the guard. */
type Violation = { readonly flavor: number; readonly target: number; readonly subcode: bigint };

type Guard = {
  readonly name: string;
  /** Returns undefined for an unknown flavor. */
  describe(violation: Violation): string | undefined;
};

/** The types from xnu's `kern/exc_guard.h`, in rust-minidump's wording. */
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
    // The target is the kind of system call.
    describe: ({ target, subcode }) => ` / ${target === 0 ? 'syscall' : 'mach trap'}: ${subcode}`,
  },
};

/**
 * Returns `GUARD_TYPE_FD / GUARD_EXC_CLOSE file descriptor: 7 guard identifier: 42`, with both codes in hex for an
 * unknown flavor; undefined for an unknown type.
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
 * The flavors of files and vnodes are bit flags, because one call can violate two guards: dup2() over a guarded file
 * closes it with the wrong guard, `GUARD_EXC_CLOSE | GUARD_EXC_MISMATCH`. Returns undefined if no bit is set or if one is
 * unknown.
 */
function nameFlags(names: readonly string[], flags: number): string | undefined {
  if (flags === 0 || flags >>> names.length !== 0) return undefined;
  return names.filter((_, bit) => flags & (1 << bit)).join(' | ');
}
