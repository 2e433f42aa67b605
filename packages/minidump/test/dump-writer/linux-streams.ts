// Writes the texts from Linux's /proc.
import type { DumpDescription, LinuxDescription } from './description.ts';
import { Output, type Place } from './output.ts';

/** Returns a function that writes one of the texts in the description. */
export function writeLinux(part: keyof LinuxDescription) {
  return (output: Output, { linux }: DumpDescription): Place | undefined => {
    const content = linux?.[part];
    if (content === undefined) return undefined;
    if (typeof content === 'string') return output.put(() => output.raw(new TextEncoder().encode(content)));
    return output.put(() => output.raw('wordSize' in content ? auxv(output, content) : nulList(content)));
  };
}

function nulList(texts: readonly string[]): Uint8Array {
  return new TextEncoder().encode(texts.map((text) => `${text}\0`).join(''));
}

/** The kernel ends the vector with a pair of zeros. */
function auxv({ endian }: Output, { wordSize, values }: NonNullable<LinuxDescription['auxv']>): Uint8Array {
  const output = new Output(endian);
  for (const word of [...values, [0, 0n] as const].flat()) {
    if (wordSize === 8) output.u64(word);
    else output.u32(Number(word));
  }
  return output.bytes;
}
