// The built-in types, which have numbers below those of records.

/** Numbers from here on are of records. */
export const FIRST_RECORD = 0x1000;

interface Primitive {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Names and sizes by the low byte of the number, as in Microsoft's `cvinfo.h`. Parameters after a C ellipsis, or of a
 * function declared without a prototype, have the type 0.
 */
const PRIMITIVES: ReadonlyMap<number, Primitive> = new Map([
  [0x00, { name: '<NoType>', size: 0 }],
  [0x03, { name: 'void', size: 0 }],
  [0x08, { name: 'HRESULT', size: 4 }],
  [0x10, { name: 'signed char', size: 1 }],
  [0x11, { name: 'short', size: 2 }],
  [0x12, { name: 'long', size: 4 }],
  [0x13, { name: 'long long', size: 8 }],
  [0x14, { name: 'int128_t', size: 16 }],
  [0x20, { name: 'unsigned char', size: 1 }],
  [0x21, { name: 'unsigned short', size: 2 }],
  [0x22, { name: 'unsigned long', size: 4 }],
  [0x23, { name: 'unsigned long long', size: 8 }],
  [0x24, { name: 'uint128_t', size: 16 }],
  [0x30, { name: 'bool', size: 1 }],
  [0x31, { name: 'bool16_t', size: 2 }],
  [0x32, { name: 'bool32_t', size: 4 }],
  [0x33, { name: 'bool64_t', size: 8 }],
  [0x40, { name: 'float', size: 4 }],
  [0x41, { name: 'double', size: 8 }],
  [0x42, { name: 'long double', size: 10 }],
  [0x43, { name: 'long double', size: 16 }],
  [0x44, { name: 'float48_t', size: 6 }],
  [0x45, { name: 'float', size: 4 }],
  [0x46, { name: 'float16_t', size: 2 }],
  [0x50, { name: 'complex<float>', size: 8 }],
  [0x51, { name: 'complex<double>', size: 16 }],
  [0x52, { name: 'complex<long double>', size: 20 }],
  [0x53, { name: 'complex<long double>', size: 32 }],
  [0x68, { name: 'int8_t', size: 1 }],
  [0x69, { name: 'uint8_t', size: 1 }],
  [0x70, { name: 'char', size: 1 }],
  [0x71, { name: 'wchar_t', size: 2 }],
  [0x72, { name: 'short', size: 2 }],
  [0x73, { name: 'unsigned short', size: 2 }],
  [0x74, { name: 'int', size: 4 }],
  [0x75, { name: 'unsigned int', size: 4 }],
  [0x76, { name: 'long long', size: 8 }],
  [0x77, { name: 'unsigned long long', size: 8 }],
  [0x78, { name: 'int128_t', size: 16 }],
  [0x79, { name: 'uint128_t', size: 16 }],
  [0x7a, { name: 'char16_t', size: 2 }],
  [0x7b, { name: 'char32_t', size: 4 }],
  [0x7c, { name: 'char8_t', size: 1 }],
]);

const UNKNOWN: Primitive = { name: '<unknown type>', size: 0 };

/** Returns the built-in type that `index` names or points to. */
export function primitiveType(index: number): Primitive {
  return PRIMITIVES.get(index & 0xff) ?? UNKNOWN;
}

/** Size of the pointer to a built-in type that `index` is, in bytes; 0 if it is the type itself. */
export function primitivePointerSize(index: number): number {
  const mode = (index >>> 8) & 0xf;
  if (mode === 0) return 0;
  return mode === 6 ? 8 : 4;
}
