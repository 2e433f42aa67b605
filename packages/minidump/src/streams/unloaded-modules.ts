// UnloadedModuleListStream: modules that were unloaded before the crash. An address in one is a call to unloaded code.
import type { StreamKind } from '../minidump.ts';
import { readSizedList } from './list.ts';
import { readUtf16StringOrWarn } from './strings.ts';

export type UnloadedModule = {
  readonly base: bigint;
  /** The size in the address space, in bytes. */
  readonly size: number;
  readonly checksum: number;
  readonly timestamp: number;
  /** The path of the file, unchanged; usually only its name. */
  readonly codeFile: string;
};

const MIN_ENTRY_SIZE = 24;

/** The modules in the order of the dump. They can overlap, because an address range can be reused. */
export const UNLOADED_MODULES: StreamKind<UnloadedModule[]> = {
  type: 14,
  name: 'UnloadedModuleListStream',
  read: (input) =>
    readSizedList(input, { minEntrySize: MIN_ENTRY_SIZE }, (entry) => {
      const base = entry.u64();
      const [size, checksum, timestamp] = [entry.u32(), entry.u32(), entry.u32()];
      const label = `the name of the unloaded module at 0x${base.toString(16)}`;
      return { base, size, checksum, timestamp, codeFile: readUtf16StringOrWarn(input, entry.u32(), label) };
    }),
};
