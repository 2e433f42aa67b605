// UnloadedModuleListStream: modules that were loaded once; an address in one of them is a call into code that is gone.
import type { StreamKind } from '../minidump.ts';
import { readSizedList } from './list.ts';
import { readUtf16StringOrWarn } from './strings.ts';

export type UnloadedModule = {
  readonly base: bigint;
  /** Bytes of address space. */
  readonly size: number;
  readonly checksum: number;
  readonly timestamp: number;
  /** Path of the file, as the dump gives it; mostly its name alone. */
  readonly codeFile: string;
};

const MIN_ENTRY_SIZE = 24;

/** In the dump’s order. They may overlap: one place is used by one module after the other. */
export const UNLOADED_MODULES: StreamKind<UnloadedModule[]> = {
  type: 14,
  name: 'UnloadedModuleListStream',
  read: (input) =>
    readSizedList(input, { minEntrySize: MIN_ENTRY_SIZE }, (entry) => {
      const base = entry.u64();
      const [size, checksum, timestamp] = [entry.u32(), entry.u32(), entry.u32()];
      const what = `the name of the unloaded module at 0x${base.toString(16)}`;
      return { base, size, checksum, timestamp, codeFile: readUtf16StringOrWarn(input, entry.u32(), what) };
    }),
};
