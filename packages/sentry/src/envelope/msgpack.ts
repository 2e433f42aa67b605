// Decodes msgpack. A list takes as much memory as its length says, before any of its items is read, so a few bytes could
// demand gigabytes. That is found out first.
import { Decoder } from '@msgpack/msgpack';

/** The most lists and maps, which may be within each other. */
const MAX_LISTS = 100_000;
/** A map with more fields takes a multiple of the time. */
const MAX_FIELDS = 20_000;
const MAX_LENGTH = 1024 * 1024;

/** The library refuses a key that would change the prototype of an object, and with it everything else. */
const decoder = () =>
  new Decoder({
    maxStrLength: MAX_LENGTH,
    maxBinLength: MAX_LENGTH,
    maxArrayLength: MAX_LISTS,
    maxMapLength: MAX_FIELDS,
    maxExtLength: 1024,
    mapKeyConverter: (key) => (key === '__proto__' ? '__proto' : String(key)),
  });

/** The values that follow each other without a list around them; those before anything that can't be decoded. */
export function decodeMsgpack(bytes: Uint8Array): unknown[] {
  const values: unknown[] = [];
  if (demandsTooMuch(bytes)) return values;
  try {
    for (const value of decoder().decodeMulti(bytes)) values.push(value);
  } catch {
    // Crashpad copies the file while the program may be writing it.
  }
  return values;
}

/** Whether lists and maps say that they have more items than there are bytes, or are too many. */
function demandsTooMuch(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let items = 0;
  let lists = 0;
  for (let at = 0; at < bytes.length; ) {
    const { skipped, items: ofValue } = valueAt(view, at);
    if (ofValue !== null) lists += 1;
    items += ofValue ?? 0;
    if (items > bytes.length || lists > MAX_LISTS) return true;
    at += skipped;
  }
  return false;
}

/** The bytes until the next value, which is the first item of a list, and how many items a list says that it has. */
type Value = { readonly skipped: number; readonly items: number | null };

/** Formats from 0xc4 on: the bytes of the length, and what else follows besides as many bytes. */
const LENGTHS: Readonly<Record<number, readonly [lengthBytes: 1 | 2 | 4, more: number]>> = {
  ...{ 196: [1, 0], 197: [2, 0], 198: [4, 0], 199: [1, 1], 200: [2, 1], 201: [4, 1] },
  ...{ 217: [1, 0], 218: [2, 0], 219: [4, 0] },
};
const LISTS: Readonly<Record<number, readonly [lengthBytes: 2 | 4, itemsOfEach: 1 | 2]>> = {
  ...{ 220: [2, 1], 221: [4, 1], 222: [2, 2], 223: [4, 2] },
};
/** Numbers, and extensions of a fixed size with their type. */
const FIXED: Readonly<Record<number, number>> = {
  ...{ 202: 4, 203: 8, 204: 1, 205: 2, 206: 4, 207: 8, 208: 1, 209: 2, 210: 4, 211: 8 },
  ...{ 212: 2, 213: 3, 214: 5, 215: 9, 216: 17 },
};

function valueAt(view: DataView, at: number): Value {
  const format = view.getUint8(at);
  if (format >= 0x80 && format < 0x90) return { skipped: 1, items: 2 * (format & 0x0f) };
  if (format >= 0x90 && format < 0xa0) return { skipped: 1, items: format & 0x0f };
  if (format >= 0xa0 && format < 0xc0) return { skipped: 1 + (format & 0x1f), items: null };
  const list = LISTS[format];
  if (list !== undefined) return { skipped: 1 + list[0], items: list[1] * lengthAt(view, at + 1, list[0]) };
  const text = LENGTHS[format];
  if (text === undefined) return { skipped: 1 + (FIXED[format] ?? 0), items: null };
  return { skipped: 1 + text[0] + text[1] + lengthAt(view, at + 1, text[0]), items: null };
}

/** 0 if it was cut off. */
function lengthAt(view: DataView, at: number, bytes: 1 | 2 | 4): number {
  if (at + bytes > view.byteLength) return 0;
  if (bytes === 1) return view.getUint8(at);
  return bytes === 2 ? view.getUint16(at) : view.getUint32(at);
}
