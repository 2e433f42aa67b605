// EXC_RESOURCE: the process exceeded a resource limit.
import { bits, hex64 } from '../hex.ts';

type Resource = {
  readonly name: string;
  readonly flavors: Readonly<Record<number, string>>;
  /** Returns the limit and the usage. */
  describe(code: bigint, subcode: bigint): string;
};

/**
 * Types, flavors and fields from xnu's `kern/exc_resource.h`, in rust-minidump's wording. This code follows the header:
 * rust-minidump's masks are too narrow in three places (it reads a CPU limit of 80% as 0%, and 4100 wakeups as 4), and it
 * prints the MiB of I/O as a percentage.
 */
const RESOURCES: Readonly<Record<number, Resource>> = {
  1: {
    name: 'RESOURCE_TYPE_CPU',
    flavors: { 1: 'FLAVOR_CPU_MONITOR', 2: 'FLAVOR_CPU_MONITOR_FATAL' },
    describe: (code, subcode) =>
      `interval: ${bits(code, 31, 7)}s CPU limit: ${bits(code, 6, 0)}% CPU consumed: ${bits(subcode, 6, 0)}%`,
  },
  2: {
    name: 'RESOURCE_TYPE_WAKEUPS',
    flavors: { 1: 'FLAVOR_WAKEUPS_MONITOR' },
    describe: (code, subcode) =>
      `interval: ${bits(code, 31, 20)}s wakeups permitted: ${bits(code, 19, 0)} wakeups observed: ${bits(subcode, 19, 0)}`,
  },
  3: {
    name: 'RESOURCE_TYPE_MEMORY',
    flavors: { 1: 'FLAVOR_HIGH_WATERMARK', 2: 'FLAVOR_DIAG_MEMLIMIT' },
    describe: (code) => `high watermark limit: ${bits(code, 12, 0)}MiB`,
  },
  4: {
    name: 'RESOURCE_TYPE_IO',
    flavors: { 1: 'FLAVOR_IO_PHYSICAL_WRITES', 2: 'FLAVOR_IO_LOGICAL_WRITES' },
    describe: (code, subcode) =>
      `interval: ${bits(code, 31, 15)}s I/O limit: ${bits(code, 14, 0)}MiB I/O observed: ${bits(subcode, 14, 0)}MiB`,
  },
  5: {
    name: 'RESOURCE_TYPE_THREADS',
    flavors: { 1: 'FLAVOR_THREADS_HIGH_WATERMARK' },
    describe: (code) => `high watermark limit: ${bits(code, 14, 0)}`,
  },
  6: {
    name: 'RESOURCE_TYPE_PORTS',
    flavors: { 1: 'FLAVOR_PORT_SPACE_FULL' },
    describe: (code) => `ports allocated: ${bits(code, 23, 0)}`,
  },
};

/**
 * Returns `RESOURCE_TYPE_MEMORY / FLAVOR_HIGH_WATERMARK high watermark limit: 2048MiB`, with both codes in hex for an
 * unknown flavor; undefined for an unknown type.
 */
export function describeResource(code: bigint, subcode: bigint): string | undefined {
  const resource = RESOURCES[bits(code, 63, 61)];
  if (resource === undefined) return undefined;
  const flavor = resource.flavors[bits(code, 60, 58)];
  if (flavor === undefined) return `${resource.name} / ${hex64(code)} / ${hex64(subcode)}`;
  return `${resource.name} / ${flavor} ${resource.describe(code, subcode)}`;
}
