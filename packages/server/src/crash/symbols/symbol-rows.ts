// The rows of symbols that several statements have.
import type { SymbolKind, SymbolState } from '@chauffeur/contract/operations/symbols';
import type { Detail } from '@chauffeur/minidump/symbols/symbol-contents';
import { type RawBuilder, sql } from 'kysely';

/** A symbol file in a list; or a native file that is not converted. */
export type SymbolRow = {
  symbol_uid: string;
  /** Null if it belongs to no build, but serves all builds with its debug id. */
  build_id: string | null;
  kind: SymbolKind;
  debug_file: string;
  debug_id: string;
  code_id: string;
  os: string;
  cpu: string;
  size: number;
  checksum: string;
  state: SymbolState;
  problem: string | null;
  functions: number | null;
  detail: Detail | null;
  unwind: number | null;
  native_checksum: string | null;
  /** The most detail, and unwind rules, that the game has with the same debug id. */
  best_detail: Detail | null;
  best_unwind: number | null;
  uploaded_at: Date;
  poorer_at: Date | null;
};

export type TextFacts = {
  functions: number;
  detail: Detail;
  records: number;
  /** Ranges with unwind rules. */
  unwind: number;
};

/** What symbols belong to: a build, or without one, all builds of the game that have the debug id. */
export type SymbolOwner = { readonly game_id: string; readonly build_id: string | null };

/** The rows of a build, or without one, those of no build. */
export function ofBuild(buildId: string | null): RawBuilder<unknown> {
  return buildId === null ? sql`build_id is null` : sql`build_id = ${buildId}`;
}
