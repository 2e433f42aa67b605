// The facts about a game: dates, size, languages, content notes, links, system requirements, and what changed in each
// release. What isn't known is left out.
import { formatOs } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listReleases } from '@chauffeur/contract/operations/store';
import { formatFriendlyPlatform } from '@chauffeur/contract/texts/download-texts';
import type { Texts } from '../texts.ts';
import type { Offer } from './downloads.ts';
import { type Html, html } from './html.ts';
import { feedAddress, writeBytes, writeDay } from './parts.ts';
import type { PublicGame } from './structured-data.ts';

type Fact = readonly [name: string, value: Html | string];

type Sources = { readonly offers: readonly Offer[]; readonly releases: Releases };

export function writeFacts(game: PublicGame, { offers, releases }: Sources, texts: Texts): Html | null {
  const facts: Fact[] = [
    ...writeDates(findDates(game, releases), texts),
    ...sizeOf(offers, texts),
    ...(game.languages.length > 0 ? [[texts.t('facts.languages'), texts.languages(game.languages)] as const] : []),
    ...(game.content_notes.length > 0 ? [[texts.t('facts.notes'), game.content_notes.join(', ')] as const] : []),
    ...(game.links.length > 0 ? [[texts.t('facts.links'), writeLinks(game.links, texts)] as const] : []),
    ...(hasImages(game) ? [[texts.t('press'), writePressKit(game, texts)] as const] : []),
  ];
  if (facts.length === 0) return null;
  return html`<section class="game-facts" aria-labelledby="details"><h2 id="details">${texts.t('facts')}</h2>
<dl class="fact-list">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

type Dates = { readonly released: string | null; readonly updated: string | null };

/** Players could get the first release once the game was public. A game without later releases wasn't updated. */
export function findDates(
  { published_at: published }: PublicGame,
  { first_released_at: first, releases }: Releases,
): Dates {
  const [last] = releases;
  if (first === null || last === undefined) return { released: null, updated: null };
  const released = published !== null && published > first ? published : first;
  return { released, updated: last.released_at > released ? last.released_at : null };
}

function writeDates({ released, updated }: Dates, texts: Texts): Fact[] {
  return [
    ...(released === null ? [] : [[texts.t('facts.released'), writeDay(released, texts)] as const]),
    ...(updated === null ? [] : [[texts.t('facts.updated'), writeDay(updated, texts)] as const]),
  ];
}

function sizeOf(offers: readonly Offer[], texts: Texts): Fact[] {
  const ordered = offers.map(({ file }) => file.size).sort((a, b) => a - b);
  const [smallest, largest] = [ordered[0], ordered.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  const sizes = { smallest: writeBytes(smallest, texts), largest: writeBytes(largest, texts) };
  return [[texts.t('facts.size'), smallest === largest ? sizes.smallest : texts.html('facts.sizes', sizes)]];
}

/** Without an image, the press kit has nothing that the page doesn't say. */
function hasImages({ cover, thumbnail, gallery }: PublicGame): boolean {
  return cover !== null || thumbnail !== null || gallery.length > 0;
}

function writePressKit({ slug }: PublicGame, texts: Texts): Html {
  return html`<a href="/g/${slug}/press-kit.zip" download rel="nofollow">${texts.t('press.download')}</a>`;
}

/** Links show their host, which says where they lead. */
function writeLinks(links: PublicGame['links'], texts: Texts): Html {
  const items = links.map(
    ({ kind, url }) =>
      html`<li><a href="${url}" rel="nofollow ugc noopener noreferrer">${texts.t(`facts.link.${kind}`)}</a> <span class="dimmed">${new URL(url).host}</span></li>`,
  );
  return html`<ul class="fact-links">${items}</ul>`;
}

export function writeRequirements({ requirements }: PublicGame, texts: Texts): Html | null {
  if (requirements.length === 0) return null;
  const part = (name: string, text: string) =>
    text !== '' && html`<div><dt>${name}</dt><dd class="prose">${text}</dd></div>`;
  const systems = requirements.map(
    ({ os, minimum, recommended }) =>
      html`<div><h3>${formatOs(os)}</h3><dl class="requirement-list">${part(texts.t('requirements.minimum'), minimum)}${part(texts.t('requirements.recommended'), recommended)}</dl></div>`,
  );
  return html`<section aria-labelledby="requirements"><h2 id="requirements">${texts.t('requirements')}</h2>
<div class="requirement-systems">${systems}</div></section>`;
}

export type Releases = OutputOf<typeof listReleases>;
type Release = Releases['releases'][number];

/** How many a page shows. */
export const SHOWN_RELEASES = 20;

/** Folded away, because few visitors look for it. The changes of the release on offer are shown above it. */
export function writeReleases({ releases, total }: Releases, slug: string, texts: Texts): Html | null {
  if (releases.length === 0) return null;
  const older = total - releases.length;
  return html`<details class="releases"><summary><h2>${texts.t('releases')}</h2> <span class="dimmed">${texts.t('releases.count', { count: total })}</span></summary>
<ol class="release-list">${releases.map((release) => writeRelease(release, texts))}</ol>
${older > 0 && html`<p class="dimmed small-text">${texts.t('releases.older', { count: older })}</p>`}
<p class="small-text"><a href="${feedAddress(`/g/${slug}/releases.atom`, texts.language)}">${texts.t('releases.feed')}</a></p>
</details>`;
}

function writeRelease(release: Release, texts: Texts): Html {
  const { version, titles, released_at, platforms, changelog_items: items } = release;
  const [title] = titles.length === 1 ? titles : [];
  const sizes = platforms.map((platform) => `${formatFriendlyPlatform(texts, platform)} ${texts.size(platform.size)}`);
  return html`<li>
<h3>${version}${title !== undefined && `: ${title.title}`}</h3>
<p class="dimmed small-text">${writeDay(released_at, texts)} · ${sizes.join(' · ')}</p>
${titles.length > 1 && titles.map((each) => html`<p>${each.title}${writePlatforms(each.platforms, texts)}</p>`)}
${items.length > 0 && writeChanges(items, texts)}
</li>`;
}

type Change = Omit<Release['changelog_items'][number], 'platforms'> & Partial<Release['changelog_items'][number]>;

export function writeChanges(items: readonly Change[], texts: Texts): Html {
  const list = items.map(
    ({ title, description, platforms = null }) =>
      html`<li><strong>${title}</strong>${writePlatforms(platforms, texts)}${description !== '' && html`<p class="prose">${description}</p>`}</li>`,
  );
  return html`<ul class="changes">${list}</ul>`;
}

/** Nothing for all of them. */
function writePlatforms(platforms: Release['titles'][number]['platforms'], texts: Texts): Html | null {
  if (platforms === null) return null;
  const names = platforms.map((platform) => formatFriendlyPlatform(texts, platform));
  return html` <span class="dimmed small-text">${names.join(', ')}</span>`;
}
