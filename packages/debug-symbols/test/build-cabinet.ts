// Builds cabinets with one file for tests, compressed with MSZIP.
import { deflateRawSync } from 'node:zlib';
import { concat, text, u16, u32 } from './build-elf.ts';

const BLOCK_BYTES = 32_768;

type Options = { readonly name?: string; readonly method?: number; readonly hasChecksums?: boolean };

export function buildCabinet(content: Uint8Array, options: Options = {}): Uint8Array {
  const { name = 'game.pdb', method = 1, hasChecksums = true } = options;
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += BLOCK_BYTES) {
    const bytes = content.subarray(at, at + BLOCK_BYTES);
    const dictionary = content.subarray(Math.max(0, at - BLOCK_BYTES), at);
    const packed =
      method === 0 ? bytes : concat(Buffer.from('CK'), deflateRawSync(bytes, at === 0 ? {} : { dictionary }));
    const sizes = concat(u16(packed.length), u16(bytes.length));
    blocks.push(concat(u32(hasChecksums ? checksumOf(packed) ^ checksumOf(sizes) : 0), sizes, packed));
  }
  const file = concat(u32(content.length), u32(0), u16(0), u32(0), u16(0x20), text(name));
  const dataAt = 36 + 8 + file.length;
  const data = concat(...blocks);
  return concat(
    ...[Buffer.from('MSCF'), u32(0), u32(dataAt + data.length), u32(0), u32(36 + 8), u32(0), u16(0x103)],
    ...[u16(1), u16(1), u16(0), u16(0), u16(0)],
    ...[u32(dataAt), u16(blocks.length), u16(method), file, data],
  );
}

function checksumOf(bytes: Uint8Array): number {
  let value = 0;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 1) value ^= bytes[at]! << (8 * (at & 3));
  for (let at = whole, left = bytes.length - whole; left > 0; at += 1, left -= 1)
    value ^= bytes[at]! << (8 * (left - 1));
  return value >>> 0;
}
