// A game's own grouping rules: reads them, previews them on the newest reports, and saves them, which groups all
// reports again.
import { errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/grouping-rules';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, rows, transact } from '../../../kernel/database/db.ts';
import { hasJobWithKey } from '../../../kernel/jobs/jobs.ts';
import { lockGame, requireMember } from '../../../people/game-access/game-access.ts';
import { auditChange } from '../../../request/audit.ts';
import { perContext } from '../../../request/per-context.ts';
import { handle } from '../../../request/route.ts';
import { keyOfReport } from '../groups/grouping.ts';
import { shownTitle } from '../groups/state.sql.ts';
import { findRules, type GameRulesRow, groupingFieldsOf, replaceRules } from '../process/prepare-grouping.ts';
import { enqueueRegrouping, keyOfRegrouping } from '../process/regroup.job.ts';
import { type PreviewedGrouping, previewStacks } from '../process/walk.ts';
import { type GroupingRow, groupingColumns } from '../report/jobs.ts';

type Rules = OutputOf<typeof contract.getGroupingRules>;
type Preview = OutputOf<typeof contract.previewGroupingRules>;

const PREVIEWED = 1000;
/** Reports that a thread groups in one task. */
const BATCH = 50;
const MAX_MOVES = 100;

export const getGroupingRules = handle(contract.getGroupingRules, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return rulesOf(ctx, game.game_id, await findRules(ctx.db, game.game_id));
});

async function rulesOf({ db }: Context, gameId: string, row: GameRulesRow | undefined): Promise<Rules> {
  return {
    rules: [...(row?.rules ?? [])],
    changed_at: row?.changed_at.toISOString() ?? null,
    changed_by: row?.changed_by ?? null,
    regrouping: await hasJobWithKey(db, keyOfRegrouping(gameId)),
  };
}

export const setGroupingRules = handle(contract.setGroupingRules, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const row = await transact(ctx.db, async (tx) => {
    // When two changes are made at once, the second one starts from the first.
    await lockGame(tx, game.game_id);
    const change = { rules: input.rules, at: ctx.clock.now(), by: caller.user.name };
    auditChange('rules', (await findRules(tx, game.game_id))?.rules ?? [], input.rules);
    const replaced = await replaceRules(tx, game.game_id, change);
    await enqueueRegrouping(tx, game.game_id);
    return replaced;
  });
  return rulesOf(ctx, game.game_id, row);
});

/** The games whose rules are being previewed: a preview keeps the threads busy for seconds. */
const previewing = perContext(() => new Set<string>());

/** Throws `limitReached` while another preview of the game is running. */
export const previewGroupingRules = handle(contract.previewGroupingRules, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const busy = previewing(ctx);
  if (busy.has(game.game_id))
    throw errors.limitReached('Another preview of this game is running. Try again in a few seconds.', {
      data: { retry_after: 5 },
    });
  busy.add(game.game_id);
  try {
    return await preview(ctx, game.game_id, input.rules);
  } finally {
    busy.delete(game.game_id);
  }
});

async function preview(ctx: Context, gameId: string, rules: Rules['rules']): Promise<Preview> {
  const reports = await listNewestStacks(ctx.db, gameId, PREVIEWED);
  const batches: (typeof reports)[] = [];
  for (let at = 0; at < reports.length; at += BATCH) batches.push(reports.slice(at, at + BATCH));
  const previewed = await Promise.all(
    batches.map(async (batch) => {
      const stacks = batch.map((report) => ({ stackKey: report.stack_key, fields: groupingFieldsOf(report) }));
      const groupings = await previewStacks(ctx, stacks, rules);
      return batch.map((report, index) => ({ report, grouping: groupingOf(report, groupings[index] ?? null) }));
    }),
  );
  // Reports whose stack cannot be read stay where they are.
  const read = previewed.flat().flatMap(({ report, grouping }) => (grouping === null ? [] : [{ report, grouping }]));
  const keys = [...new Set(read.map(({ grouping }) => grouping.key))];
  const targets = new Map((await findByKeys(ctx.db, gameId, keys)).map((group) => [group.key, group]));
  return summaryOf(
    read.map(({ report, grouping }) => {
      const target = targets.get(grouping.key);
      const isSame =
        target !== undefined && (target.group_id === report.group_id || target.group_id === report.split_from);
      return {
        from: { key: report.group_id, group_id: report.head_id, title: report.title },
        to: isSame
          ? { key: report.group_id, group_id: report.head_id, title: report.title }
          : { key: grouping.key, group_id: target?.head_id ?? null, title: target?.title ?? grouping.title },
      };
    }),
  );
}

function groupingOf(report: StackRow, usual: PreviewedGrouping | null): PreviewedGrouping | null {
  return usual && { ...usual, key: Buffer.from(keyOfReport(usual.key, report)).toString('hex') };
}

type PreviewedGroup = { readonly key: string; readonly group_id: string | null; readonly title: string };
type RegroupedReport = { readonly from: PreviewedGroup; readonly to: PreviewedGroup };

function summaryOf(reports: readonly RegroupedReport[]): Preview {
  const before = Map.groupBy(reports, ({ from }) => from.key);
  const after = Map.groupBy(reports, ({ to }) => to.key);
  const moved = reports.filter(({ from, to }) => from.key !== to.key);
  const moves = [...Map.groupBy(moved, ({ from, to }) => `${from.key} ${to.key}`).values()].map((group) => {
    const { from, to } = group[0]!;
    const groupOf = ({ group_id, title, key }: PreviewedGroup) => ({
      group_id,
      title,
      reports: before.get(key)?.length ?? 0,
    });
    return { from: groupOf(from), to: groupOf(to), reports: group.length };
  });
  return {
    reports: reports.length,
    moved: moved.length,
    groups_before: before.size,
    groups_after: after.size,
    moves: moves.sort((a, b) => b.reports - a.reports).slice(0, MAX_MOVES),
  };
}

export type StackRow = GroupingRow & {
  stack_key: string;
  group_id: string;
  /** The group that it is shown in. */
  head_id: string;
  title: string;
  split_from: string | null;
};

/** The newest reports with a stack, and their groups. */
export function listNewestStacks(db: Db, gameId: string, limit: number): Promise<StackRow[]> {
  return rows(
    db,
    sql<StackRow>`select newest.*, coalesce(merged_into, newest.group_id) as head_id, ${shownTitle} as title, split_from
      from (
        select ${groupingColumns}, stack_key, group_id from crash_reports
        where game_id = ${gameId} and stack_key is not null and group_id is not null
        order by report_id desc limit ${limit}
      ) as newest join crash_groups on crash_groups.game_id = ${gameId} and crash_groups.group_id = newest.group_id
      order by report_id desc`,
  );
}

export type StackKeyRow = {
  /** The key as hex. */
  key: string;
  group_id: string;
  head_id: string;
  title: string;
};

/** The groups with these keys. */
export function findByKeys(db: Db, gameId: string, keys: readonly string[]): Promise<StackKeyRow[]> {
  const bytes = keys.map((key) => Buffer.from(key, 'hex'));
  return rows(
    db,
    sql<StackKeyRow>`select encode(key, 'hex') as key, group_id, coalesce(merged_into, group_id) as head_id,
        ${shownTitle} as title
      from crash_groups where game_id = ${gameId} and key = any(${bytes}::bytea[])`,
  );
}
