// Walks the symbol records of a module to its functions and the calls that were inlined into them.
// The records are described in Microsoft's `cvinfo.h`.
import { readString, u16, u32 } from './bytes.ts';

const S_END = 0x0006;
const S_GPROC32_ST = 0x100b;
const S_LPROC32_ST = 0x100a;
const S_THUNK32 = 0x1102;
const S_BLOCK32 = 0x1103;
const S_WITH32 = 0x1104;
const S_LPROC32 = 0x110f;
const S_GPROC32 = 0x1110;
const S_SEPCODE = 0x1132;
const S_LPROC32_ID = 0x1146;
const S_GPROC32_ID = 0x1147;
const S_INLINESITE = 0x114d;
const S_INLINESITE_END = 0x114e;
const S_PROC_ID_END = 0x114f;
const S_LPROC32_DPC = 0x1155;
const S_LPROC32_DPC_ID = 0x1156;
const S_INLINESITE2 = 0x115d;

/** Symbols can be nested as scopes in a program are. Nothing below this depth is read. */
const MAX_DEPTH = 512;
/** Inlined calls of one function. Further ones are left out. */
const MAX_SITES = 500_000;
/** Parts of one function. Compilers make one or two. */
const MAX_SEPARATED = 256;

/** A part of a section. */
export interface CodeRange {
  readonly section: number;
  readonly offset: number;
  readonly size: number;
}

/** A call that was inlined. */
export interface InlineSite {
  /** The number of the record of the function. */
  readonly inlinee: number;
  /** 0 for a call in the function itself. */
  readonly depth: number;
  /** The call that this one is in; -1 for the function itself. Callers come before their callees. */
  readonly parent: number;
  readonly annotations: Uint8Array;
}

export interface Procedure {
  readonly name: string;
  /** The number of its type. */
  readonly type: number;
  /** Whether `type` is of the record of the function instead, as in object files. */
  readonly typeIsId: boolean;
  /** Whether it only jumps to another function. Thunks have no type. */
  readonly thunk: boolean;
  readonly code: CodeRange;
  /** Code that the compiler moved away because it rarely runs. */
  readonly separated: CodeRange[];
  readonly sites: InlineSite[];
}

/** A scope that is open: the call that it belongs to, and the depth of calls in it. */
interface Scope {
  readonly site: number;
  readonly depth: number;
}

/** The scope of a function. */
const OUTSIDE: Scope = { site: -1, depth: 0 };

/** Calls `visit` for each function. Records with impossible sizes end the walk. */
export function readProcedures(symbols: Uint8Array, visit: (procedure: Procedure) => void): void {
  const reader = new ProcedureReader(symbols, visit);
  for (let at = 0; at + 4 <= symbols.length; ) {
    const size = u16(symbols, at);
    const end = at + 2 + size;
    if (size < 2 || end > symbols.length) break;
    reader.read(u16(symbols, at + 2), at, end);
    at = end;
  }
  reader.finish();
}

class ProcedureReader {
  readonly #symbols: Uint8Array;
  readonly #visit: (procedure: Procedure) => void;
  #procedure: Procedure | undefined;
  #scopes: Scope[] = [];
  /** How many scopes are open that are nested too deep. */
  #ignored = 0;

  constructor(symbols: Uint8Array, visit: (procedure: Procedure) => void) {
    this.#symbols = symbols;
    this.#visit = visit;
  }

  /** Takes the record from `at`, where its size is, to `end`. */
  read(kind: number, at: number, end: number): void {
    switch (kind) {
      case S_GPROC32:
      case S_LPROC32:
      case S_GPROC32_ID:
      case S_LPROC32_ID:
      case S_LPROC32_DPC:
      case S_LPROC32_DPC_ID:
      case S_GPROC32_ST:
      case S_LPROC32_ST:
        this.#start(this.#readProcedure(kind, at, end));
        return;
      case S_THUNK32:
        this.#start(this.#readThunk(at, end));
        return;
      case S_SEPCODE:
        if (end - at >= 32) this.#addSeparated(at);
        this.#open(this.#scopes.at(-1) ?? OUTSIDE);
        return;
      case S_BLOCK32:
      case S_WITH32:
        this.#open(this.#scopes.at(-1) ?? OUTSIDE);
        return;
      case S_INLINESITE:
      case S_INLINESITE2:
        this.#readSite(kind === S_INLINESITE ? 16 : 20, at, end);
        return;
      case S_END:
      case S_INLINESITE_END:
      case S_PROC_ID_END:
        this.#close();
    }
  }

  /** Reports a function whose end is missing. */
  finish(): void {
    if (this.#procedure !== undefined) this.#visit(this.#procedure);
    this.#procedure = undefined;
    this.#scopes = [];
    this.#ignored = 0;
  }

  #start(procedure: Procedure): void {
    this.finish();
    this.#procedure = procedure;
    this.#open(OUTSIDE);
  }

  #open(scope: Scope): void {
    if (this.#procedure === undefined) return;
    if (this.#scopes.length < MAX_DEPTH) this.#scopes.push(scope);
    else this.#ignored++;
  }

  #close(): void {
    if (this.#ignored > 0) {
      this.#ignored--;
      return;
    }
    this.#scopes.pop();
    if (this.#scopes.length === 0) this.finish();
  }

  #readProcedure(kind: number, at: number, end: number): Procedure {
    const bytes = this.#symbols;
    // Names of old compilers have their size in front instead of a zero at the end.
    const old = kind === S_GPROC32_ST || kind === S_LPROC32_ST;
    const nameAt = at + 39;
    const nameEnd = old ? Math.min(nameAt + 1 + bytes[nameAt]!, end) : end;
    return {
      name: readString(bytes, old ? nameAt + 1 : nameAt, nameEnd),
      type: u32(bytes, at + 28),
      typeIsId: kind === S_GPROC32_ID || kind === S_LPROC32_ID || kind === S_LPROC32_DPC_ID,
      thunk: false,
      code: { section: u16(bytes, at + 36), offset: u32(bytes, at + 32), size: u32(bytes, at + 16) },
      separated: [],
      sites: [],
    };
  }

  #readThunk(at: number, end: number): Procedure {
    const bytes = this.#symbols;
    return {
      name: readString(bytes, at + 25, end),
      type: 0,
      typeIsId: false,
      thunk: true,
      code: { section: u16(bytes, at + 20), offset: u32(bytes, at + 16), size: u16(bytes, at + 22) },
      separated: [],
      sites: [],
    };
  }

  #addSeparated(at: number): void {
    const bytes = this.#symbols;
    const separated = this.#procedure?.separated;
    if (separated === undefined || separated.length >= MAX_SEPARATED) return;
    separated.push({ section: u16(bytes, at + 28), offset: u32(bytes, at + 20), size: u32(bytes, at + 12) });
  }

  #readSite(annotationsAt: number, at: number, end: number): void {
    const scope = this.#scopes.at(-1);
    const sites = this.#procedure?.sites;
    if (scope === undefined || sites === undefined) return;
    if (sites.length >= MAX_SITES || this.#ignored > 0) {
      this.#open(scope);
      return;
    }
    const inlinee = u32(this.#symbols, at + 12);
    const annotations = this.#symbols.subarray(Math.min(at + annotationsAt, end), end);
    sites.push({ inlinee, depth: scope.depth, parent: scope.site, annotations });
    this.#open({ site: sites.length - 1, depth: scope.depth + 1 });
  }
}
