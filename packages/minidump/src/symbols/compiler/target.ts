// The cache under construction, to which the records of a symbol file are written.
import { type Footer, INDEX_NAMES, type IndexName } from '../cache/footer.ts';
import { type CacheOutput, PageWriter } from '../cache/page-writer.ts';
import { CfiBuilder } from './cfi-builder.ts';
import { FunctionBuilder } from './function-builder.ts';
import { IndexBuilder } from './index-builder.ts';
import { TextStore } from './text-store.ts';

/** Written before all data, so that no record is at position 0, and to show what the file is. Part of the format. */
const PREAMBLE = Buffer.from('Breakpad symbols, compiled for look-ups\n');

export class CompileTarget {
  readonly pages: PageWriter;
  readonly texts: TextStore;
  readonly indexes: Readonly<Record<IndexName, IndexBuilder>>;
  /** The function to which lines and inlined calls belong. */
  readonly function: FunctionBuilder;
  /** The INIT to which STACK CFI records belong. */
  readonly cfi: CfiBuilder;

  constructor(output: CacheOutput) {
    this.pages = new PageWriter(output);
    this.pages.append(PREAMBLE);
    this.texts = new TextStore(this.pages);
    this.indexes = Object.fromEntries(INDEX_NAMES.map((name) => [name, new IndexBuilder()])) as typeof this.indexes;
    this.function = new FunctionBuilder(this.pages, this.indexes.functions);
    this.cfi = new CfiBuilder(this.pages, this.indexes.cfi);
  }

  /** Writes the open records, then the indexes. */
  finish(): { indexes: Footer['indexes']; pageCount: number } {
    this.function.close();
    this.cfi.close();
    const { functions, publics, files, inlineOrigins, cfi, frameData, fpo } = this.indexes;
    const indexes = {
      functions: functions.writeDisjoint(this.pages),
      publics: publics.writeUnique(this.pages),
      files: files.writeUnique(this.pages),
      inlineOrigins: inlineOrigins.writeUnique(this.pages),
      cfi: cfi.writeDisjoint(this.pages),
      frameData: frameData.writeNested(this.pages),
      fpo: fpo.writeNested(this.pages),
    };
    return { indexes, pageCount: this.pages.finish() };
  }
}
