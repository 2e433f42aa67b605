// The type of a signature rule, and the facts that it decides on.
import type { Frame, Hex } from '../../report.ts';
import type { OsName } from '../../streams/system-info.ts';
import type { LabelledFrame } from '../frames/label-frames.ts';
import type { LoadedModules } from '../frames/system-code.ts';
import type { SignatureLists } from '../lists/signature-lists.ts';

/** What is known about a crash. Unknown values may be omitted or null. */
export type SignatureInput = {
  readonly os: OsName;
  /** The crash reason as in the report: `SIGSEGV / SEGV_MAPERR`. */
  readonly reason?: string | null;
  /** The address of the fault. */
  readonly address?: Hex | null;
  /** The frames of the crashing thread, innermost first; null if no crashing thread was identified. */
  readonly frames: readonly Frame[] | null;
  /** The loaded modules. Their folders tell code of the OS from the game's; without them, only names of modules do. */
  readonly loaded?: LoadedModules;
  /** Windows: the name of the crashing thread's last error, such as `ERROR_COMMITMENT_LIMIT`. */
  readonly lastError?: string | null;
  /** The text of a failed assertion, or the program's own explanation of why it stopped. */
  readonly assertion?: string | null;
  /** The size of the allocation that failed, in bytes. */
  readonly allocationSize?: number | null;
  /** The exception of a report without a dump: its type, and what of its message is the same in all reports. */
  readonly exception?: { readonly type: string; readonly message: string } | null;
  /** The message of a report without a dump, possibly with a stack trace as text. */
  readonly message?: string | null;
};

/** The input plus values that several rules need. */
export type CrashFacts = SignatureInput & {
  readonly labels: readonly LabelledFrame[];
  readonly lists: SignatureLists;
};

/** A signature and the notes that explain it. */
export type RuleOutcome = { readonly signature: string; readonly notes: readonly string[] };

export type Rule = {
  /** Shown before each note of the rule. */
  readonly name: string;
  /** Whether the rule applies. `signature` is the result of the previous rules, '' at first. */
  applies(facts: CrashFacts, signature: string): boolean;
  act(facts: CrashFacts, signature: string): RuleOutcome;
};
