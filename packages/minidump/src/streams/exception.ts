// ExceptionStream: the exception that stopped the process, its thread, and the registers of that thread.
import type { Location, StreamKind } from '../minidump.ts';
import { readLocation } from './structures.ts';

export type Exception = {
  readonly threadId: number;
  /** Windows: the exception code; Linux: the signal; macOS: the Mach exception. */
  readonly code: number;
  /** Windows: flags; Linux: `si_code`; macOS: the Mach code. */
  readonly flags: number;
  /** Address of the exception record of an outer exception; 0n if there is none. */
  readonly nested: bigint;
  readonly address: bigint;
  /** There are at most 15 parameters. */
  readonly parameters: readonly bigint[];
  /** The location of the CPU context. */
  readonly context: Location;
};

const MAX_PARAMETERS = 15;

export const EXCEPTION: StreamKind<Exception> = {
  type: 6,
  name: 'ExceptionStream',
  read: ({ bytes, warn }) => {
    const cursor = bytes.cursor();
    const threadId = cursor.u32();
    cursor.skip(4);
    const code = cursor.u32();
    const flags = cursor.u32();
    const nested = cursor.u64();
    const address = cursor.u64();
    const count = cursor.u32();
    cursor.skip(4);
    if (count > MAX_PARAMETERS) warn(`claims ${count} parameters, but the format allows only ${MAX_PARAMETERS}`);
    const parameters = Array.from({ length: MAX_PARAMETERS }, () => cursor.u64()).slice(0, count);
    return { threadId, code, flags, nested, address, parameters, context: readLocation(cursor) };
  },
};
