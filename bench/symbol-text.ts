// Writes a symbol file of any size, in the proportions of a large C++ program. The same size gives the same file.
import { closeSync, openSync, writeSync } from 'node:fs';

export const SYMBOL_MODULE = { debugFile: 'game', debugId: '0123456789ABCDEF0123456789ABCDEF0' };

/** Measured bytes of text per function, including its share of all other records. */
const BYTES_PER_FUNCTION = 930;
const CODE_START = 0x1000;
const BUFFER = 1 << 20;

const SPACES = ['std', 'engine', 'render', 'physics', '(anonymous namespace)', 'audio', 'net', 'ui', 'boost::detail'];
const TYPES = [
  'int',
  'unsigned long',
  'FString',
  'std::string const&',
  'std::vector<float, std::allocator<float> >',
  'Actor*',
];
const NOUNS = ['Mesh', 'Shader', 'Actor', 'Widget', 'Packet', 'Voice', 'Body', 'Scene', 'Level', 'Texture', 'Task'];
const VERBS = ['update', 'draw', 'load', 'release', 'resolve', 'tick', 'serialize', 'operator()', 'push_back', 'visit'];
const RULES = [
  '.cfa: $rsp 16 + $rbp: .cfa -16 + ^',
  '.cfa: $rbp 16 +',
  '.cfa: $rsp 8 +',
  '$rbx: .cfa -56 + ^ $r12: .cfa -48 + ^',
];

/** Writes about `size` bytes to `path`. Returns offsets of functions, spread over the module. */
export function writeSymbolText(path: string, size: number): number[] {
  const text = new TextFile(path);
  const random = new Random(size);
  const functions = Math.max(10, Math.round(size / BYTES_PER_FUNCTION));
  const starts = new Float64Array(functions + 1);
  writeHead(text, random, functions);
  let offset = CODE_START;
  for (let index = 0; index < functions; index++) {
    starts[index] = offset;
    offset = writeFunction(text, random, offset, functions);
  }
  starts[functions] = offset;
  for (let index = 0; index < functions / 20; index++) {
    text.write(`PUBLIC ${(offset + index * 16).toString(16)} 0 ${nameOf(random)}\n`);
  }
  for (let index = 0; index < functions; index++) writeCfi(text, random, starts[index]!, starts[index + 1]!);
  text.close();
  return Array.from({ length: 1000 }, (_, index) => starts[Math.floor((index * functions) / 1000)]!);
}

function writeHead(text: TextFile, random: Random, functions: number): void {
  text.write(
    `MODULE Linux x86_64 ${SYMBOL_MODULE.debugId} ${SYMBOL_MODULE.debugFile}\nINFO CODE_ID 67452301AB89EFCD\n`,
  );
  for (let id = 0; id < functions / 40; id++) {
    const folder = random.pick(SPACES.slice(0, 4));
    text.write(`FILE ${id} /build/game/engine/source/${folder}/private/${random.pick(NOUNS)}${id}.cpp\n`);
  }
  for (let id = 0; id < functions / 4; id++) text.write(`INLINE_ORIGIN ${id} ${nameOf(random)}\n`);
}

/** Writes FUNC, inlined calls and 20 to 40 lines. Returns where the function ends. */
function writeFunction(text: TextFile, random: Random, start: number, functions: number): number {
  const lines = random.between(20, 40);
  const sizes = Array.from({ length: lines }, () => random.between(1, 24));
  const end = sizes.reduce((sum, size) => sum + size, start);
  const files = Math.ceil(functions / 40);
  const file = random.between(0, files - 1);
  text.write(`FUNC ${start.toString(16)} ${(end - start).toString(16)} 0 ${nameOf(random)}\n`);
  let depth = 0;
  for (let at = start + 8; at + 40 < end && random.between(0, 2) > 0; at += 40) {
    const origin = random.between(0, Math.floor(functions / 4) - 1);
    text.write(
      `INLINE ${depth} ${random.between(1, 3000)} ${file} ${origin} ${at.toString(16)} ${(end - at - 4).toString(16)}\n`,
    );
    depth++;
  }
  let line = random.between(10, 3000);
  let at = start;
  for (const size of sizes) {
    line = Math.max(1, line + random.between(-3, 6));
    const from = random.between(0, 9) === 0 ? random.between(0, files - 1) : file;
    text.write(`${at.toString(16)} ${size.toString(16)} ${line} ${from}\n`);
    at += size;
  }
  return end + random.between(0, 15);
}

function writeCfi(text: TextFile, random: Random, start: number, end: number): void {
  text.write(`STACK CFI INIT ${start.toString(16)} ${(end - start).toString(16)} .cfa: $rsp 8 + .ra: .cfa -8 + ^\n`);
  const rows = random.between(1, 5);
  for (let row = 0; row < rows; row++)
    text.write(`STACK CFI ${(start + 1 + row * 2).toString(16)} ${random.pick(RULES)}\n`);
}

function nameOf(random: Random): string {
  const scope = `${random.pick(SPACES)}::${random.pick(NOUNS)}${random.between(0, 9999)}`;
  const generic =
    random.between(0, 2) === 0 ? `<${random.pick(TYPES)}, ${random.pick(SPACES)}::${random.pick(NOUNS)}>` : '';
  return `${scope}${generic}::${random.pick(VERBS)}(${random.pick(TYPES)}, ${random.pick(TYPES)})`;
}

/** Random numbers that are the same in every run (a 32-bit xorshift). */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** Returns an integer from `min` to `max`. */
  between(min: number, max: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return min + ((this.#state >>> 0) % (max - min + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)]!;
  }
}

class TextFile {
  readonly #descriptor: number;
  #text = '';

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w');
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length > BUFFER) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#descriptor);
  }

  #flush(): void {
    writeSync(this.#descriptor, this.#text);
    this.#text = '';
  }
}
