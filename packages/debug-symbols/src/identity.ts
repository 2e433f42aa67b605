// The identities that connect a crash's modules with their symbols.

export type ModuleIdentity = {
  /** `Linux`, `windows` or `mac`. */
  readonly os: string;
  readonly cpu: string;
  /** 33 or more upper-case hexadecimal digits, as in Breakpad's MODULE records. */
  readonly debugId: string;
  readonly codeId: string | undefined;
  /** The name of the module, which is the name of the PDB on Windows. */
  readonly name: string;
  /** The name of the executable, where it differs. */
  readonly codeName?: string;
};

/** A build id as a debug id: its first 16 bytes as a GUID, whose first three fields are little-endian, and the age 0. */
export function debugIdOf(id: Uint8Array): string {
  const guid = new Uint8Array(16);
  guid.set(id.subarray(0, 16));
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return `${hexOf(order.map((index) => guid[index]!))}0`;
}

export function hexOf(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
}

/** The records at the start of a symbol file. */
export function identityRecords({ os, cpu, debugId, codeId, name, codeName }: ModuleIdentity): string {
  const code = codeId === undefined ? '' : `INFO CODE_ID ${codeId}${codeName === undefined ? '' : ` ${codeName}`}\n`;
  return `MODULE ${os} ${cpu} ${debugId} ${name}\n${code}INFO GENERATOR chauffeur-dump-syms\n`;
}
