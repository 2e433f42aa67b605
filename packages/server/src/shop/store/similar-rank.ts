// Orders similar games: by the tags that they share, then by how well they start, then the last published first.
import type { Band } from '@chauffeur/contract/operations/health';
import type { SimilarRow } from './similar.sql.ts';

/** Games with problems come after unrated ones. */
const HEALTH_ORDER: Readonly<Record<Band, number>> = { excellent: 0, healthy: 0, unrated: 1, mixed: 2, problematic: 3 };

/** The ids in order. Games in no band are unrated. */
export function rankSimilar(games: readonly SimilarRow[], bands: ReadonlyMap<string, Band>): string[] {
  const healthOf = ({ game_id }: SimilarRow) => HEALTH_ORDER[bands.get(game_id) ?? 'unrated'];
  return games
    .toSorted(
      (a, b) =>
        b.shared - a.shared ||
        healthOf(a) - healthOf(b) ||
        b.published_at.getTime() - a.published_at.getTime() ||
        (a.game_id < b.game_id ? -1 : 1),
    )
    .map(({ game_id }) => game_id);
}
