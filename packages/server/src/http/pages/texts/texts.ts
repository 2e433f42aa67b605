// The texts of the public pages in one language, with messages as HTML.
import { CATALOGUES, messagesOf } from '@chauffeur/contract/texts/catalogue';
import type { Language, MessageKey } from '@chauffeur/contract/texts/messages';
import { Texts as AnyTexts } from '@chauffeur/contract/texts/texts';
import { type Html, type HtmlPart, html } from '../html.ts';

/** A tag of a message gets its content, and writes the element around it. */
type HtmlValues = Readonly<Record<string, HtmlPart | ((content: HtmlPart) => Html)>>;

export class Texts extends AnyTexts {
  /** A message as HTML. Its values are escaped, and its tags are written by functions. */
  html(key: MessageKey, values: HtmlValues): Html {
    return html`${this.parts<Html>(key, values) as HtmlPart}`;
  }

  /** A message with the names of its values in braces, for scripts that fill them in. */
  template(key: MessageKey): string {
    return CATALOGUES[this.language][key];
  }
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: new Texts('en', messagesOf('en')),
  de: new Texts('de', messagesOf('de')),
};

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
