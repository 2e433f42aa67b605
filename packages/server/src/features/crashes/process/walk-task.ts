// What a thread that reads dumps is asked, asks itself, and answers.
import type { BlobSettings } from '../../../kernel/blobs/open.ts';
import type { Grouping, Statement } from '../groups/grouping.ts';
import type { Excerpt } from './excerpt.ts';

export type WalkInput = {
  readonly blobSettings: BlobSettings;
  /** What the report says of itself. */
  readonly statement: Statement;
} & (
  | {
      readonly task: 'walk';
      readonly dumpKey: string;
      /** Bytes of the dump as it came. */
      readonly dumpSize: number;
      /** Where the whole report goes. */
      readonly stackKey: string;
    }
  | { readonly task: 'group' /** Where it is. */; readonly stackKey: string }
);

export type WalkOutput =
  | { readonly outcome: 'walked'; readonly excerpt: Excerpt; readonly grouping: Grouping }
  /** For good: another try would come to the same. `reason` is a sentence for people. */
  | { readonly outcome: 'unreadable' | 'missing'; readonly reason: string };

/** Modules of a dump, asked for their symbols. */
export type SymbolQuestion = readonly { readonly debugFile: string; readonly debugId: string }[];

/** For each in its place: the file with its compiled symbols, why they cannot be read, or null when there are none. */
export type SymbolReply = readonly (SymbolPlace | null)[];
export type SymbolPlace = { readonly path: string } | { readonly problem: string };
