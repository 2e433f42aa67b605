// Line mappings that Unity writes for IL2CPP (`LineNumberMappings.json`): the line of a C# file for lines of the C++ files
// that it was translated to. The form is `{ "file.cpp": { "File.cs": { "120": 14 } } }`.
import { MappingError } from './error.ts';

type Line = { readonly cppLine: number; readonly file: string; readonly line: number };

/** Statements of C# become several lines of C++; beyond so many, it is other code. */
const MAX_DISTANCE = 64;

/** Where sentry-cli writes which program it is of. */
const DEBUG_ID = '__debug-id__';

export class Il2cppLines {
  readonly #files: ReadonlyMap<string, unknown>;
  readonly #lines = new Map<string, readonly Line[]>();

  /** Throws a MappingError for any other text. */
  constructor(text: string) {
    let json: unknown;
    try {
      json = JSON.parse(text.replace(/^\ufeff/, ''));
    } catch (cause) {
      throw new MappingError('it is not valid JSON', { cause });
    }
    const files = isRecord(json) ? Object.entries(json).filter(([name]) => name !== DEBUG_ID) : [['', null] as const];
    if (!files.every(([, lines]) => isRecord(lines))) throw new MappingError('it is not a line mapping of IL2CPP');
    this.#files = new Map(files.map(([path, lines]) => [baseOf(path), lines]));
  }

  /** The place in C# of a line of generated C++; null if there is none. Files are compared by their names. */
  placeAt(cppFile: string, cppLine: number): { readonly file: string; readonly line: number } | null {
    const name = baseOf(cppFile);
    const lines = this.#lines.get(name) ?? linesOf(this.#files.get(name));
    this.#lines.set(name, lines);
    let [low, high] = [0, lines.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lines[middle]!.cppLine <= cppLine) low = middle + 1;
      else high = middle;
    }
    const found = lines[low - 1];
    return found === undefined || cppLine - found.cppLine > MAX_DISTANCE
      ? null
      : { file: found.file, line: found.line };
  }
}

function linesOf(files: unknown): Line[] {
  if (!isRecord(files)) return [];
  return Object.entries(files)
    .flatMap(([file, lines]) =>
      isRecord(lines)
        ? Object.entries(lines).map(([cppLine, line]) => ({ cppLine: Number(cppLine), file, line: Number(line) }))
        : [],
    )
    .filter(({ cppLine, line }) => Number.isSafeInteger(cppLine) && Number.isSafeInteger(line) && line > 0)
    .sort((a, b) => a.cppLine - b.cppLine);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function baseOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
