// Split DWARF: most of a unit is in a `.dwo` file, or in a `.dwp` package of them (DWARF 5, section 7.3).
import type { ByteSource } from '../byte-source.ts';
import { Cursor } from '../cursor.ts';
import { DebugSymbolsError } from '../error.ts';
import { DwarfFile } from './dwarf-file.ts';
import { type Contributions, Unit } from './unit.ts';

/** The numbers of sections in an index, which differ between DWARF 5 and the format of GNU before it. */
const SECTIONS = {
  2: { info: 1, abbreviations: 3, lines: 4, strings: 6, rangeLists: 0 },
  5: { info: 1, abbreviations: 3, lines: 4, strings: 6, rangeLists: 8 },
} as const;

const MAX_UNITS = 5_000_000;

type Contribution = { readonly info: number } & Contributions;

/** A `.dwo` or `.dwp` file. `find` returns its sections, such as `.debug_info.dwo`. */
export class SplitFile {
  readonly #file: DwarfFile;
  readonly #index: ReadonlyMap<bigint, Contribution>;

  constructor(find: (section: string) => ByteSource | undefined, littleEndian: boolean) {
    this.#file = new DwarfFile((name) => find(`.debug_${name}.dwo`), littleEndian);
    const index = find('.debug_cu_index');
    this.#index = index === undefined ? new Map() : readIndex(index, littleEndian);
  }

  /** The split unit of a skeleton; undefined if it isn't in this file. */
  unitOf(skeleton: Unit): Unit | undefined {
    const { dwoId } = skeleton;
    if (dwoId === undefined) return undefined;
    const contribution = this.#index.get(dwoId);
    if (contribution !== undefined) {
      const header = this.#file.units.find(({ offset }) => offset === contribution.info);
      return header && new Unit(this.#file, header, { skeleton, contributions: contribution });
    }
    for (const header of this.#file.units) {
      if (header.isType || (header.dwoId !== undefined && header.dwoId !== dwoId)) continue;
      const unit = new Unit(this.#file, header, { skeleton });
      if (unit.dwoId === dwoId) return unit;
    }
    return undefined;
  }
}

function readIndex(source: ByteSource, littleEndian: boolean): ReadonlyMap<bigint, Contribution> {
  const bytes = source.read(0, source.size);
  const cursor = new Cursor(bytes, littleEndian);
  const first = cursor.u32();
  const version = (littleEndian ? first & 0xffff : first >>> 16) === 5 ? 5 : first;
  if (version !== 2 && version !== 5)
    throw new DebugSymbolsError('unsupported', `packages of split DWARF of version ${version} are not supported`);
  const [columns, units, slots] = [cursor.u32(), cursor.u32(), cursor.u32()];
  const tablesAt = 16 + slots * 12;
  if (units > MAX_UNITS || tablesAt + columns * 4 * (1 + units) > bytes.length)
    throw new DebugSymbolsError('truncated', 'the index of a package of split DWARF is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number = (at: number) => view.getUint32(at, littleEndian);
  const ids = Array.from({ length: columns }, (_, column) => number(tablesAt + column * 4));
  const index = new Map<bigint, Contribution>();
  for (let slot = 0; slot < slots; slot += 1) {
    const row = number(16 + slots * 8 + slot * 4);
    if (row === 0 || row > units) continue;
    const offsetOf = (section: number) => {
      const column = ids.indexOf(section);
      return column < 0 ? undefined : number(tablesAt + columns * 4 * row + column * 4);
    };
    const { info, abbreviations, lines, strings, rangeLists } = SECTIONS[version];
    index.set(view.getBigUint64(16 + slot * 8, littleEndian), {
      info: offsetOf(info) ?? 0,
      abbreviations: offsetOf(abbreviations) ?? 0,
      lines: offsetOf(lines) ?? 0,
      strings: offsetOf(strings),
      rangeLists: offsetOf(rangeLists),
    });
  }
  return index;
}
