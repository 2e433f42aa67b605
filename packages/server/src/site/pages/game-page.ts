// The store page of a game: images, the download for this machine, description, changelog, beta and bug reports.
import { getPublicGame, listReleases, listSimilar } from '@chauffeur/contract/operations/store';
import { PAGES } from '@chauffeur/contract/pages';
import type { MessageKey } from '@chauffeur/contract/texts/messages';
import type { VideoLink } from '@chauffeur/contract/video-link';
import { plainTextOf } from '../../kernel/text/markdown.ts';
import { countView } from '../../shop/statistics/statistics.ts';
import type { Texts } from '../texts.ts';
import { chooseMain, machineOf, type Offer, writeDownloads } from './downloads.ts';
import { writeShelf } from './game-cards.ts';
import {
  type Releases,
  SHOWN_RELEASES,
  writeChanges,
  writeFacts,
  writeReleases,
  writeRequirements,
} from './game-facts.ts';
import { GALLERY_SIZES, videosOf, writeGallery, writeVideos } from './game-media.ts';
import { type Html, html } from './html.ts';
import {
  type CardGame,
  feedAddress,
  type Picture,
  pathWith,
  preloadPicture,
  renderDescription,
  writeHealth,
} from './parts.ts';
import { describeGame, type PublicGame } from './structured-data.ts';
import type { PublicPage, Visit } from './visit.ts';

export async function writeGamePage(visit: Visit): Promise<PublicPage> {
  const { ctx, ask, caller, params, query, texts, method, headers } = visit;
  const { uid = '' } = params;
  const game = await ask(getPublicGame, caller, {
    uid,
    ...(query.channel !== undefined && { channel: query.channel }),
    ...(query.preview === 'draft' && { preview: 'draft' as const }),
  });
  if (game.role === null) countView(ctx, { gameId: game.game_uid, method, headers, host: query.referrer });
  const [releases, { games: similar }] = await Promise.all([
    ask(listReleases, caller, { uid, limit: SHOWN_RELEASES }),
    ask(listSimilar, caller, { uid }),
  ]);
  const url = `${ctx.publicUrl}/g/${game.slug}`;
  const pictures = picturesOf(game);
  const videos = videosOf(game);
  const image = game.cover ?? game.thumbnail ?? game.gallery[0] ?? null;
  const [shared] = game.video_files;
  const isPublic = game.visibility === 'public';
  return {
    status: 200,
    head: {
      title: game.name,
      description: descriptionOf(game, texts),
      url,
      ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: game.name } }),
      ...(shared !== undefined && {
        video: { url: shared.url, type: shared.content_type, width: shared.width, height: shared.height },
      }),
      isHidden: !isPublic || query.channel !== undefined || query.preview !== undefined,
      links: preloadPicture(pictures[0], GALLERY_SIZES),
      ...(isPublic && {
        feed: {
          title: texts.t('game.releases', { game: game.name }),
          url: feedAddress(`${url}/releases.atom`, texts.language),
        },
        data: describeGame(game, url, ctx.publicUrl),
      }),
    },
    variesByMachine: true,
    frames: [...new Set(videos.map(({ origin }) => origin))],
    playsVideos: game.video_files.length > 0,
    main: writeGame(visit, { game, releases, pictures, videos, similar }),
  };
}

/** What search engines and previews show below the name. */
function descriptionOf({ tagline, description, developer }: PublicGame, texts: Texts): string {
  const own = [tagline, plainTextOf(description)].filter((text) => text !== '').join(' – ');
  return own || texts.t('game.description', { developer });
}

function picturesOf({ cover, gallery }: PublicGame): Picture[] {
  return [...(cover === null ? [] : [cover]), ...gallery];
}

type Shown = {
  readonly game: PublicGame;
  readonly releases: Releases;
  readonly pictures: readonly Picture[];
  readonly videos: readonly VideoLink[];
  readonly similar: readonly CardGame[];
};

function writeGame(visit: Visit, { game, releases, pictures, videos, similar }: Shown): Html {
  const { texts } = visit;
  const shown = visit.query.channel ?? game.channels[0] ?? 'stable';
  const offers = game.downloads.filter(({ channel }) => channel === shown);
  const machine = machineOf(visit);
  const main = chooseMain(offers, machine);
  const channel = shown === game.channels[0] ? undefined : shown;
  return html`${writeBackdrop(pictures[0])}<article class="game">
<header class="game-head">
${writeTeamBar(game, visit.query.preview === 'draft', texts)}
<h1><bdi>${game.name}</bdi></h1>
<p class="game-by">${texts.html('by', { developer: writeDeveloper(game) })}</p>
${game.tagline !== '' && html`<p class="game-tagline">${game.tagline}</p>`}
</header>
<div class="game-pictures">${writeGallery(pictures, game.name, texts) ?? writeInitial(game.name)}</div>
<div class="game-column">
<aside class="game-side" aria-label="${texts.t('game.download')}">
${writeLaunchHealth(game, texts)}
${game.channels.length > 1 && writeChannels(game, shown, texts)}
${writeDownloads({ slug: game.slug, offers, notes: game.install_notes, machine, channel, now: visit.ctx.clock.now(), texts })}
${(game.beta.offered || game.beta.joined) && game.role === null && writeBeta(game, visit.caller.kind === 'account', texts)}
<a class="button wide" href="/g/${game.slug}/follow">${texts.t('follow')}</a>
<p class="game-actions"><a href="/g/${game.slug}/report">${texts.t('game.reportBug')}</a>${game.role === null && html`<a href="/g/${game.slug}/report-page">${texts.t('game.reportPage')}</a>`}</p>
</aside>
${writeFacts(game, { offers, releases }, texts)}
</div>
<div class="game-text">
${writeVideos(game, videos, pictures, texts)}
${game.description !== '' && html`<section class="markdown" aria-label="${texts.t('game.text')}">${renderDescription(game.description)}</section>`}
${writeTags(game.tags, texts)}
${main !== undefined && writeChangelog(main, texts)}
${writeRequirements(game, texts)}
${writeReleases(releases, game.slug, texts)}
</div>
${writeSimilar(similar, texts)}
</article>`;
}

