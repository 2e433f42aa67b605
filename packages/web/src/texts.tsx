// What the server wrote into this document: its texts, in the language that it chose, and the operator's links. Pages
// that are only for developers are in English, and so is their document.
import { type Language, type Messages, PAGE_LANGUAGES, type ProgramKey } from '@chauffeur/contract/texts/messages';
import { Texts } from '@chauffeur/contract/texts/texts';
import { createElement, Fragment, type ReactNode } from 'react';

const written = readWritten();

export const texts: Texts<ProgramKey> = new Texts(
  written.language ?? PAGE_LANGUAGES[0],
  written.messages ?? ({} as Messages<ProgramKey>),
);

/** Whether the document has the texts of every page, or only what all pages have. */
export const hasAllTexts = written.on === 'pages with texts';

/** The language that the visitor prefers. It differs from the document's on pages that are only in English. */
export const preferredLanguage = document.querySelector<HTMLMetaElement>('meta[name="language"]')?.content;

export const t: (typeof texts)['t'] = texts.t.bind(texts);

type Values = Readonly<Record<string, ReactNode | ((content: ReactNode) => ReactNode)>>;

/** A message with elements. A tag of the message gets its content, and the function writes the element around it. */
export function rich(key: ProgramKey, values: Values): ReactNode {
  return createElement(Fragment, null, ...[texts.parts<ReactNode>(key, values)].flat());
}

type Written = {
  readonly language: Language;
  readonly on: 'all pages' | 'pages with texts';
  readonly messages: Messages<ProgramKey>;
};

function readWritten(): Partial<Written> {
  const text = document.getElementById('texts')?.textContent ?? '';
  return JSON.parse(text === '' ? '{}' : text);
}

type LegalLink = { readonly page: 'imprint' | 'privacy' | 'terms'; readonly label: string; readonly url: string };

/** Links to the operator's imprint, privacy policy and terms of use. */
export const legalLinks: readonly LegalLink[] = readLinks();

function readLinks(): LegalLink[] {
  const text = document.getElementById('legal')?.textContent ?? '';
  return JSON.parse(text === '' ? '[]' : text);
}
