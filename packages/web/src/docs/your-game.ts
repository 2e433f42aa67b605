// Fills the ids of a signed-in developer's game into the examples of a page, so that they can be copied as they are.
// Only addresses and ids are filled in, and no key. Visitors who never opened a game here are not asked for.
import { formatOs } from '@chauffeur/contract/format';
import { forgetChoice, GAME_CHOICE, readChoice, storeChoice } from '../browser.ts';
import { fillIn, hasPlaceholder, type Ids } from './placeholders.ts';

type Game = { readonly game_uid: string; readonly slug: string; readonly name: string };
type Build = { readonly build_id: string; readonly version: string; readonly os: string };

export async function fillInYourGame(): Promise<void> {
  const chosen = readChoice(GAME_CHOICE);
  const blocks = [...document.querySelectorAll('[data-code] code')].filter(({ textContent }) =>
    hasPlaceholder(textContent ?? ''),
  );
  if (chosen === null || blocks.length === 0) return;
  const games = (await read<{ games: Game[] }>('/games'))?.games ?? [];
  if (games.length === 0) return forgetChoice(GAME_CHOICE);
  const examples = blocks.map((block) => ({ block, text: block.textContent ?? '' }));
  const bar = document.createElement('p');
  bar.className = 'your-game';
  bar.setAttribute('role', 'status');
  const list = document.createElement('select');
  list.ariaLabel = 'Game';
  list.append(...games.map(({ slug, name }) => new Option(name, slug)), new Option('no game', ''));
  const build = document.createElement('span');
  bar.append('The examples below have the ids of ', list, build);
  document.querySelector('main h1')?.after(bar);
  const show = async (slug: string) => {
    const game = games.find((each) => each.slug === slug);
    const newest =
      game === undefined
        ? undefined
        : (await read<{ builds: Build[] }>(`/games/${game.game_uid}/builds?page_size=1`))?.builds[0];
    // Another game was chosen in the meantime.
    if (list.value !== slug) return;
    build.textContent =
      newest === undefined ? '.' : `, and of its newest build, ${newest.version} for ${formatOs(newest.os)}.`;
    const ids: Ids = { gameUid: game?.game_uid, slug: game?.slug, buildId: newest?.build_id };
    for (const { block, text } of examples) block.textContent = fillIn(text, ids);
  };
  list.addEventListener('change', () => {
    storeChoice(GAME_CHOICE, list.value);
    void show(list.value);
  });
  list.value = games.some(({ slug }) => slug === chosen) || chosen === '' ? chosen : (games[0]?.slug ?? '');
  await show(list.value);
}

/** The data of a response; undefined if the session has ended, or the server can't be reached. */
async function read<Data>(path: string): Promise<Data | undefined> {
  try {
    const response = await fetch(`/api/v1${path}`);
    return response.ok ? ((await response.json()) as { data: Data }).data : undefined;
  } catch {
    return undefined;
  }
}
