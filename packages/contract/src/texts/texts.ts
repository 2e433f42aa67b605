// Texts in one language: messages with their values, and numbers, sizes and dates as that language writes them. The
// messages are parsed already, and have few kinds of parts. The library of their format, which is the reference in
// texts.test.ts, would be 6 kB more for each page, and the page of a crash group would be over its limit.
import { type Language, type MessageKey, type MessagePart, type Messages, PART } from './messages.ts';

type Values = Readonly<Record<string, string | number>>;

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const;
/** In English too, dates begin with the day, as elsewhere on the site. */
const DATE_LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de' };
const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;

export class Texts<Key extends MessageKey = MessageKey> {
  readonly language: Language;
  readonly #messages: Messages<Key>;
  readonly #number: Intl.NumberFormat;
  readonly #plural: Intl.PluralRules;
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
    this.#plural = new Intl.PluralRules(language);
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
    const message = this.#messages[key];
    if (typeof message === 'string') return message;
    const parts: (string | Part)[] = [];
    for (const part of this.#write<Part>(message, values)) {
      const last = parts.at(-1);
      if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
      else parts.push(part);
    }
    return parts.length > 1 ? parts : (parts[0] ?? '');
  }

  /** `count` is the number that a plural is about. Throws if a value is missing. */
  *#write<Part>(
    message: readonly MessagePart[],
    values: Readonly<Record<string, unknown>>,
    count = 0,
  ): Generator<string | Part> {
    for (const part of message) {
      if (part.type === PART.literal) {
        yield part.value;
        continue;
      }
      if (part.type === PART.pound) {
        yield this.number(count);
        continue;
      }
      if (!Object.hasOwn(values, part.value)) throw new Error(`A message has no value for ${part.value}`);
      const value = values[part.value];
      if (part.type === PART.argument) yield (typeof value === 'number' ? String(value) : value) as string | Part;
      else if (part.type === PART.number) yield this.number(Number(value));
      else if (part.type === PART.tag) {
        const wrap = value as (content: (string | Part)[]) => Part | Part[];
        yield* [wrap([...this.#write<Part>(part.children, values, count)])].flat() as Part[];
      } else {
        const rest = Number(value) - part.offset;
        const chosen = part.options[`=${value}`] ?? part.options[this.#plural.select(rest)] ?? part.options.other;
        yield* this.#write<Part>(chosen?.value ?? [], values, rest);
      }
    }
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
}
