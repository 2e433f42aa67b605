// EXC_GUARD: the process used a port, file or memory in a way that a guard, set by itself or the system, forbids.
import { bits, hex64 } from '../hex.ts';

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

// The forbidden actions, by type of guard. The kernel's names start with a k, which crash tools omit.

/** The names are from xnu's `mach/port.h`, including numbers that newer kernels removed or changed. */
const PORT_FLAVORS: ReadonlyMap<number, string> = new Map([
  [1, 'GUARD_EXC_DESTROY'],
  [2, 'GUARD_EXC_MOD_REFS'],
  [3, 'GUARD_EXC_INVALID_OPTIONS'],
  [4, 'GUARD_EXC_SET_CONTEXT'],
  [5, 'GUARD_EXC_THREAD_SET_STATE'],
  [6, 'GUARD_EXC_EXCEPTION_BEHAVIOR_ENFORCE'],
  [7, 'GUARD_EXC_SERVICE_PORT_VIOLATION_FATAL'],
  [8, 'GUARD_EXC_UNGUARDED'],
  [16, 'GUARD_EXC_INCORRECT_GUARD'],
  [32, 'GUARD_EXC_IMMOVABLE'],
  [64, 'GUARD_EXC_STRICT_REPLY'],
  [65, 'GUARD_EXC_INVALID_NOTIFICATION_REQ'],
  [66, 'GUARD_EXC_INVALID_MPO_ENTITLEMENT'],
  [67, 'GUARD_EXC_DESCRIPTOR_VIOLATION'],
  [128, 'GUARD_EXC_MSG_FILTERED'],
  [0x00000100, 'GUARD_EXC_INVALID_RIGHT'],
  [0x00000200, 'GUARD_EXC_INVALID_NAME'],
  [0x00000400, 'GUARD_EXC_INVALID_VALUE'],
  [0x00000800, 'GUARD_EXC_INVALID_ARGUMENT'],
  [0x00001000, 'GUARD_EXC_RIGHT_EXISTS'],
  [0x00002000, 'GUARD_EXC_KERN_NO_SPACE'],
  [0x00004000, 'GUARD_EXC_KERN_FAILURE'],
  [0x00008000, 'GUARD_EXC_KERN_RESOURCE'],
  [0x00010000, 'GUARD_EXC_SEND_INVALID_REPLY'],
  [0x00020000, 'GUARD_EXC_SEND_INVALID_VOUCHER'],
  [0x00040000, 'GUARD_EXC_SEND_INVALID_RIGHT'],
  [0x00080000, 'GUARD_EXC_RCV_INVALID_NAME'],
  [0x00100000, 'GUARD_EXC_RCV_GUARDED_DESC'],
  [0x00100001, 'GUARD_EXC_SERVICE_PORT_VIOLATION_NON_FATAL'],
  [0x00100002, 'GUARD_EXC_PROVISIONAL_REPLY_PORT'],
  [0x00100003, 'GUARD_EXC_OOL_PORT_ARRAY_CREATION'],
  [0x00100004, 'GUARD_EXC_MOVE_PROVISIONAL_REPLY_PORT'],
  [0x00100005, 'GUARD_EXC_REPLY_PORT_SINGLE_SO_RIGHT'],
  [0x00200000, 'GUARD_EXC_MOD_REFS_NON_FATAL'],
  [0x00400000, 'GUARD_EXC_IMMOVABLE_NON_FATAL'],
  [0x00800000, 'GUARD_EXC_REQUIRE_REPLY_PORT_SEMANTICS'],
  [0x01000000, 'GUARD_EXC_EXCEPTION_BEHAVIOR_ENFORCE'],
]);

/** The names are from xnu's `sys/guarded.h`, by bit number. */
const FILE_FLAVORS: readonly string[] = [
  'GUARD_EXC_CLOSE',
  'GUARD_EXC_DUP',
  'GUARD_EXC_NOCLOEXEC',
  'GUARD_EXC_SOCKET_IPC',
  'GUARD_EXC_FILEPORT',
  'GUARD_EXC_MISMATCH',
  'GUARD_EXC_WRITE',
];

/** The names are from xnu's `sys/guarded.h`, by bit number. */
const VNODE_FLAVORS: readonly string[] = [
  'GUARD_EXC_RENAME_TO',
  'GUARD_EXC_RENAME_FROM',
  'GUARD_EXC_UNLINK',
  'GUARD_EXC_WRITE_OTHER',
  'GUARD_EXC_TRUNC_OTHER',
  'GUARD_EXC_LINK',
  'GUARD_EXC_EXCHDATA',
];

/**
 * The flavors are from xnu's `mach/vm_statistics.h`. macOS 15 uses the SEC flavors up to 64, later versions those from
 * 98.
 */
const MEMORY_FLAVORS: ReadonlyMap<number, string> = new Map([
  [1, 'GUARD_EXC_DEALLOC_GAP'],
  [2, 'GUARD_EXC_RECLAIM_COPYIO_FAILURE'],
  [3, 'GUARD_EXC_SEC_LOOKUP_DENIED'],
  [4, 'GUARD_EXC_RECLAIM_INDEX_FAILURE'],
  [6, 'GUARD_EXC_SEC_RANGE_DENIED'],
  [7, 'GUARD_EXC_SEC_ACCESS_FAULT'],
  [8, 'GUARD_EXC_RECLAIM_DEALLOCATE_FAILURE'],
  [9, 'GUARD_EXC_RECLAIM_ACCOUNTING_FAILURE'],
  [10, 'GUARD_EXC_SEC_IOPL_ON_EXEC_PAGE'],
  [11, 'GUARD_EXC_SEC_EXEC_ON_IOPL_PAGE'],
  [12, 'GUARD_EXC_SEC_UPL_WRITE_ON_EXEC_REGION'],
  [13, 'GUARD_EXC_LARGE_ALLOCATION_TELEMETRY'],
  [16, 'GUARD_EXC_SEC_COPY_DENIED'],
  [32, 'GUARD_EXC_SEC_SHARING_DENIED'],
  [64, 'GUARD_EXC_SEC_ASYNC_ACCESS_FAULT'],
  [98, 'GUARD_EXC_SEC_ACCESS_FAULT'],
  [99, 'GUARD_EXC_SEC_ASYNC_ACCESS_FAULT'],
  [100, 'GUARD_EXC_SEC_COPY_DENIED'],
  [101, 'GUARD_EXC_SEC_SHARING_DENIED'],
  [200, 'GUARD_EXC_MTE_SYNC_FAULT'],
  [201, 'GUARD_EXC_MTE_ASYNC_USER_FAULT'],
  [202, 'GUARD_EXC_MTE_ASYNC_KERN_FAULT'],
  [203, 'GUARD_EXC_GUARD_OBJECT_ASYNC_USER_FAULT'],
  [204, 'GUARD_EXC_GUARD_OBJECT_ASYNC_KERN_FAULT'],
]);
