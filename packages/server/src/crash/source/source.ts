// The source code of a game: where it can be read, and the commits between two builds.

import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/source';
import { SOURCE_PLACEHOLDERS, type SourceLinks } from '@chauffeur/contract/source-link';
import { findTemplateProblem, tidyTemplate } from '@chauffeur/contract/web-address';
import { sql } from 'kysely';
import { changed, type Db, row, transact } from '../../kernel/database/db.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { lockGame, requireMember } from '../../people/game-access/game-access.ts';
import { auditChanges } from '../../request/audit.ts';

import { handle } from '../../request/route.ts';
import { findBuilds } from '../../ship/builds/builds.ts';
import { compareCommits } from '../issue-tracker/issue-tracker.ts';

const COMMIT_LIMIT = { name: 'commits', max: 300, windowSeconds: 3600 } as const;

export const getSourceSettings = handle(contract.getSourceSettings, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const settings = await findSourceLinks(ctx.db, game.game_id);
  return { url_template: settings?.url_template ?? null, path_prefixes: [...(settings?.path_prefixes ?? [])] };
});

export const setSourceSettings = handle(contract.setSourceSettings, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const url_template = input.url_template === null ? null : checkTemplate(input.url_template);
  const { path_prefixes } = input;
  const settings = { url_template, path_prefixes: url_template === null ? [] : path_prefixes };
  await transact(ctx.db, async (tx) => {
    // When two changes are made at once, the second one starts from the first.
    await lockGame(tx, game.game_id);
    auditChanges((await findSourceLinks(tx, game.game_id)) ?? { url_template: null, path_prefixes: [] }, settings);
    if (url_template === null) await deleteSettings(tx, game.game_id);
    else await upsertSourceLinks(tx, game.game_id, { url_template, path_prefixes });
  });
  return settings;
});

function checkTemplate(template: string): string {
  const problem = findTemplateProblem(template, SOURCE_PLACEHOLDERS);
  if (problem !== null) throw errors.invalid(`url_template: ${problem}.`);
  return tidyTemplate(template);
}

/**
 * Throws `invalid` if a build has no commit or no host is set, `unknownBuild` for unknown builds, and
 * `issueTrackerFailed` if the host fails.
 */
export const listCommits = handle(contract.listCommits, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const [newer, older] = [input.build_id.toLowerCase(), input.since.toLowerCase()];
  const builds = await findBuilds(ctx.db, game.game_id, [newer, older]);
  const commitOf = (field: string, buildId: string): string => {
    const build = builds.get(buildId);
    if (build === undefined) throw errors.unknownBuild(`${field}: this game has no such build.`);
    if (build.commit !== null) return build.commit;
    throw errors.invalid(`${field}: the commit of ${build.version} is not known. Register it with --commit.`);
  };
  const range = { base: commitOf('since', older), head: commitOf('build_id', newer) };
  if (range.base === range.head) return { commits: [], more: 0, url: null };
  await countUse(ctx, ctx.db, game.game_id, COMMIT_LIMIT);
  return compareCommits(ctx, game.game_id, range);
});

export function findSourceLinks(db: Db, gameId: string): Promise<SourceLinks | undefined> {
  return row(db, sql<SourceLinks>`select url_template, path_prefixes from source_settings where game_id = ${gameId}`);
}

export async function upsertSourceLinks(db: Db, gameId: string, settings: SourceLinks): Promise<void> {
  const { url_template, path_prefixes } = settings;
  await changed(
    db,
    sql`insert into source_settings (game_id, url_template, path_prefixes)
      values (${gameId}, ${url_template}, ${path_prefixes}::text[])
      on conflict (game_id) do update set url_template = excluded.url_template, path_prefixes = excluded.path_prefixes`,
  );
}

export async function deleteSettings(db: Db, gameId: string): Promise<void> {
  await changed(db, sql`delete from source_settings where game_id = ${gameId}`);
}
