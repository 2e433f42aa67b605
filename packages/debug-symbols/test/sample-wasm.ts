// A small WebAssembly module with DWARF, and copies of it without parts.
// cspell:disable
//
// Its source is below. It was compiled in /src with Clang 14: clang++ --target=wasm32 -g -O1 -nostdlib -Wl,--no-entry
//
//   struct Game { int score; int tick(int a); };
//   static inline int twice(int v) { return v * 2 + 1; }
//   __attribute__((noinline)) int Game::tick(int a) {
//     score += twice(a);
//     if (score > 100) __builtin_trap();
//     return score;
//   }
//   static Game game;
//   extern "C" __attribute__((export_name("run"))) int run(int n) {
//     return game.tick(n);
//   }

import { concat } from './build-elf.ts';

const MODULE = `
AGFzbQEAAAABDAJgAn9/AX9gAX8BfwMDAgABBAUBcAEBAQUDAQACBggBfwFBkIgECwcQAgZtZW1vcnkCAANydW4AAQo5AiYAIAAgACgCACABQQ
F0akEBaiIBNgIAAkAgAUHlAEgNAAAACyABCxAAQYCIgIAAIAAQgICAgAALAKwCCy5kZWJ1Z19pbmZvHAEAAAQAAAAAAAQBWAAAACEATgAAAAAA
AABJAAAAAAAAAAAAAAACOQAAADsAAAABCAUDAAQAADUAAAADBT4AAAAEAQEELwAAAGsAAAABAQAFHwAAAA8AAAABAWsAAAAGcgAAAAdrAAAAAA
AIAgAAAAUECTsAAAAKFAAAAEMAAAABAmsAAAABCwAAAAABAmsAAAAADAIAAAAmAAAAB+0DAAAAAJ+tAAAAA1AAAAANHgAAAAYAAAAaAQAADgAA
AABWAAAAAQNrAAAAD3cAAAAOAAAAAQAAAAEEDBAE7QABn4cAAAAAABEpAAAAEAAAAAftAwAAAACfCwAAAAEJawAAABIE7QAAnw0AAAABCWsAAA
ATkwAAADgAAAAACTsAAAAAAEcKLmRlYnVnX2xvY/////8CAAAAAAAAACAAAAAEAO0AAZ8AAAAAAAAAAP////8CAAAAAAAAACAAAAAEAO0AAJ8A
AAAAAAAAAAAmDS5kZWJ1Z19yYW5nZXMCAAAAKAAAACkAAAA5AAAAAAAAAAAAAAAAoAINLmRlYnVnX2FiYnJldgERASUOEwUDDhAXGw4RAVUXAA
ACNAADDkkTOgs7CwIYbg4AAAMTATYLAw4LCzoLOwsAAAQNAAMOSRM6CzsLOAsAAAUuAW4OAw46CzsLSRM8GT8ZAAAGBQBJEzQZAAAHBQBJEwAA
CCQAAw4+CwsLAAAJDwBJEwAACi4Bbg4DDjoLOwtJEyALAAALBQADDjoLOwtJEwAADC4BEQESBkAYZBOXQhk7C0cTAAANBQACFwMOSRM0GQAADg
UAAhcDDjoLOwtJEwAADx0BMRMRARIGWAtZC1cLAAAQBQACGDETAAARLgERARIGQBiXQhkDDjoLOwtJEz8ZAAASBQACGAMOOgs7C0kTAAATiYIB
ADETEQEAAAAAcAsuZGVidWdfbGluZWAAAAAEAB8AAAABAQH7Dg0AAQEBAQAAAAEAAAEAZ2FtZS5jYwAAAAAAAAUCAgAAABQFCQohBSuqBQkiBQ
3zBQcGIAUULikFAwYmAgMAAQEABQIpAAAAGgUPCiEFAwbWAgEAAQEAfwouZGVidWdfc3RydgBpbnQAdGhpcwBydW4AdGljawBfWkw1dHdpY2Vp
AF9aTjRHYW1lNHRpY2tFaQBzY29yZQBfWkw0Z2FtZQBHYW1lAHR3aWNlAC9zcmMAZ2FtZS5jYwBhAERlYmlhbiBjbGFuZyB2ZXJzaW9uIDE0Lj
AuNgAAMgRuYW1lARcCAA9HYW1lOjp0aWNrKGludCkBA3J1bgcSAQAPX19zdGFja19wb2ludGVyAEcJcHJvZHVjZXJzAghsYW5ndWFnZQEOQ19w
bHVzX3BsdXNfMTQADHByb2Nlc3NlZC1ieQEMRGViaWFuIGNsYW5nBjE0LjAuNg==`;

export function sampleWasm(): Uint8Array {
  return Uint8Array.from(Buffer.from(MODULE, 'base64'));
}

type Section = { readonly id: number; readonly name: string; readonly bytes: Uint8Array };

/** The module with only some of its sections, and others after them. */
export function changedWasm(keeps: (section: Section) => boolean, ...others: readonly Uint8Array[]): Uint8Array {
  const file = sampleWasm();
  const kept: Uint8Array[] = [file.subarray(0, 8)];
  for (let at = 8; at < file.length; ) {
    const [size, contentAt] = readNumber(file, at + 1);
    const [length, nameAt] = readNumber(file, contentAt);
    const name = file[at] === 0 ? Buffer.from(file.subarray(nameAt, nameAt + length)).toString() : '';
    const bytes = file.subarray(at, contentAt + size);
    if (keeps({ id: file[at]!, name, bytes })) kept.push(bytes);
    at = contentAt + size;
  }
  return concat(...kept, ...others);
}

/** A section of tools, with a content of at most 120 bytes. */
export function customSection(name: string, content: Uint8Array): Uint8Array {
  const bytes = concat(Uint8Array.of(name.length), Buffer.from(name), content);
  return concat(Uint8Array.of(0, bytes.length), bytes);
}

export function sizedText(value: string): Uint8Array {
  return concat(Uint8Array.of(value.length), Buffer.from(value));
}

function readNumber(bytes: Uint8Array, start: number): [value: number, end: number] {
  let [value, shift, at] = [0, 0, start];
  for (let more = true; more; shift += 7) {
    more = bytes[at]! >= 0x80;
    value |= (bytes[at++]! & 0x7f) << shift;
  }
  return [value, at];
}
