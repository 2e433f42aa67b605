// The releases of a game: when the first and the last one were, and what changed in each.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listReleases } from '@chauffeur/contract/operations/store';
import { formatFriendlyPlatform } from '@chauffeur/contract/texts/download-texts';
import { type Html, html } from './html.ts';
import { feedAddress, writeDay } from './parts.ts';
import type { Texts } from './texts/texts.ts';

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
