// The bytes of a word of memory as text.

/** In the order of their addresses: all supported CPUs store the last byte of a number first. Others become `.`. */
export function textOfWord(value: string): string {
  const bytes = value.replace(/^0x/, '').match(/../g) ?? [];
  return bytes
    .reverse()
    .map((byte) => {
      const code = Number.parseInt(byte, 16);
      return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
    })
    .join('');
}
