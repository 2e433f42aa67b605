// What a rule of the signature is, and what it decides on.
import type { Frame, Hex } from '../../report.ts';
import type { OsName } from '../../streams/system-info.ts';
import type { LabelledFrame } from '../frames/label-frames.ts';
import type { SignatureLists } from '../lists/signature-lists.ts';

/** What is known of a crash. Everything that is not known may be left out or null. */
export type SignatureInput = {
  readonly os: OsName;
  /** As the report prints it: `SIGSEGV / SEGV_MAPERR`. */
  readonly reason?: string | null;
  /** The address of the fault. */
  readonly address?: Hex | null;
  /** Of the crashing thread, the innermost first; null when no thread is known to have crashed. */
  readonly frames: readonly Frame[] | null;
  /** Windows: the crashing thread's last error by name, `ERROR_COMMITMENT_LIMIT`. */
  readonly lastError?: string | null;
  /** The text of a failed assertion, or why the program stopped itself. */
  readonly assertion?: string | null;
  /** Bytes of the allocation that failed. */
  readonly allocationSize?: number | null;
  /** What a report without a dump says of the crash: a message, and maybe a stack trace in text. */
  readonly message?: string | null;
};

/** The input with what all rules need of it. */
export type CrashFacts = SignatureInput & {
  readonly labels: readonly LabelledFrame[];
  readonly lists: SignatureLists;
};

/** A signature, and why it became so. */
export type Outcome = { readonly signature: string; readonly notes: readonly string[] };

export type Rule = {
  /** For the notes. */
  readonly name: string;
  /** Whether the rule has something to say; `signature` is what the rules before have made, '' at first. */
  applies(facts: CrashFacts, signature: string): boolean;
  act(facts: CrashFacts, signature: string): Outcome;
};
