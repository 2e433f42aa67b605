// The texts of the public pages in one language: messages of the catalogue, and numbers, sizes and dates as that language
// writes them. Messages are in the ICU format (unicode-org.github.io/icu), with plurals and tags for markup.
import { IntlMessageFormat } from 'intl-messageformat';
import { type Html, type HtmlPart, html } from '../html.ts';
import type { Language } from './choose-language.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };

export type MessageKey = keyof typeof en;
type Messages = Readonly<Record<MessageKey, string>>;

/** A key that one of them doesn't have is a type error. */
export const CATALOGUES: Readonly<Record<Language, Messages>> = { en, de: de satisfies Messages };

type Values = Readonly<Record<string, string | number>>;
/** A tag of a message gets its content, and writes the element around it. */
type HtmlValues = Readonly<Record<string, HtmlPart | ((content: HtmlPart) => Html)>>;

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;
/** In English too, dates begin with the day, as elsewhere on the site. */
const DATE_LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de' };

export class Texts {
  readonly language: Language;
  readonly #formats = new Map<MessageKey, IntlMessageFormat>();
  readonly #number: Intl.NumberFormat;
  readonly #compact: Intl.NumberFormat;
  readonly #list: Intl.ListFormat;
  readonly #languageNames: Intl.DisplayNames;
  readonly #day: Intl.DateTimeFormat;
  readonly #dayOfYear: Intl.DateTimeFormat;
  readonly #exact: Intl.DateTimeFormat;

  constructor(language: Language) {
    this.language = language;
    const locale = DATE_LOCALES[language];
    this.#number = new Intl.NumberFormat(language);
    this.#compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
    this.#list = new Intl.ListFormat(language, { type: 'unit', style: 'short' });
    this.#languageNames = new Intl.DisplayNames(language, { type: 'language', fallback: 'code' });
    this.#day = new Intl.DateTimeFormat(locale, { ...DAY, year: 'numeric' });
    this.#dayOfYear = new Intl.DateTimeFormat(locale, DAY);
    this.#exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' });
  }

  /** A message as text. */
  t(key: MessageKey, values: Values = {}): string {
    return String(this.#formatOf(key).format(values));
  }

  /** A message as HTML. Its values are escaped, and its tags are written by functions. */
  html(key: MessageKey, values: HtmlValues): Html {
    const formatted = this.#formatOf(key).format<Html>(values as Record<string, Html>);
    return html`${formatted as HtmlPart}`;
  }

  /** A message with the names of its values in braces, for scripts that fill them in. */
  template(key: MessageKey): string {
    return CATALOGUES[this.language][key];
  }

  /** `12,345`. */
  number(value: number): string {
    return this.#number.format(value);
  }

  /** A count where there is little room: `9,999`, `12.3K`. */
  compactNumber(value: number): string {
    return value < 10_000 ? this.number(value) : this.#compact.format(value);
  }

  /** `512 bytes`, `68.6 KiB`, `107 MiB`. */
  size(bytes: number): string {
    if (bytes < 1024) return this.t('bytes', { count: bytes });
    let [size, unit] = [bytes / 1024, 0];
    while (size >= 1024 && unit < BYTE_UNITS.length - 1) {
      size /= 1024;
      unit += 1;
    }
    const digits = size >= 100 ? 0 : 1;
    const rounded = size.toLocaleString(this.language, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    return `${rounded} ${BYTE_UNITS[unit]}`;
  }

  /** `3 Nov 2026`, in UTC. */
  day(time: Date): string {
    return this.#day.format(time);
  }

  /** `3 Nov`, or with its year if that isn't the current one, in UTC. */
  recentDay(time: Date, now: Date): string {
    return time.getUTCFullYear() === now.getUTCFullYear() ? this.#dayOfYear.format(time) : this.day(time);
  }

  /** `3 Nov 2026, 12:00:00 UTC`. */
  exactTime(time: Date): string {
    return this.#exact.format(time);
  }

  /** `English, Brazilian Portuguese`. */
  languages(tags: readonly string[]): string {
    return this.#list.format(tags.map((tag) => this.#nameOf(tag)));
  }

  /** A tag that isn't one is shown as it is. */
  #nameOf(tag: string): string {
    try {
      return this.#languageNames.of(tag) ?? tag;
    } catch {
      return tag;
    }
  }

  #formatOf(key: MessageKey): IntlMessageFormat {
    const kept = this.#formats.get(key);
    if (kept !== undefined) return kept;
    const format = new IntlMessageFormat(CATALOGUES[this.language][key], this.language);
    this.#formats.set(key, format);
    return format;
  }
}

const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;

const TEXTS: Readonly<Record<Language, Texts>> = { en: new Texts('en'), de: new Texts('de') };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
