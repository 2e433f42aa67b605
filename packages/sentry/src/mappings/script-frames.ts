// Leads the frames of minified scripts to their sources: file, line, the name of the function, and lines around it.
import { ScriptFunctions } from './script-functions.ts';
import { inlineMapOf, type SourceLines, SourceMap } from './source-map.ts';

/** A frame of JavaScript as the browser says it. Lines and columns count from 1. */
export type ScriptFrame = { readonly function: string; readonly line: number; readonly column: number };

export type SourceFrame = {
  /** Empty for code outside of functions, and for functions without a name. */
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Whether the source is a package of others. */
  readonly isLibrary: boolean;
  /** Null if the map doesn't contain its sources. */
  readonly source: SourceLines | null;
};

const CONTEXT_LINES = 5;

/** A script with its source map. */
export class MappedScript {
  readonly #map: SourceMap;
  readonly #functions: ScriptFunctions | null;

  /** Both are texts. Without the script, names of functions are guessed. Throws MappingError. */
  constructor(map: string | null, script: string | null) {
    this.#map = new SourceMap(map ?? (script === null ? null : inlineMapOf(script)) ?? '');
    this.#functions = script === null ? null : new ScriptFunctions(script);
  }

  /** Null if the map says nothing of the place. `caller` is the next frame, if it is of a script with this one. */
  resolve(frame: ScriptFrame, caller: { script: MappedScript; frame: ScriptFrame } | null): SourceFrame | null {
    const { line, column } = frame;
    const place = this.#map.placeAt(line, column);
    if (place === null) return null;
    return {
      function: this.#nameOf(frame, caller),
      file: place.file,
      line: place.line,
      column: place.column,
      isLibrary: place.isLibrary,
      source: this.#map.linesAt(line, column, CONTEXT_LINES),
    };
  }

  #nameOf(frame: ScriptFrame, caller: { script: MappedScript; frame: ScriptFrame } | null): string {
    if (this.#functions?.isKnown) {
      const found = this.#functions.at(frame);
      if (found === undefined) return '';
      if (found.nameAt === null)
        return this.#map.nameOfBodyAt(found.bodyAt.line, found.bodyAt.column) ?? frame.function;
      return this.#map.nameAt(found.nameAt.line, found.nameAt.column) ?? found.name ?? '';
    }
    const inSource = this.#map.functionAt(frame.line, frame.column);
    if (inSource !== null) return inSource;
    // What the caller calls is often named in the map, if it isn't a callback.
    const called = caller === null ? null : caller.script.#map.placeAt(caller.frame.line, caller.frame.column);
    return called?.name ?? frame.function;
  }
}
