// The operator's imprint, privacy policy and terms of use: pages elsewhere, or Markdown files that this service shows.
import { readFileSync } from 'node:fs';
import { PAGES } from '@chauffeur/contract/pages';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { type Language, PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { perContext } from './per-context.ts';

/** The order is that of their links. */
const LEGAL_PAGES = ['imprint', 'privacy', 'terms'] as const;
export type LegalPage = (typeof LEGAL_PAGES)[number];

export type LegalLink = { readonly page: LegalPage; readonly label: string; readonly url: string };

const MAX_BYTES = 256 * 1024;

/** A file in the settings can't be shown. The message says which one, and why. */
class LegalPageError extends Error {
  override readonly name = 'LegalPageError';
}

/**
 * Links to the pages that the operator has, for readers of the language. Those to pages of this service have no host.
 */
export function legalLinks(config: Config, language: Language): LegalLink[] {
  return LEGAL_PAGES.flatMap((page) => {
    const [source] = sourcesOf(config, page, language);
    if (source === undefined) return [];
    return { page, label: textsOf(language).t(`legal.${page}`), url: isUrl(source) ? source : PAGES[page] };
  });
}

/** The Markdown of a page, in the language if it exists in it; undefined if the operator has no file for the page. */
export function legalText(ctx: Context, page: LegalPage, language: Language): string | undefined {
  const files = filesOf(ctx);
  return sourcesOf(ctx.config, page, language)
    .map((source) => files.get(source))
    .find((text) => text !== undefined);
}

const filesOf = perContext(({ config }) => readLegalFiles(config));

/** The text of every file in the settings, by its path. Throws LegalPageError. */
export function readLegalFiles(config: Config): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const page of LEGAL_PAGES)
    for (const language of PAGE_LANGUAGES) {
      const source = sourceIn(config, page, language);
      if (source === undefined || isUrl(source)) continue;
      const setting = `CHAUFFEUR_${page}_${language}`.toUpperCase();
      files.set(
        source,
        readText(source, (reason) => new LegalPageError(`${setting}: ${source} ${reason}`)),
      );
    }
  return files;
}

function sourceIn(config: Config, page: LegalPage, language: Language): string | undefined {
  const sources: Record<Language, string | undefined> = { en: config[`${page}En`], de: config[`${page}De`] };
  return sources[language];
}

/** The URLs and paths of a page, that in the language first. */
function sourcesOf(config: Config, page: LegalPage, language: Language): string[] {
  return [language, ...PAGE_LANGUAGES]
    .map((each) => sourceIn(config, page, each))
    .filter((source) => source !== undefined);
}

function isUrl(source: string): boolean {
  return /^https?:/i.test(source);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist. Create it, or correct the path.',
  ENOTDIR: 'does not exist. Create it, or correct the path.',
  EISDIR: 'is a folder. Set the path of a file.',
  EACCES: 'may not be read by the account that runs the server. Make it readable.',
};

function readText(path: string, failure: (reason: string) => LegalPageError): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw failure(REASONS[code] ?? `can't be read (${code}).`);
  }
  if (bytes.length > MAX_BYTES) throw failure(`is larger than ${MAX_BYTES / 1024} KiB. Shorten it.`);
  const text = decode(bytes);
  if (text === null) throw failure('is not text in UTF-8. Save it as UTF-8.');
  if (text.trim() === '') throw failure('is empty. Write the page, or remove the setting.');
  return text;
}

/** The text without a byte order mark; null if it isn't UTF-8. */
function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
