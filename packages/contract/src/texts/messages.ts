// The messages of the catalogue (en.json, de.json): what pages and emails for players say. They are in the ICU format
// (unicode-org.github.io/icu), with plurals and with tags for markup.

/** The first is the default. */
export const PAGE_LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof PAGE_LANGUAGES)[number];

type Catalogue = typeof import('./en.json', { with: { type: 'json' }});
export type MessageKey = keyof Catalogue;

/** The kinds of parts that messages have, by the numbers that the parser gives them. */
export const PART = { literal: 0, argument: 1, number: 2, plural: 6, pound: 7, tag: 8 } as const;

/** `value` is the text of a literal, and the name of the value of any other part. */
type Part<Kind extends keyof typeof PART> = { readonly type: (typeof PART)[Kind]; readonly value: string };
type Plural = Part<'plural'> & {
  readonly offset: number;
  readonly options: Readonly<Record<string, { readonly value: readonly MessagePart[] }>>;
};
type Tag = Part<'tag'> & { readonly children: readonly MessagePart[] };
export type MessagePart = Part<'literal'> | Part<'argument'> | Part<'number'> | { readonly type: 7 } | Plural | Tag;

/** A message without values is its text, and any other is parsed. */
export type Message = string | readonly MessagePart[];
export type Messages<Key extends MessageKey = MessageKey> = Readonly<Record<Key, Message>>;

export function isLanguage(value: string | undefined): value is Language {
  return (PAGE_LANGUAGES as readonly (string | undefined)[]).includes(value);
}

/** A language that was stored, and may not be one anymore. */
export function asLanguage(value: string): Language {
  return isLanguage(value) ? value : PAGE_LANGUAGES[0];
}

/**
 * The groups of messages that all pages of the website's program have. Those in neither list are only for the server.
 */
const SHARED_GROUPS = [
  ...(['skip', 'bytes', 'copy', 'copied', 'site', 'account', 'search', 'problem', 'connection', 'error'] as const),
  ...(['field', 'dialog', 'legal'] as const),
];
/** The groups that only `PAGES_WITH_TEXTS` have. */
const PAGE_GROUPS = [
  ...(['platform', 'processor', 'install', 'scan', 'play', 'bug', 'signIn', 'signUp', 'verify', 'reset'] as const),
];
type Group = (typeof SHARED_GROUPS | typeof PAGE_GROUPS)[number];

export type ProgramKey = Extract<MessageKey, Group | `${Group}.${string}`>;

/** Whether the program has a message, on all of its pages or on those with their own texts. */
export function isForProgram(
  key: string,
  on: 'all pages' | 'pages with texts' = 'pages with texts',
): key is ProgramKey {
  const groups: readonly string[] = on === 'all pages' ? SHARED_GROUPS : [...SHARED_GROUPS, ...PAGE_GROUPS];
  return groups.includes(key.split('.')[0] ?? '');
}
