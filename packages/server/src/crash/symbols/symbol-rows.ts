// The rows of symbols that several statements have.
import type { SymbolKind, SymbolState } from '@chauffeur/contract/operations/symbols';
import type { Detail } from '@chauffeur/minidump/symbols/symbol-contents';

/** A symbol file in a list; or a native file that is not converted. */
export type SymbolRow = {
  symbol_uid: string;
  build_id: string;
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
