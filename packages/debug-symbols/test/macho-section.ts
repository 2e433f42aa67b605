// Finds a section of a 64-bit Mach-O file, for tests of what is in it.

/** Returns the contents of a section, and its address relative to the start of the module. */
export function findMachoSection(file: Uint8Array, name: string): { bytes: Uint8Array; address: number } | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const text = (at: number) => new TextDecoder().decode(file.subarray(at, at + 16)).replace(/\0.*/s, '');
  let base = 0;
  for (let at = 32, left = view.getUint32(16, true); left > 0; left--, at += view.getUint32(at + 4, true)) {
    if (view.getUint32(at, true) !== 0x19) continue;
    if (text(at + 8) === '__TEXT') base = Number(view.getBigUint64(at + 24, true));
    for (let index = 0; index < view.getUint32(at + 64, true); index++) {
      const section = at + 72 + 80 * index;
      if (text(section) !== name) continue;
      const offset = view.getUint32(section + 48, true);
      const size = Number(view.getBigUint64(section + 40, true));
      const address = Number(view.getBigUint64(section + 32, true)) - base;
      return { bytes: file.subarray(offset, offset + size), address };
    }
  }
  return undefined;
}
