// The messages between the server and a thread that walks dumps.
import type { ModuleId } from '@chauffeur/minidump/symbols/module-symbols';
import type { BlobSettings } from '../../../kernel/blobs/store.ts';
import type { GameRules } from '../groups/game-rules.sql.ts';
import type { Grouping, GroupingFields } from '../groups/grouping.ts';
import type { Trace } from '../text/trace.ts';
import type { Excerpt } from './excerpt.ts';

export type WalkInput = {
  readonly blobSettings: BlobSettings;
  /** The game's own grouping rules. */
  readonly rules: GameRules;
} & (
  | {
      readonly task: 'walk';
      readonly fields: GroupingFields;
      readonly dumpKey: string;
      /** Uncompressed, in bytes. */
      readonly dumpSize: number;
      /** The dump, if it is in memory, at the start of a space. */
      readonly space?: SharedArrayBuffer;
      /** Where the thread stores the whole report. */
      readonly stackKey: string;
    }
  | ({ readonly task: 'group' } & StoredStack)
  | { readonly task: 'preview'; readonly stacks: readonly StoredStack[] }
  | ({ readonly task: 'log' } & StoredLog)
);

/** Where a report was stored by an earlier walk. */
export type StoredStack = { readonly stackKey: string; readonly fields: GroupingFields };

/** A log; the size is uncompressed, in bytes. */
export type StoredLog = { readonly logKey: string; readonly logSize: number };

/** A group that a report would be in. The key is in hex. */
export type PreviewedGrouping = { readonly key: string; readonly title: string };

export type WalkOutput =
  /** The grouping of each stack, or null if it cannot be read. */
  | { readonly outcome: 'previewed'; readonly groupings: readonly (PreviewedGrouping | null)[] }
  /** Null if the log has no trace. */
  | { readonly outcome: 'read'; readonly trace: Trace | null }
  | { readonly outcome: 'walked'; readonly excerpt: Excerpt; readonly grouping: Grouping }
  /** Permanent: another try would fail in the same way. `reason` is a sentence for people. */
  | { readonly outcome: 'unreadable' | 'missing'; readonly reason: string };

/** The modules of a dump whose symbols the thread needs. */
export type SymbolRequest = readonly ModuleId[];

/**
 * Says for each requested module: the file with its compiled symbols, why they cannot be read, or null if there are
 * none.
 */
export type SymbolReply = readonly (SymbolLocation | null)[];
export type SymbolLocation = { readonly path: string } | { readonly problem: string };
