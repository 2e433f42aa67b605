// The SQL of reports about pages of games.
import type { ReportReason } from '@chauffeur/contract/operations/moderation';
import { sql } from 'kysely';
import { changed, type Db, rows, type Tx } from '../../kernel/database/db.ts';
import type { Game } from '../../people/game-access/game-access.ts';

type NewReport = {
  readonly gameId: string;
  readonly reportId: string;
  readonly reason: ReportReason;
  readonly message: string;
  readonly userId: string | null;
  readonly at: Date;
};

export async function insertReport(
  db: Db,
  { gameId, reportId, reason, message, userId, at }: NewReport,
): Promise<void> {
  await changed(
    db,
    sql`insert into page_reports (game_id, report_id, reason, message, user_id, reported_at)
      values (${gameId}, ${reportId}, ${reason}, ${message}, ${userId}, ${at})`,
  );
}

/** Times in reports are in PostgreSQL's JSON format. */
export type ReportedGameRow = Pick<Game, 'game_id' | 'slug' | 'name' | 'visibility'> & {
  developer: string;
  hidden: { reason: string; hidden_at: string } | null;
  open_reports: number;
  reports: {
    report_uid: string;
    reason: ReportReason;
    message: string;
    reported_by: string | null;
    reported_at: string;
  }[];
  /** The time of the last report, or of the hiding, in microseconds since 1970. */
  at_us: string;
};

type Page = { readonly after: { atUs: string; gameId: string } | null; readonly limit: number; readonly shown: number };

/** The games, with the last one that was reported or hidden first. */
export function listReportedGames(
  db: Db,
  state: 'reported' | 'hidden',
  { after, limit, shown }: Page,
): Promise<ReportedGameRow[]> {
  const found =
    state === 'hidden'
      ? sql`select game_id, hidden_at as at from hidden_games`
      : sql`select game_id, max(reported_at) as at from page_reports where closed_at is null group by game_id`;
  const position = sql`(extract(epoch from at) * 1000000)::bigint`;
  return rows(
    db,
    sql<ReportedGameRow>`
      select games.game_id, slug, games.name, visibility, users.name as developer, ${position}::text as at_us,
        (select jsonb_build_object('reason', reason, 'hidden_at', hidden_at) from hidden_games
          where hidden_games.game_id = games.game_id) as hidden,
        (select count(*)::int from page_reports where page_reports.game_id = games.game_id and closed_at is null) as open_reports,
        (select coalesce(jsonb_agg(jsonb_build_object('report_uid', report_id, 'reason', reason, 'message', message,
            'reported_by', by_name, 'reported_at', reported_at) order by reported_at desc), '[]')
          from (select page_reports.*, reporters.name as by_name from page_reports
            left join users as reporters on reporters.id = page_reports.user_id
            where page_reports.game_id = games.game_id and closed_at is null
            order by reported_at desc limit ${shown}) as newest) as reports
      from (${found}) as found join games using (game_id) join users on users.id = owner_id
      where ${after === null ? sql`true` : sql`(${position}, game_id) < (${after.atUs}::bigint, ${after.gameId}::uuid)`}
      order by ${position} desc, game_id desc limit ${limit}`,
  );
}

export function closeReports(tx: Tx, gameId: string, at: Date): Promise<number> {
  return changed(tx, sql`update page_reports set closed_at = ${at} where game_id = ${gameId} and closed_at is null`);
}

export function deleteClosed(db: Db, before: Date): Promise<number> {
  return changed(db, sql`delete from page_reports where closed_at < ${before}`);
}
