// Texts in one language: messages with their values, and numbers, sizes and dates as that language writes them.
import { IntlMessageFormat } from 'intl-messageformat';
import type { Language, MessageKey, Messages } from './messages.ts';

type Values = Readonly<Record<string, string | number>>;

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;
/** In English too, dates begin with the day, as elsewhere on the site. */
const DATE_LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de' };
const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;

export class Texts<Key extends MessageKey = MessageKey> {
  readonly language: Language;
  readonly #messages: Messages<Key>;
  readonly #formats = new Map<Key, IntlMessageFormat>();
  readonly #number: Intl.NumberFormat;
  readonly #compact: Intl.NumberFormat;
  readonly #list: Intl.ListFormat;
  readonly #languageNames: Intl.DisplayNames;
  readonly #day: Intl.DateTimeFormat;
  readonly #dayOfYear: Intl.DateTimeFormat;
  readonly #exact: Intl.DateTimeFormat;

  constructor(language: Language, messages: Messages<Key>) {
    this.language = language;
    this.#messages = messages;
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
  t(key: Key, values: Values = {}): string {
    return String(this.parts(key, values));
  }

  /** A message whose values and tags are of another type, such as HTML: its parts in their order. */
  parts<Part>(key: Key, values: Readonly<Record<string, unknown>>): string | Part | (string | Part)[] {
    const message: unknown = this.#messages[key];
    if (typeof message === 'string') return message;
    return this.#formatOf(key).format<Part>(values as Record<string, Part>);
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
  size(this: Texts<Key | 'bytes'>, bytes: number): string {
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

  #formatOf(key: Key): IntlMessageFormat {
    const kept = this.#formats.get(key);
    if (kept !== undefined) return kept;
    const format = new IntlMessageFormat(this.#messages[key], this.language);
    this.#formats.set(key, format);
    return format;
  }
}
