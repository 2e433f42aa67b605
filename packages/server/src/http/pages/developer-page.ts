// The public page of a developer with their games.
import { getDeveloper } from '@chauffeur/contract/operations/developers';
import { writeMore } from './browse-page.ts';
import { GRID_SIZES, imageOfCard, writeGrid } from './game-cards.ts';
import { html } from './html.ts';
import { pathWith, preloadPicture, writeDay } from './parts.ts';
import type { PublicPage, Visit } from './visit.ts';

export async function writeDeveloperPage({ ctx, ask, caller, params, query, texts }: Visit): Promise<PublicPage> {
  const { handle = '' } = params;
  const { cursor } = query;
  const developer = await ask(getDeveloper, caller, { handle, ...(cursor !== undefined && { cursor }) });
  const { name, games, next_cursor } = developer;
  const [first] = games;
  const image = first === undefined ? null : (first.cover ?? first.thumbnail);
  const path = `/@${developer.handle}`;
  return {
    status: 200,
    head: {
      title: name,
      description: texts.t('developer.description', { name }),
      url: ctx.publicUrl + path,
      ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: name } }),
      // A developer without a game has nothing to index yet.
      isHidden: first === undefined || cursor !== undefined,
      links: preloadPicture(first && imageOfCard(first), GRID_SIZES),
    },
    main: html`<header class="developer">
<h1><bdi>${name}</bdi></h1>
<p class="dimmed">@${developer.handle} · ${texts.html('developer.joined', { day: writeDay(developer.since, texts) })}</p>
</header>
<section aria-label="${texts.t('home.title')}">${
      games.length > 0 ? writeGrid(games, texts, { eager: 1 }) : html`<p>${texts.t('developer.none')}</p>`
    }
${next_cursor !== null && writeMore(pathWith(path, { cursor: next_cursor }), texts)}</section>`,
  };
}
