// The facts about a game: dates, size, languages, content notes, links and system requirements. What isn't known is left
// out.
import { formatOs } from '@chauffeur/contract/format';
import { formatLanguage } from '@chauffeur/contract/languages';
import { formatLinkKind } from '@chauffeur/contract/store-format';
import type { Offer } from './downloads.ts';
import { type Html, html } from './html.ts';
import { writeBytes, writeDay } from './parts.ts';
import type { Releases } from './releases.ts';
import type { PublicGame } from './structured-data.ts';

type Fact = readonly [name: string, value: Html | string];

export function writeFacts(game: PublicGame, offers: readonly Offer[], releases: Releases): Html | null {
  const facts: Fact[] = [
    ...datesOf(game, releases),
    ...sizeOf(offers),
    ...(game.languages.length > 0 ? [['Languages', game.languages.map(formatLanguage).join(', ')] as const] : []),
    ...(game.content_notes.length > 0 ? [['Content notes', game.content_notes.join(', ')] as const] : []),
    ...(game.links.length > 0 ? [['Links', writeLinks(game.links)] as const] : []),
  ];
  if (facts.length === 0) return null;
  return html`<section class="game-facts" aria-labelledby="details"><h2 id="details">Details</h2>
<dl class="fact-list">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

/** Players could get the first release once the game was public. */
function datesOf({ published_at: published }: PublicGame, { first_released_at: first, releases }: Releases): Fact[] {
  const [last] = releases;
  if (first === null || last === undefined) return [];
  const released = published !== null && published > first ? published : first;
  return [
    ['Released', writeDay(released)],
    ...(last.released_at > released ? [['Updated', writeDay(last.released_at)] as const] : []),
  ];
}

function sizeOf(offers: readonly Offer[]): Fact[] {
  const sizes = offers.map(({ file }) => file.size).sort((a, b) => a - b);
  const [smallest, largest] = [sizes[0], sizes.at(-1)];
  if (smallest === undefined || largest === undefined) return [];
  const range = smallest === largest ? writeBytes(smallest) : html`${writeBytes(smallest)} to ${writeBytes(largest)}`;
  return [['Download size', range]];
}

/** With the host, which shows where the link leads. */
function writeLinks(links: PublicGame['links']): Html {
  const items = links.map(
    ({ kind, url }) =>
      html`<li><a href="${url}" rel="nofollow ugc noopener noreferrer">${formatLinkKind(kind)}</a> <span class="dimmed">${new URL(url).host}</span></li>`,
  );
  return html`<ul class="fact-links">${items}</ul>`;
}

export function writeRequirements({ requirements }: PublicGame): Html | null {
  if (requirements.length === 0) return null;
  const part = (name: string, text: string) =>
    text !== '' && html`<div><dt>${name}</dt><dd class="prose">${text}</dd></div>`;
  const systems = requirements.map(
    ({ os, minimum, recommended }) =>
      html`<div><h3>${formatOs(os)}</h3><dl class="requirement-list">${part('Minimum', minimum)}${part('Recommended', recommended)}</dl></div>`,
  );
  return html`<section aria-labelledby="requirements"><h2 id="requirements">System requirements</h2>
<div class="requirement-systems">${systems}</div></section>`;
}
