// An event in one strict form, whatever the client sent. Texts are empty and lists are empty where nothing was sent;
// null says that a fact is unknown. Texts can be stored, have bounded lengths, and say nothing about people.
import type { Level } from './level.ts';

/** `crash`: the program ended, or would have. `error`: an exception that the program went on after. */
export type EventKind = 'crash' | 'error' | 'message' | 'feedback' | 'transaction';

/** An event as clients send it. */
export type SentryEvent = StoredEvent & {
  /** 32 lower-case hex digits. */
  readonly eventId: string | null;
  readonly tags: readonly Pair[];
  /** Further data of the program, and facts about it from contexts, such as `unity.editor_version`. */
  readonly extra: readonly DataPair[];
  /** The user, as the program names them; empty if it doesn't. It may be a name or an address. */
  readonly userId: string;
  readonly feedback: Feedback | null;
};

/** What is kept of an event in addition to the columns of its report. */
export type StoredEvent = {
  /** The time by the clock of the client, in milliseconds. */
  readonly occurredAt: number | null;
  /** `error` unless the client says something else. */
  readonly level: Level;
  /** In lower case, such as `native`, `csharp` and `javascript`; `other` if it is unknown. */
  readonly platform: string;
  readonly release: string;
  readonly dist: string;
  readonly environment: string;
  /** Where in the game it was, such as the scene or the page. */
  readonly transaction: string;
  readonly message: string;
  /** The exception that was thrown, then what led to it. */
  readonly exceptions: readonly SentryException[];
  /** The crashed one is not always among them. */
  readonly threads: readonly SentryThread[];
  readonly images: readonly SentryImage[];
  /** Oldest first; only the newest are kept. */
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly system: SentrySystem;
  /** Null unless the program groups its events by itself. `DEFAULT_FINGERPRINT` means the usual grouping. */
  readonly fingerprint: readonly string[] | null;
  readonly sdk: { readonly name: string; readonly version: string };
  /** Sentences about what was cut or left out. */
  readonly omissions: readonly string[];
};

export type Pair = readonly [name: string, value: string];
export type DataPair = readonly [name: string, value: string | number | boolean];

/** How an exception relates to what was thrown. */
export type ExceptionRelation =
  /** The exception that was thrown. */
  | 'thrown'
  /** It led to the one before it. */
  | 'cause'
  /** Another one of a group, such as of an `AggregateError`. */
  | 'sibling'
  /** It occurred while the program cleaned up. */
  | 'suppressed'
  /** It was being handled when the other one was thrown, and may have nothing to do with it. */
  | 'handled';

export type SentryException = {
  readonly type: string;
  readonly value: string;
  /** The package or namespace of the type. */
  readonly module: string;
  readonly relation: ExceptionRelation;
  /** What recorded it, such as `signalhandler` and `UnhandledException`. */
  readonly mechanism: string;
  /** False if nothing in the program caught it; null if the client doesn't say. */
  readonly isHandled: boolean | null;
  /** Whether the type is the client's name for a signal or an error code. */
  readonly isSynthetic: boolean;
  readonly signal: { readonly name: string; readonly number: number | null } | null;
  readonly threadId: string;
  readonly stack: Stack;
};

/** The order is that of our own reports: the frame in which it happened, its caller, and so on. */
export type Stack = {
  readonly frames: readonly SentryFrame[];
  /** Frames that were left out, the outermost ones. */
  readonly moreFrames: number;
  /** The registers of the innermost frame: names in lower case, and addresses such as `0x561528cb3811`. */
  readonly registers: readonly Pair[];
  /** Which of the addresses are those to return to, if the client says. The others are those of instructions. */
  readonly returns?: 'all' | 'all_but_first' | 'none';
};

export type SentryFrame = {
  /** Empty if the client doesn't know it. */
  readonly function: string;
  /** The class, the namespace or the module of the language; only managed code has one. */
  readonly module: string;
  /** The file, as the compiler or the browser names it. */
  readonly file: string;
  /** The file with its folder, if the client sent both. */
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  /** Null if the client doesn't say. */
  readonly isInApp: boolean | null;
  /** Set if it isn't that of the event: C# frames may be between native ones. */
  readonly platform: string;
  /** The binary that contains the code, with its folder. */
  readonly package: string;
  /** The address of native code; null for any other. */
  readonly address: bigint | null;
  /** `address` is relative to the image with this number in `images`; null if it is absolute. */
  readonly relativeTo: number | null;
  /** How the client found the frame, such as `context`, `cfi` and `scan`. */
  readonly trust: string;
  /** Lines of source code: those before the line, the line, and those after it. */
  readonly source: {
    readonly before: readonly string[];
    readonly line: string;
    readonly after: readonly string[];
  } | null;
};

export type SentryThread = {
  readonly id: string;
  readonly name: string;
  readonly isCrashed: boolean;
  readonly isCurrent: boolean;
  readonly stack: Stack;
};

/** A binary in the memory of the program, or a file that its code was made from. */
export type SentryImage = {
  /** `elf`, `macho`, `pe`, `pe_dotnet`, `wasm`, `sourcemap` or `proguard`. */
  readonly type: string;
  readonly file: string;
  readonly debugFile: string;
  /** It has the form of Breakpad's symbol files, for `sourcemap` and `proguard` too. */
  readonly debugId: string | null;
  readonly codeId: string | null;
  readonly address: bigint | null;
  readonly size: number | null;
  readonly arch: string;
};

export type Breadcrumb = {
  readonly time: number | null;
  readonly level: Level;
  readonly type: string;
  readonly category: string;
  readonly message: string;
  readonly data: readonly DataPair[];
};

/** Facts about the device under the names of metadata that the facets of crash reports are read from. */
export type SentrySystem = {
  /** The name that builds have for it, such as `windows`; empty if unknown. */
  readonly os: string;
  readonly arch: string;
  readonly engineVersion: string;
  readonly facts: readonly Pair[];
};

export type Feedback = {
  readonly message: string;
  readonly name: string;
  /** What the player or the game wrote, so it need not be an address. */
  readonly email: string;
  /** The event that it is about. */
  readonly eventId: string | null;
};
