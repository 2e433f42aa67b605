// How sizes are said to people.

const plain = new Intl.NumberFormat('en');
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `512 bytes`, `68.6 KiB`, `1.2 GiB`. */
export function sayBytes(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${plain.format(size)} bytes` : `${size.toFixed(size >= 100 ? 0 : 1)} ${UNITS[unit]}`;
}
