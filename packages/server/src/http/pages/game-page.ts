// The store page of a game: images, the download for this machine, description, changelog, beta and bug reports.
import { getPublicGame, listReleases } from '@chauffeur/contract/operations/store';
import { PAGES } from '@chauffeur/contract/pages';
import { plainTextOf } from '../../kernel/text/markdown.ts';
import { renderDescription } from './description.ts';
import { chooseMain, machineOf, type Offer, writeDownloads } from './downloads.ts';
import { GALLERY_SIZES, writeGallery } from './gallery.ts';
import { writeFacts, writeRequirements } from './game-facts.ts';
import { type Html, html } from './html.ts';
import { type Picture, pathWith, preloadPicture, writeHealth } from './parts.ts';
import { type Releases, SHOWN_RELEASES, writeChanges, writeReleases } from './releases.ts';
import { describeGame, type PublicGame } from './structured-data.ts';
import type { PublicPage, Visit } from './visit.ts';

export async function writeGamePage(visit: Visit): Promise<PublicPage> {
  const { ctx, ask, caller, params, query } = visit;
  const { uid = '' } = params;
  const game = await ask(getPublicGame, caller, {
    uid,
    ...(query.channel !== undefined && { channel: query.channel }),
    ...(query.preview === 'draft' && { preview: 'draft' as const }),
  });
  const releases = await ask(listReleases, caller, { uid, limit: SHOWN_RELEASES });
  const url = `${ctx.publicUrl}/g/${game.slug}`;
  const pictures = picturesOf(game);
  const image = game.cover ?? game.thumbnail ?? game.gallery[0] ?? null;
  const isPublic = game.visibility === 'public';
  return {
    status: 200,
    head: {
      title: game.name,
      description: descriptionOf(game),
      url,
      ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: game.name } }),
      isHidden: !isPublic || query.channel !== undefined || query.preview !== undefined,
      links: preloadPicture(pictures[0], GALLERY_SIZES),
      ...(isPublic && {
        feed: { title: `Releases of ${game.name}`, url: `${url}/releases.atom` },
        data: describeGame(game, url, ctx.publicUrl),
      }),
    },
    variesByMachine: true,
    main: writeGame(visit, { game, releases, pictures }),
  };
}

/** What search engines and previews show below the name. */
function descriptionOf({ tagline, description, developer }: PublicGame): string {
  return [tagline, plainTextOf(description)].filter((text) => text !== '').join(' – ') || `A game by ${developer}`;
}

function picturesOf({ cover, gallery }: PublicGame): Picture[] {
  return [...(cover === null ? [] : [cover]), ...gallery];
}

type Shown = { readonly game: PublicGame; readonly releases: Releases; readonly pictures: readonly Picture[] };

function writeGame(visit: Visit, { game, releases, pictures }: Shown): Html {
  const shown = visit.query.channel ?? game.channels[0] ?? 'stable';
  const offers = game.downloads.filter(({ channel }) => channel === shown);
  const machine = machineOf(visit);
  const main = chooseMain(offers, machine);
  const channel = shown === game.channels[0] ? undefined : shown;
  return html`<article class="game">
<header class="game-head">
${writeTeamBar(game, visit.query.preview === 'draft')}
<h1><bdi>${game.name}</bdi></h1>
<p class="dimmed">By ${writeDeveloper(game)}</p>
${game.tagline !== '' && html`<p class="game-tagline">${game.tagline}</p>`}
</header>
<div class="game-pictures">${writeGallery(pictures, game.name)}</div>
<div class="game-column">
<aside class="game-side" aria-label="Download">
${writeLaunchHealth(game)}
${game.channels.length > 1 && writeChannels(game, shown)}
${writeDownloads({ slug: game.slug, offers, machine, channel, now: visit.ctx.clock.now() })}
${(game.beta.offered || game.beta.joined) && game.role === null && writeBeta(game, visit.caller.kind === 'account')}
<a class="button wide" href="/g/${game.slug}/follow">Follow</a>
<p class="game-actions"><a href="/g/${game.slug}/report">Report a bug</a>${game.role === null && html`<a href="/g/${game.slug}/report-page">Report this page</a>`}</p>
</aside>
${writeFacts(game, offers, releases)}
</div>
<div class="game-text">
${game.description !== '' && html`<section class="markdown" aria-label="Description">${renderDescription(game.description)}</section>`}
${writeTags(game.tags)}
${main !== undefined && writeChangelog(main)}
${writeRequirements(game)}
${writeReleases(releases, game.slug)}
</div>
</article>`;
}

