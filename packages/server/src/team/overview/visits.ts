// Visits: when a person looked at a game before, so that its overview can say what is new since then.
//
// A visit ends half an hour after the person last opened a page of the game, so neither reloading a page nor a second
// tab ends it. Only the website records visits, with a separate request that no page waits for: pages that poll in the
// background, agents and scripts don't count. A visit is written when it begins, and then every few minutes at most.
import { VISIT_MINUTES } from '@chauffeur/contract/operations/game-overview';
import * as contract from '@chauffeur/contract/operations/overview';
import { sql } from 'kysely';
import { MINUTE } from '../../kernel/clock.ts';
import { changed, type Db, row } from '../../kernel/database/db.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';

/** A shorter pause than this is not worth a write. */
const WRITE_PAUSE = 5 * MINUTE;
const VISIT = VISIT_MINUTES * MINUTE;

type Visit = { seen_at: Date; last_visit_at: Date | null };
type Visitor = { gameId: string; userId: string };

export const visitGame = handle(contract.visitGame, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const visitor = { gameId: game.game_id, userId: caller.user.id };
  const now = ctx.clock.now();
  const visit = await findVisit(ctx.db, visitor);
  const isWritten = visit !== undefined && now.getTime() - visit.seen_at.getTime() < WRITE_PAUSE;
  if (caller.agent === undefined && !isWritten) await writeVisit(ctx.db, visitor, now);
  return { last_visit: lastVisitOf(visit, now)?.toISOString() ?? null };
});

/** When the visit before the one at `now` ended; null if there was none. */
export async function findLastVisit(db: Db, visitor: Visitor, now: Date): Promise<Date | null> {
  return lastVisitOf(await findVisit(db, visitor), now);
}

/** The result is the same before and after the visit at `now` is written. */
function lastVisitOf(visit: Visit | undefined, now: Date): Date | null {
  if (visit === undefined) return null;
  return now.getTime() - visit.seen_at.getTime() > VISIT ? visit.seen_at : visit.last_visit_at;
}

function findVisit(db: Db, { gameId, userId }: Visitor): Promise<Visit | undefined> {
  return row(
    db,
    sql<Visit>`select seen_at, last_visit_at from game_visits where game_id = ${gameId} and user_id = ${userId}`,
  );
}

/** Of two tabs that write at once, the second finds the visit of the first, and changes nothing. */
async function writeVisit(db: Db, { gameId, userId }: Visitor, now: Date): Promise<void> {
  const [pause, end] = [WRITE_PAUSE, VISIT].map((ms) => new Date(now.getTime() - ms));
  await changed(
    db,
    sql`insert into game_visits as visit (game_id, user_id, seen_at)
      select game_id, users.id, ${now}::timestamptz from games cross join users
      where game_id = ${gameId} and users.id = ${userId}
      on conflict (game_id, user_id) do update set seen_at = excluded.seen_at,
        last_visit_at = case when visit.seen_at < ${end}::timestamptz then visit.seen_at else visit.last_visit_at end
      where visit.seen_at <= ${pause}::timestamptz`,
  );
}
