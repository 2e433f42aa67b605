// The small parts of public pages: images, times, sizes, labels, copy buttons, descriptions and the search field.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { Band } from '@chauffeur/contract/operations/health';
import type { listMedia } from '@chauffeur/contract/operations/media';
import type { getShelf } from '@chauffeur/contract/operations/shelves';
import { PAGES } from '@chauffeur/contract/pages';
import { type Language, PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import { createRecent } from '../../kernel/collections/cache.ts';
import { markdownToHtml } from '../../kernel/text/markdown.ts';
import { formatLaunch, type Texts } from '../texts.ts';
import { asHtml, type Html, html } from './html.ts';

/** A game in a list. */
export type CardGame = OutputOf<typeof getShelf>['games'][number];
export type Picture = OutputOf<typeof listMedia>['gallery'][number];

type PictureOptions = {
  /** How wide it is drawn, as in the `sizes` attribute of an image. */
  readonly sizes: string;
  readonly alt: string;
  /** `first` for the image that matters most in the first view, `later` for one below it. */
  readonly priority?: 'first' | 'normal' | 'later';
};

/** A store image. The browser picks the smallest copy that is sharp enough. */
export function writePicture(picture: Picture, { sizes, alt, priority = 'normal' }: PictureOptions): Html {
  const { url, width, height, copies } = picture;
  const choice = copies.length > 0 && html` srcset="${sourcesOf(picture)}" sizes="${sizes}"`;
  const order =
    priority === 'first' ? html` fetchpriority="high"` : priority === 'later' && html` loading="lazy" decoding="async"`;
  return html`<img src="${url}"${choice} width="${width}" height="${height}" alt="${alt}"${order}>`;
}

/** The image of the game that a form is about, which leads to its page. */
export function writeFormImage({ slug, cover, gallery }: Pictured): Html {
  const picture = cover ?? gallery[0];
  const image = picture && writePicture(picture, { sizes: '(min-width: 36rem) 36rem, 100vw', alt: '' });
  return html`<a class="panel-image" href="/g/${slug}" tabindex="-1" aria-hidden="true">${image}</a>`;
}

type Pictured = { readonly slug: string; readonly cover: Picture | null; readonly gallery: readonly Picture[] };

/** Lets the browser load the image before it has read the page. */
export function preloadPicture(picture: Picture | null | undefined, sizes: string): string {
  if (picture == null) return '';
  const choice = picture.copies.length > 0 && html` imagesrcset="${sourcesOf(picture)}" imagesizes="${sizes}"`;
  return html`<link rel="preload" as="image" href="${picture.url}"${choice} fetchpriority="high">`.text;
}

function sourcesOf({ url, width, copies }: Picture): string {
  return [...copies, { url, width }].map((each) => `${each.url} ${each.width}w`).join(', ');
}

/** `30 Nov 2026`. On hover, the exact time; the script of the page shows it in the visitor's time zone. */
export function writeDay(at: string, texts: Texts): Html {
  const time = new Date(at);
  return html`<time datetime="${at}" title="${texts.exactTime(time)}">${texts.day(time)}</time>`;
}

export function writeBytes(count: number, texts: Texts): Html {
  return html`<span title="${texts.t('bytes', { count })}">${texts.size(count)}</span>`;
}

export type Tone = 'good' | 'busy' | 'unsure' | 'bad' | 'none';

/** A state as a coloured dot and a label, because not everyone can tell the colours apart. */
export function writeBadge(tone: Tone, label: string): Html {
  return html`<span class="badge" data-tone="${tone}">${label}</span>`;
}

const HEALTH_TONES: Readonly<Record<Band, Tone>> = {
  excellent: 'good',
  healthy: 'good',
  mixed: 'unsure',
  problematic: 'bad',
  unrated: 'none',
};

/** Whether a game starts on players' machines. Nothing is shown while too few devices have started it. */
export function writeHealth({ health, launch }: Pick<CardGame, 'health' | 'launch'>, texts: Texts): Html | null {
  const label = formatLaunch(texts, health, launch);
  return label === null ? null : writeBadge(HEALTH_TONES[health], label);
}

/** An id or a checksum, shortened in the middle, with a button that copies all of it. `label` is for screen readers. */
export function writeCopied(text: string, label: string, texts: Texts): Html {
  const short = text.length <= 13 ? text : `${text.slice(0, 6)}…${text.slice(-6)}`;
  return html`<span class="copied"><code title="${text}">${short}</code><button type="button" data-copy="${text}" data-needs-js aria-label="${label}" title="${texts.t('copy')}">${SHEETS}</button></span>`;
}

const SHEETS = asHtml(
  '<svg width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3.5v-1h-8v8h1"/></svg>',
);

/** The address of a feed in a language, which English ones don't name. */
export function feedAddress(address: string, language: Language): string {
  return language === PAGE_LANGUAGES[0] ? address : `${address}?lang=${language}`;
}

/** The path of a page with the parameters that are set. */
export function pathWith(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set)}`;
}

/** Characters of the descriptions, and of their HTML, that a process keeps. */
const MAX_KEPT = 4_000_000;
const rendered = createRecent<string, Html>(MAX_KEPT);

export function renderDescription(text: string): Html {
  const kept = rendered.get(text);
  if (kept !== undefined) return kept;
  const written = asHtml(markdownToHtml(text));
  rendered.set(text, written, text.length + written.text.length);
  return written;
}

type Search = {
  readonly texts: Texts;
  readonly q?: string | undefined;
  /** Filters that the search keeps. */
  readonly kept?: Readonly<Record<string, string | undefined>>;
  readonly where: 'header' | 'page';
};

export function writeSearch({ texts, q = '', kept = {}, where }: Search): Html {
  const hidden = Object.entries(kept).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<search class="${where === 'header' ? 'site-search' : 'search'}"><form action="${PAGES.browse}">
<input type="search" name="q" value="${q}" maxlength="200" aria-label="${texts.t('search.label')}" placeholder="${texts.t(where === 'header' ? 'search.label' : 'search.hint')}" data-search>${hidden}
${where === 'page' && html`<button class="button">${texts.t('search.button')}</button>`}
</form></search>`;
}
