// The texts of the public pages in one language, with messages as HTML.

import { BAND_RULES } from '@chauffeur/contract/launch-bands';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { Band } from '@chauffeur/contract/operations/health';
import type { getProvenance } from '@chauffeur/contract/operations/store';
import { CATALOGUES, messagesOf } from '@chauffeur/contract/texts/catalogue';
import type { Language, MessageKey } from '@chauffeur/contract/texts/messages';
import { Texts as AnyTexts } from '@chauffeur/contract/texts/texts';
import { type Html, type HtmlPart, html } from './pages/html.ts';

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

type Origin = OutputOf<typeof getProvenance>['origin'];
type Launch = { readonly starts_percent: number; readonly crashes_percent: number };

/**
 * `Starts for 94% of players`, or if crashes are what lowers the band, `Crashes on start for 12% of players`. Null while
 * too few devices have started the game.
 */
export function formatLaunch(texts: Texts, band: Band, launch: Launch | null): string | null {
  if (band === 'unrated' || launch === null) return null;
  const { starts_percent: starts, crashes_percent: crashes } = launch;
  // The percentages are rounded, so at a limit they may meet those of a better band than the game has.
  const byStarts = BAND_RULES.findIndex(({ minBooted }) => starts >= minBooted);
  const byCrashes = BAND_RULES.findIndex(({ maxCrashed }) => crashes <= maxCrashed);
  const isCrashWorse = byStarts !== -1 && (byCrashes === -1 || byCrashes > byStarts);
  return isCrashWorse
    ? texts.t('health.crashes', { percent: texts.number(crashes) })
    : texts.t('health.starts', { percent: texts.number(starts) });
}

/** `Deploy key a1b2c3d4`. */
export function formatSource(texts: Texts, origin: Origin): string {
  if (origin.type === 'deploy_key') return texts.t('file.source.key', { key: origin.key_ref });
  if (origin.type === 'website') return texts.t('file.source.website', { user: origin.user });
  const way = origin.type === 'api_token' ? 'file.source.token' : 'file.source.command';
  return texts.t(way, { user: origin.user, key: origin.key_ref });
}
