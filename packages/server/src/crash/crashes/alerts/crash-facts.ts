// Captures what members need to decide about a crash when its alert is raised: which build and code, why, how many
// devices in what time, and what players wrote or showed.

import { redactUserPaths } from '@chauffeur/contract/home-folders';
import { sql } from 'kysely';
import { HOUR } from '../../../kernel/clock.ts';
import { type Db, row, rows } from '../../../kernel/database/db.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import type { CrashFacts } from '../../../notify/alerts/alerts.ts';
import { findFamily } from '../read/group-list.sql.ts';

/** Reports of this time are counted, and at most this many. */
const RECENT_MS = 24 * HOUR;
const MAX_COUNTED = 1000;
/** A message of a player may be much longer than there is room for. */
const MAX_MESSAGE = 300;

/** The facts about a group and the groups merged with it; undefined without a report in the last 24 hours. */
export async function readCrashFacts(
  db: Db,
  gameId: string,
  groupId: string,
  now: Date,
): Promise<CrashFacts | undefined> {
  const family = await findFamily(db, gameId, groupId);
  const recent = { gameId, family, since: firstIdAt(now.getTime() - RECENT_MS) };
  const [newest, counts, functions] = await Promise.all([
    findNewest(db, recent),
    countRecent(db, recent),
    listFunctions(db, gameId, family),
  ]);
  if (newest === undefined || counts === undefined || counts.since === null) return undefined;
  const message = redactUserPaths(counts.user_message ?? '').trim();
  return {
    crash_id: newest.report_id,
    version: newest.app_version,
    os: newest.os,
    arch: newest.arch,
    reason: newest.reason,
    functions: placeFunctions(functions, newest.frames ?? []),
    reports: Math.min(counts.reports, MAX_COUNTED),
    devices: counts.devices,
    since: counts.since.toISOString(),
    is_cut: counts.reports > MAX_COUNTED,
    user_message: message === '' ? null : [...message].slice(0, MAX_MESSAGE).join(''),
    picture_crash_id: counts.picture_crash_id,
  };
}

type LocatedFrame = { readonly function: string | null; readonly file: string | null; readonly line: number | null };

/**
 * The functions in the order of the stack, the innermost first, with their places. `functions` are names as in
 * signatures, without the parameters that frames may have. Functions that are not on the stack come last.
 */
export function placeFunctions(functions: readonly string[], frames: readonly LocatedFrame[]): string[] {
  const placed = functions.map((name) => {
    const at = frames.findIndex((frame) => frame.function === name || frame.function?.startsWith(`${name}(`));
    return { name, at: at < 0 ? frames.length : at };
  });
  return placed
    .sort((a, b) => a.at - b.at)
    .map(({ name, at }) => {
      const { file, line } = frames[at] ?? { file: null, line: null };
      const fileName = redactUserPaths(file ?? '')
        .split(/[\\/]/)
        .at(-1);
      return fileName ? `${name} (${line === null ? fileName : `${fileName}:${line}`})` : name;
    });
}

type Recent = { readonly gameId: string; readonly family: readonly string[]; readonly since: string };

type NewestRow = {
  report_id: string;
  app_version: string;
  os: string;
  arch: string;
  reason: string | null;
  frames: LocatedFrame[] | null;
};

function findNewest(db: Db, { gameId, family, since }: Recent): Promise<NewestRow | undefined> {
  return row(
    db,
    sql<NewestRow>`select report_id, app_version, os, arch, reason, frames from crash_reports
      where game_id = ${gameId} and group_id = any(${family}::uuid[]) and report_id >= ${since}::uuid
      order by report_id desc limit 1`,
  );
}

type CountRow = {
  reports: number;
  devices: number;
  since: Date | null;
  user_message: string | null;
  picture_crash_id: string | null;
};

/** Counts the newest reports, one more than MAX_COUNTED at most. */
function countRecent(db: Db, { gameId, family, since }: Recent): Promise<CountRow | undefined> {
  return row(
    db,
    sql<CountRow>`select count(*) as reports, count(distinct device_uid) as devices, min(received_at) as since,
        (array_agg(user_message order by report_id desc) filter (where user_message <> ''))[1] as user_message,
        (array_agg(report_id order by report_id desc) filter (where has_picture))[1] as picture_crash_id
      from (
        select report_id, device_uid, received_at, user_message,
          jsonb_path_exists(attachments, '$[*] ? (@.kind == "image" && @.key != null)') as has_picture
        from crash_reports
        where game_id = ${gameId} and group_id = any(${family}::uuid[]) and report_id >= ${since}::uuid
        order by report_id desc limit ${MAX_COUNTED + 1}
      ) as newest`,
  );
}

async function listFunctions(db: Db, gameId: string, family: readonly string[]): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ function: string }>`select function from crash_group_functions
      where game_id = ${gameId} and group_id = any(${family.slice(0, 1)}::uuid[]) order by function`,
  );
  return found.map(({ function: name }) => name);
}
