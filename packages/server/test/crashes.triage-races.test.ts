// Reports, merges, splits, their undoing, newer rules and deletions at once: every report stays counted once, in one
// group.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type OutdatedRow, recordRegrouping } from '../src/crash/crashes/process/regroup.job.ts';
import { groupingColumns } from '../src/crash/crashes/report/jobs.ts';
import { moveSplit } from '../src/crash/crashes/triage/group-moves.ts';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { addBuild, addReport, callAs, groupingOf, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { startServer, type TestServer } from './setup/server.ts';

/** Runs no jobs: the test does. */
let server: TestServer;
let game: SharedGame;
let buildId: string;
before(async () => {
  server = await startServer({ role: 'api' });
  game = await makeSharedGame(server);
  buildId = await addBuild(server, game);
});
after(() => server.stop());

const STACKS = ['a', 'b', 'c', 'd'].flatMap((top) => [
  [top, 'main'],
  [top, 'mod', 'main'],
  [top, 'mod', 'net', 'main'],
]);
const ROUNDS = 12;
const AT_ONCE = 14;

test('any mix of changes at once keeps every count', async () => {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;
  const changes: string[] = [];
  const call = async (path: string, body: object = {}, method = 'POST') => {
    const response = await callAs(server, game.owner, `/games/${game.uid}${path}`, {
      method,
      ...(method !== 'DELETE' && { body }),
    });
    // Groups may be merged, and reports deleted, by another change of the same round.
    assert.ok([200, 400, 404].includes(response.status), `${path}: ${JSON.stringify(response.body)}`);
    const changeUid: string | null | undefined = response.body.data?.change_uid;
    if (changeUid != null) changes.push(changeUid);
  };
  const groupIds = () =>
    rows(server.ctx.db, sql<{ group_id: string }>`select group_id from crash_groups where game_id = ${game.uid}`);
  const reportIds = () =>
    rows(server.ctx.db, sql<{ report_id: string }>`select report_id from crash_reports where game_id = ${game.uid}`);
  for (const stack of STACKS) await addReport(server.ctx, { game, buildId, stack });

  for (let round = 0; round < ROUNDS; round += 1) {
    const groups = (await groupIds()).map(({ group_id }) => group_id);
    const reports = (await reportIds()).map(({ report_id }) => report_id);
    const actions = [
      async () => void (await addReport(server.ctx, { game, buildId, stack: pick(STACKS) })),
      () =>
        call('/crash-groups/merge', { group_ids: [...new Set([pick(groups), pick(groups), groups[0]!, groups[1]!])] }),
      () => call(`/crash-groups/${pick(groups)}/unmerge`, { group_ids: [pick(groups)] }),
      () => call(`/crash-groups/${pick(groups)}/split`, { function: pick(['mod', 'net']) }),
      () => (changes.length === 0 ? Promise.resolve() : call(`/crash-groups/changes/${pick(changes)}/undo`)),
      () =>
        moveSplit(server.ctx, { gameId: game.uid, groupId: pick(groups), name: pick(['mod', 'net']), before: null }),
      () => regroup(pick(reports), pick(STACKS), round + 1),
      () => call(`/crashes/${pick(reports)}`, {}, 'DELETE'),
      () => call('/crash-groups/changes', { group_ids: [pick(groups)], status: pick(['open', 'resolved', 'ignored']) }),
    ];
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => (index < actions.length ? actions[index]! : pick(actions))()),
    );
    assert.deepEqual(await differences(), [], `round ${round}`);
  }
});

/**
 * Regroups a report as newer rules of the game do: the group that it moves to is in the state, and at the place, of the
 * one it was in.
 */
async function regroup(reportId: string, stack: readonly string[], rulesVersion: number): Promise<void> {
  const { db } = server.ctx;
  const [report] = await rows(
    db,
    sql<OutdatedRow>`select stack_key, functions, ${groupingColumns} from crash_reports
      where game_id = ${game.uid} and report_id = ${reportId}`,
  );
  if (report === undefined) return;
  const grouping = groupingOf([`${stack[0]} by rules ${rulesVersion}`, ...stack], rulesVersion);
  await recordRegrouping(db, game.uid, report, { grouping, stored: null, facets: new Map(), notes: null });
}

/** What the counts say that the reports do not. */
async function differences(): Promise<unknown[]> {
  const { db } = server.ctx;
  const counted = await rows(
    db,
    sql`with stored as (
        select group_id, build_id, os, (received_at at time zone 'utc')::date as day from crash_reports
        where game_id = ${game.uid}
      ), by_group as (
        select 'count' as what, group_id::text as place, count(*) as count from stored group by group_id
      ), by_total as (
        select 'total' as what, concat_ws(' ', group_id, build_id, os), count(*) from stored group by group_id, build_id, os
      ), by_day as (
        select 'day' as what, concat_ws(' ', group_id, day), count(*) from stored group by group_id, day
      ), expected as (
        select * from by_group union all select * from by_total union all select * from by_day
      ), actual as (
        select 'count' as what, group_id::text as place, count from crash_groups where game_id = ${game.uid} and count > 0
        union all select 'total', concat_ws(' ', group_id, build_id, os), count from crash_group_totals
          where game_id = ${game.uid}
        union all select 'day', concat_ws(' ', group_id, day), count from crash_group_days where game_id = ${game.uid}
      )
      (select 'missing' as kind, * from expected except select 'missing', * from actual)
      union all (select 'wrong', * from actual except select 'wrong', * from expected)`,
  );
  const misplaced = await rows(
    db,
    sql`select child.group_id from crash_groups child left join crash_groups head
        on head.game_id = child.game_id and head.group_id = child.merged_into
      where child.game_id = ${game.uid} and child.merged_into is not null
        and (head.group_id is null or head.merged_into is not null or head.group_id = child.group_id)`,
  );
  const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups?limit=100`);
  const listed = body.data.groups.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  const { reports } = await onlyRow(
    db,
    sql<{ reports: number }>`select count(*) as reports from crash_reports where game_id = ${game.uid}`,
  );
  return [...counted, ...misplaced, ...(listed === reports ? [] : [{ listed, reports }])];
}
