// Decides what of an event says which cause it has: the exception that everything began with, the language of its
// frames, and the fingerprint that the program chose. The rules for names of frames are those for stacks in texts.
import type { SentryException, SentryFrame, Stack, StoredEvent } from './event/event.ts';
import { DEFAULT_FINGERPRINT, mainStack } from './event/normalize.ts';

/** The languages whose frames have special rules. */
export type Language =
  | 'csharp'
  | 'gdscript'
  | 'go'
  | 'java'
  | 'javascript'
  | 'native'
  | 'python'
  | 'rust'
  /** Any other language, whose functions are known by their file. */
  | 'other';

/** How an exception relates to the main one, in the words of crash reports. */
type RelationToMain = 'consequence' | 'suppressed' | 'handled' | 'sibling';

export type GroupingException = Pick<SentryException, 'type' | 'value'> & { readonly stack: Stack };

export type GroupingChain = {
  readonly language: Language;
  /** The root cause. Without any exception, it is the stack of the message, and its type is empty. */
  readonly main: GroupingException;
  /** Consequences first, from the nearest to what was thrown. */
  readonly related: readonly (GroupingException & { readonly relation: RelationToMain })[];
};

/**
 * The exceptions of an event, by their relation to the root cause. Null for an event with neither an exception nor a
 * stack. A client that sends the stack apart from the only exception, such as that of Rust, means the stack of it.
 */
export function chainOf(event: StoredEvent): GroupingChain | null {
  const { exceptions } = event;
  const stack = mainStack(event);
  if (exceptions.length === 0) {
    if (stack.frames.length === 0) return null;
    return { language: languageOfStack(stack, event), main: { type: '', value: event.message, stack }, related: [] };
  }
  const chain = exceptions.filter(({ relation }) => relation === 'thrown' || relation === 'cause');
  const rooted = chain.length === 0 ? exceptions.slice(0, 1) : chain;
  const root = rooted.at(-1)!;
  const consequences = rooted.slice(0, -1).reverse();
  // Go records no stack of a cause, so that of its nearest consequence has to do.
  const traced = [root, ...consequences].find((each) => each.stack.frames.length > 0);
  const main = { ...pick(root), stack: traced?.stack ?? stack };
  const others = exceptions.filter((each) => !rooted.includes(each));
  return {
    language: languageOfStack(main.stack, event),
    main,
    related: [
      ...consequences.map((each) => ({ ...pick(each), relation: 'consequence' as const })),
      ...others.map((each) => ({ ...pick(each), relation: relationOf(each) })),
    ],
  };
}

function pick({ type, value, stack }: SentryException): GroupingException {
  return { type, value, stack };
}

function relationOf({ relation }: SentryException): RelationToMain {
  return relation === 'suppressed' || relation === 'handled' ? relation : 'sibling';
}

const PLATFORMS = new Map<string, Language>([
  ['csharp', 'csharp'],
  ['c#', 'csharp'],
  ['dotnet', 'csharp'],
  ['gdscript', 'gdscript'],
  ['go', 'go'],
  ['java', 'java'],
  ['kotlin', 'java'],
  ['android', 'java'],
  ['javascript', 'javascript'],
  ['node', 'javascript'],
  ['python', 'python'],
  ['rust', 'rust'],
  ['native', 'native'],
  ['c', 'native'],
  ['cocoa', 'native'],
  ['objc', 'native'],
  ['swift', 'native'],
]);

/** Languages that other programs contain, by the files of their frames. */
const FILES: readonly (readonly [RegExp, Language])[] = [
  [/\.gdc?$/, 'gdscript'],
  [/\.rs$/, 'rust'],
  [/\.cs$/, 'csharp'],
];

/** The language of one frame, whose platform may differ from that of the event, as of C# within native code. */
export function languageOf(frame: SentryFrame, { platform }: Pick<StoredEvent, 'platform'>): Language {
  const named = PLATFORMS.get(frame.platform) ?? PLATFORMS.get(platform) ?? 'other';
  if (named !== 'native' && named !== 'other') return named;
  return FILES.find(([match]) => match.test(frame.file))?.[1] ?? named;
}

/** The innermost of the game's own frames decides: around them are those of the engine, the client and the system. */
function languageOfStack({ frames }: Stack, event: StoredEvent): Language {
  // Nothing is known of an address alone.
  const known = frames.filter(({ function: name, file }) => name !== '' || file !== '');
  const deciding = known.find(({ isInApp }) => isInApp === true) ?? known[0];
  return deciding === undefined ? (PLATFORMS.get(event.platform) ?? 'other') : languageOf(deciding, event);
}

/**
 * What the reports of one group have in common if the program chose a fingerprint. `usual` replaces its part
 * `{{ default }}`: the key that the report would have without a fingerprint.
 */
export function fingerprintKey(fingerprint: readonly string[], usual: string): string {
  return JSON.stringify(['fingerprint', ...fingerprint.map((part) => (part === DEFAULT_FINGERPRINT ? [usual] : part))]);
}
