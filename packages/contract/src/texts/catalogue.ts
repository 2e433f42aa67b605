// The catalogue of each language, parsed. Only the server and the build have all of it: the website's program gets the
// messages of one language from the document that starts it.
import { IntlMessageFormat } from 'intl-messageformat';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import {
  isForProgram,
  type Language,
  type Message,
  type MessageKey,
  type MessagePart,
  type Messages,
  PART,
} from './messages.ts';
import { Texts } from './texts.ts';

/** A key that one of them doesn't have is a type error. */
export const CATALOGUES: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = {
  en,
  de: de satisfies Record<MessageKey, string>,
};

const MESSAGES: Readonly<Record<Language, Messages>> = { en: parseAll('en'), de: parseAll('de') };
const TEXTS: Readonly<Record<Language, Texts>> = {
  en: new Texts('en', MESSAGES.en),
  de: new Texts('de', MESSAGES.de),
};

export function messagesOf(language: Language): Messages {
  return MESSAGES[language];
}

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}

/** What the website's program gets, on all of its pages or on those with texts: JSON that is safe within a script element. */
export function writeProgramTexts(language: Language, on: 'all pages' | 'pages with texts'): string {
  const messages = Object.fromEntries(Object.entries(MESSAGES[language]).filter(([key]) => isForProgram(key, on)));
  return JSON.stringify({ language, on, messages }).replaceAll('<', '\\u003c');
}

function parseAll(language: Language): Messages {
  const entries = Object.entries(CATALOGUES[language]).map(([key, text]) => [key, parse(text, language)]);
  return Object.fromEntries(entries) as Messages;
}

function parse(text: string, language: Language): Message {
  const parts = new IntlMessageFormat(text, language).getAst();
  requireKnownParts(parts);
  const isPlain = parts.every((part) => part.type === PART.literal);
  return isPlain ? parts.map((part) => (part as { value: string }).value).join('') : (parts as MessagePart[]);
}

type ParsedPart = { type: number; style?: unknown; options?: object; children?: readonly ParsedPart[] };

/** Throws if a message needs a format that `Texts` doesn't write. */
function requireKnownParts(parts: readonly ParsedPart[]): void {
  for (const { type, style, options = {}, children = [] } of parts) {
    if (!(Object.values(PART) as number[]).includes(type) || style)
      throw new Error('Messages can have values, numbers without a style, plurals and tags only.');
    requireKnownParts(children);
    for (const { value } of Object.values(options)) requireKnownParts(value);
  }
}
