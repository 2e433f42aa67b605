// The releases of a game: the versions that its stable channel has offered, with their changes and sizes.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/store';
import { pageOfWhole } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import { mergeRelease } from './merge-release.ts';
import { listReleases as findReleases, type ReleaseRow } from './releases.sql.ts';
import { requireVisibleGame } from './store.ts';

type Releases = OutputOf<typeof contract.listReleases>;

/** Throws `notFound`, also for drafts of others. */
export const listReleases = handle(contract.listReleases, async (ctx, { caller, input }) => {
  const { game } = await requireVisibleGame(ctx, caller, input.uid);
  const found = await findReleases(ctx.db, game.game_id, { limit: LIMITS.releasesListed });
  const { items, ...next } = pageOfWhole(['releases', game.game_id], found, input);
  return {
    first_released_at: found[0]?.first_released_at.toISOString() ?? null,
    total: found[0]?.total ?? 0,
    releases: items.map(recordOf),
    ...next,
  };
});

function recordOf({ version, released_at, builds }: ReleaseRow): Releases['releases'][number] {
  const { titles, changes, platforms } = mergeRelease(version, builds);
  const [title] = titles;
  const releasedAt = released_at.toISOString();
  return { version, title: title?.title ?? '', titles, changelog_items: changes, released_at: releasedAt, platforms };
}