/** How often the game starts, and what the number is from. */
function writeLaunchHealth(game: PublicGame): Html | null {
  const label = writeHealth(game);
  if (label === null) return null;
  return html`<div class="launch">${label}<p class="dimmed">Measured on players' devices in the last 30 days. <a href="/docs/shelves#how-well-games-start">More about this</a></p></div>`;
}

const NOTICES: Readonly<Record<PublicGame['visibility'], string | null>> = {
  public: null,
  invisible: 'Not listed. Only people with the link can find this page.',
  draft: 'Draft. Only you and the other developers of this game can see this page.',
};

/**
 * For members of the game. It is part of the page, because those of signed-in people are never shared, so that what
 * others get can still be cached.
 */
function writeTeamBar({ role, visibility, slug }: PublicGame, isPreview: boolean): Html | null {
  if (role === null) return null;
  const notice = isPreview ? 'A preview of the draft. Players see it once it is published.' : NOTICES[visibility];
  return html`<aside class="team-bar" aria-label="Manage this game">
<nav aria-label="Manage this game"><a href="/dev/${slug}">Manage this game</a><a href="/dev/${slug}/edit/listing">Edit the page</a><a href="/dev/${slug}/edit/images">Edit images</a><a href="/dev/${slug}/channels">Channels</a></nav>
${notice !== null && html`<p>${notice}</p>`}
</aside>`;
}

/** Links to the developer's page if they have one. */
function writeDeveloper({ developer, developer_handle: handle }: PublicGame): Html {
  const name = html`<bdi>${developer}</bdi>`;
  return handle === null ? name : html`<a href="/@${handle}">${name}</a>`;
}

function writeChannels({ slug, channels }: PublicGame, shown: string): Html {
  const links = channels.map((channel) => {
    const path = pathWith(`/g/${slug}`, { channel: channel === channels[0] ? undefined : channel });
    return html`<a href="${path}"${channel === shown && html` aria-current="true"`}>${channel}</a>`;
  });
  return html`<nav class="choices wide" aria-label="Channel">${links}</nav>`;
}

function writeBeta({ slug, game_uid, beta: { joined } }: PublicGame, isSignedIn: boolean): Html {
  const signIn = `${PAGES.signIn}?${new URLSearchParams({ next: `/g/${slug}` })}`;
  const after = pathWith(`/g/${slug}`, { channel: joined ? undefined : 'beta' });
  return html`<section class="beta" aria-labelledby="beta">
<h2 id="beta">Beta</h2>
<p role="status">${joined ? "You're in the beta. Beta builds appear in your downloads." : 'Try new builds before they are released.'}</p>
${
  isSignedIn
    ? html`<button type="button" class="button small" data-needs-js data-beta="${joined ? 'DELETE' : 'PUT'}" data-game="${game_uid}" data-after="${after}">${joined ? 'Leave beta' : 'Join beta'}</button>`
    : html`<a href="${signIn}">Sign in to join the beta</a>`
}
</section>`;
}

function writeTags(tags: readonly string[]): Html | null {
  if (tags.length === 0) return null;
  const items = tags.map((tag) => html`<li><a class="pill" href="${pathWith(PAGES.browse, { tag })}">${tag}</a></li>`);
  return html`<ul class="tags" aria-label="Tags">${items}</ul>`;
}

/** The changes of the build on offer. */
function writeChangelog({ version, title, changelog_items: items }: Offer): Html | null {
  if (items.length === 0) return null;
  const heading = title === '' || title === version ? `What's new in ${version}` : `What's new in ${version}: ${title}`;
  return html`<section aria-labelledby="changes"><h2 id="changes">${heading}</h2>${writeChanges(items)}</section>`;
}