/** The smallest copy of the first image, which the strip below the large image shows too. */
function writeBackdrop(picture: Picture | undefined): Html | null {
  if (picture === undefined) return null;
  const { url } = picture.copies.toSorted((a, b) => a.width - b.width)[0] ?? picture;
  return html`<div class="game-backdrop" aria-hidden="true"><img src="${url}" alt="" decoding="async"></div>`;
}

/** Instead of images. */
function writeInitial(name: string): Html {
  return html`<div class="game-initial" aria-hidden="true">${[...name.trim()][0]?.toUpperCase()}</div>`;
}

function writeSimilar(games: readonly CardGame[], texts: Texts): Html | null {
  if (games.length === 0) return null;
  return html`<section class="game-similar" aria-labelledby="similar"><h2 id="similar">${texts.t('similar')}</h2>${writeShelf(games, texts)}</section>`;
}

/** How often the game starts, and what the number is from. */
function writeLaunchHealth(game: PublicGame, texts: Texts): Html | null {
  const label = writeHealth(game, texts);
  if (label === null) return null;
  return html`<div class="launch">${label}<p class="dimmed">${texts.html('game.launch', { link: (text) => html`<a href="/docs/shelves#how-well-games-start">${text}</a>` })}</p></div>`;
}

/**
 * The bar for members of the game. It is part of the page, because those of signed-in people are never shared, so that
 * what others get can still be cached.
 */
function writeTeamBar({ role, visibility, slug }: PublicGame, isPreview: boolean, texts: Texts): Html | null {
  if (role === null) return null;
  const notice = isPreview ? 'team.preview' : visibility === 'public' ? null : (`team.${visibility}` as const);
  const link = (path: string, key: MessageKey) => html`<a href="/dev/${slug}${path}">${texts.t(key)}</a>`;
  return html`<aside class="team-bar" aria-label="${texts.t('team')}">
<nav aria-label="${texts.t('team')}">${link('', 'team')}${link('/settings/listing', 'team.listing')}${link('/settings/media', 'team.media')}${link('/channels', 'team.channels')}</nav>
${notice !== null && html`<p>${texts.t(notice)}</p>`}
</aside>`;
}

/** Links to the developer's page if they have one. */
function writeDeveloper({ developer, developer_handle: handle }: PublicGame): Html {
  const name = html`<bdi>${developer}</bdi>`;
  return handle === null ? name : html`<a href="/@${handle}">${name}</a>`;
}

function writeChannels({ slug, channels }: PublicGame, shown: string, texts: Texts): Html {
  const links = channels.map((channel) => {
    const path = pathWith(`/g/${slug}`, { channel: channel === channels[0] ? undefined : channel });
    return html`<a href="${path}"${channel === shown && html` aria-current="true"`}>${channel}</a>`;
  });
  return html`<nav class="choices wide" aria-label="${texts.t('game.channel')}">${links}</nav>`;
}

function writeBeta({ slug, game_uid, beta: { joined } }: PublicGame, isSignedIn: boolean, texts: Texts): Html {
  const signIn = `${PAGES.signIn}?${new URLSearchParams({ next: `/g/${slug}` })}`;
  const after = pathWith(`/g/${slug}`, { channel: joined ? undefined : 'beta' });
  return html`<section class="beta" aria-labelledby="beta">
<h2 id="beta">${texts.t('beta')}</h2>
<p role="status">${texts.t(joined ? 'beta.joined' : 'beta.offered')}</p>
${
  isSignedIn
    ? html`<button type="button" class="button small" data-needs-js data-beta="${joined ? 'DELETE' : 'PUT'}" data-game="${game_uid}" data-after="${after}">${texts.t(joined ? 'beta.leave' : 'beta.join')}</button>`
    : html`<a href="${signIn}">${texts.t('beta.signIn')}</a>`
}
</section>`;
}

function writeTags(tags: readonly string[], texts: Texts): Html | null {
  if (tags.length === 0) return null;
  const items = tags.map((tag) => html`<li><a class="pill" href="${pathWith(PAGES.browse, { tag })}">${tag}</a></li>`);
  return html`<ul class="tags" aria-label="${texts.t('tags')}">${items}</ul>`;
}

/** The changes of the build on offer. */
function writeChangelog({ version, title, changelog_items: items }: Offer, texts: Texts): Html | null {
  if (items.length === 0) return null;
  const isPlain = title === '' || title === version;
  const heading = texts.t(isPlain ? 'game.changes' : 'game.changes.titled', { version, title });
  return html`<section aria-labelledby="changes"><h2 id="changes">${heading}</h2>${writeChanges(items, texts)}</section>`;
}
