// Reads the functions of sources that Metro, the bundler of React Native, adds to source maps (`x_facebook_sources`). The
// programs of Hermes are bytecode, so no script has the names of their functions.

/** A function from its start to the next one. Lines count from 1, columns from 0. */
type Start = { readonly line: number; readonly column: number; readonly name: string };

const MAX_NAME_LENGTH = 300;
/** Names of code outside of functions, and of functions without one. */
const UNNAMED = /^(?:<[\w ]{1,40}>)?$/;

export class SourceFunctions {
  readonly #sent: readonly unknown[];
  readonly #starts = new Map<number, readonly Start[]>();

  /** `json` is a source map whose shape was checked. */
  constructor(json: object) {
    this.#sent = sentOf(json);
  }

  /**
   * The name of the function at a place of the source with this number: empty for code outside of functions, and for
   * functions without a name; null if the map doesn't say.
   */
  nameAt(source: number, line: number, column: number): string | null {
    const starts = this.#starts.get(source) ?? startsOf(this.#sent[source]);
    this.#starts.set(source, starts);
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = starts[middle]!;
      if (start.line < line || (start.line === line && start.column <= column)) low = middle + 1;
      else high = middle;
    }
    const found = starts[low - 1]?.name;
    if (found === undefined) return null;
    return UNNAMED.test(found) ? '' : found;
  }
}

/** What the map says of each of its sources. Those of sections come one after the other. */
function sentOf(json: object): unknown[] {
  const { sections, sources, x_facebook_sources: sent } = json as Record<string, unknown>;
  if (Array.isArray(sections)) return sections.flatMap(({ map }: { map: object }) => sentOf(map));
  const list: readonly unknown[] = Array.isArray(sent) ? sent : [];
  return (sources as unknown[]).map((_, index) => list[index] ?? null);
}

/** Reads `[{ "names": ["<global>", "Player#hit"], "mappings": "AAA;ACC" }]`. The list is empty for anything else. */
function startsOf(sent: unknown): Start[] {
  const [first] = Array.isArray(sent) ? (sent as unknown[]) : [];
  const { names, mappings } = (first ?? {}) as Record<string, unknown>;
  if (!Array.isArray(names) || typeof mappings !== 'string') return [];
  const starts: Start[] = [];
  let [line, name] = [1, 0];
  for (const group of mappings.split(';')) {
    let column = 0;
    for (const segment of group.split(',')) {
      const [columns = 0, nextName = 0, lines = 0] = readNumbers(segment);
      column += columns;
      name += nextName;
      line += lines;
      const text: unknown = names[name];
      if (segment !== '' && typeof text === 'string')
        starts.push({ line, column, name: text.slice(0, MAX_NAME_LENGTH).replaceAll('#', '.') });
    }
  }
  return starts.sort((a, b) => a.line - b.line || a.column - b.column);
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The numbers of a segment, in the base-64 form of source maps. Ends at the first character that isn't one. */
function readNumbers(segment: string): number[] {
  const numbers: number[] = [];
  let [value, factor] = [0, 1];
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    if (digit < 0) break;
    value += (digit & 31) * factor;
    factor *= 32;
    if (digit >= 32) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    [value, factor] = [0, 1];
  }
  return numbers;
}
