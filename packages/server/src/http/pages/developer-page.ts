// The public page of a developer with their games.
import { getDeveloper } from '@chauffeur/contract/operations/developers';
import { writeMore } from './browse-page.ts';
import { GRID_SIZES, imageOfCard, writeGrid } from './game-cards.ts';
import { html } from './html.ts';
import { pathWith, preloadPicture, writeDay } from './parts.ts';
import type { PublicPage, Visit } from './visit.ts';

export async function writeDeveloperPage({ ctx, ask, caller, params, query }: Visit): Promise<PublicPage> {
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
      description: `Games by ${name}`,
      url: ctx.publicUrl + path,
      ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: name } }),
      // A developer without a game has nothing to index yet.
      isHidden: first === undefined || cursor !== undefined,
      links: preloadPicture(first && imageOfCard(first), GRID_SIZES),
    },
    main: html`<header class="developer">
<h1><bdi>${name}</bdi></h1>
<p class="dimmed">@${developer.handle} · Joined ${writeDay(developer.since)}</p>
</header>
<section aria-label="Games">${
      games.length > 0
        ? writeGrid(games, { eager: 1 })
        : html`<p>This developer has no public games with a download yet.</p>`
    }
${next_cursor !== null && writeMore(pathWith(path, { cursor: next_cursor }))}</section>`,
  };
}
