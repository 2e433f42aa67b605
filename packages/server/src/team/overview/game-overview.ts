// The overview of a game: the newest version of each channel with its health and the change since the one before, the
// crashes that hit the most devices, and what is new since the caller's last visit.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/game-overview';
import { compareVersions, healthOfVersions } from '../../analytics/health/health.ts';
import type { Context } from '../../context.ts';
import { type FreshGroupRow, readFreshGroups, readTopCrashes } from '../../crash/crashes/crashes.sql.ts';
import { DAY } from '../../kernel/clock.ts';
import { firstIdAt } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { onReplica, type Reader } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { findVersionsBefore, listChangesSince } from '../../ship/channels/channels.sql.ts';
import { currentPointers, type Pointer } from '../../ship/channels/channels.ts';
import { countRefusedSince } from '../../ship/refusals/refusals.sql.ts';
import { bugsSince } from '../../shop/bugs/bugs.ts';
import { listPendingOf } from '../approvals/approvals.sql.ts';
import { findLastVisit } from './visits.ts';

type Overview = OutputOf<typeof contract.getGameOverview>;

const TOP_CRASHES = 5;
const LISTED = 3;
const APPROVALS_LISTED = 10;

export const getGameOverview = handle(contract.getGameOverview, async (ctx, { caller, input }) => {
  const { game, role } = await requireMember(ctx, caller, input.uid);
  const gameId = game.game_id;
  const visitor = { gameId, userId: caller.user.id };
  return onReplica(ctx, { caller, gameId }, async (reader) => {
    const [channels, top_crashes, lastVisit] = await Promise.all([
      channelsOf(reader, gameId),
      topCrashesOf(reader, gameId),
      findLastVisit(reader.db, visitor, reader.clock.now()),
    ]);
    return { channels, top_crashes, news: await newsOf(reader, gameId, { lastVisit, decides: role === 'owner' }) };
  });
});

async function channelsOf(reader: Reader, gameId: string): Promise<Overview['channels']> {
  const pointers = await currentPointers(reader.db, gameId, reader.clock.now());
  const offers = [...Map.groupBy(pointers, ({ channel }) => channel).values()].map(offerOf);
  const before = new Map(
    (await findVersionsBefore(reader.db, gameId, offers)).map(({ channel, version }) => [channel, version]),
  );
  const versions = [...new Set([...offers.map(({ version }) => version), ...before.values()])];
  const healthOf = await healthOfVersions(reader, gameId, versions);
  return offers.toSorted(byChannel).map((offer) => {
    const health = healthOf(offer.version);
    const version = before.get(offer.channel);
    if (version === undefined) return { ...offer, ...health, before: null, change: null };
    const healthBefore = healthOf(version);
    return {
      ...offer,
      ...health,
      before: { version, ...healthBefore },
      change: compareVersions(health, healthBefore),
    };
  });
}

/** What a channel offers: the version of its newest build, where it offers it, and where it offers another one. */
function offerOf(pointers: readonly Pointer[]) {
  const newest = pointers.reduce((a, b) => (isNewer(b, a) ? b : a));
  const { channel, version } = newest;
  const [own, others] = [
    pointers.filter((pointer) => pointer.version === version),
    pointers.filter((pointer) => pointer.version !== version),
  ];
  return {
    channel,
    version,
    platforms: own.map(({ os, arch }) => ({ os, arch })),
    behind: others.map((other) => ({ os: other.os, arch: other.arch, version: other.version })),
    moved_at: new Date(Math.max(...own.map(({ moved_at }) => moved_at.getTime()))).toISOString(),
  };
}

function isNewer(a: Pointer, b: Pointer): boolean {
  const difference = a.build_created_at.getTime() - b.build_created_at.getTime();
  return difference === 0 ? a.build_id > b.build_id : difference > 0;
}

/** Players are on stable. */
function byChannel(a: { channel: string }, b: { channel: string }): number {
  const rank = ({ channel }: { channel: string }) => Number(channel !== 'stable');
  return rank(a) - rank(b) || (a.channel < b.channel ? -1 : 1);
}

async function topCrashesOf({ db, clock }: Reader, gameId: string): Promise<Overview['top_crashes']> {
  const now = clock.now().getTime();
  const ids = { from: firstIdAt(now - contract.OVERVIEW_DAYS * DAY), lastDay: firstIdAt(now - DAY) };
  const found = await readTopCrashes(db, gameId, ids, { limit: TOP_CRASHES, max: LIMITS.crashesCounted });
  return {
    days: contract.OVERVIEW_DAYS,
    counted: found[0]?.is_cut === true ? 'newest' : 'all',
    groups: found.map(({ is_cut: _, first_seen, last_seen, ...group }) => ({
      ...group,
      first_seen: first_seen.toISOString(),
      last_seen: last_seen.toISOString(),
    })),
  };
}

type Visit = {
  readonly lastVisit: Date | null /** Whether the caller decides approvals. */;
  readonly decides: boolean;
};

async function newsOf(
  reader: Pick<Context, 'db' | 'clock' | 'publicUrl'>,
  gameId: string,
  { lastVisit, decides }: Visit,
): Promise<Overview['news']> {
  const { db } = reader;
  const now = reader.clock.now();
  const oldest = now.getTime() - (lastVisit === null ? contract.OVERVIEW_DAYS : contract.MAX_AWAY_DAYS) * DAY;
  const since = new Date(Math.max(oldest, lastVisit?.getTime() ?? 0));
  const [groups, bugs, refused, changes, approvals] = await Promise.all([
    readFreshGroups(db, gameId, since, LISTED),
    bugsSince(reader, gameId, since),
    countRefusedSince(db, gameId, since),
    listChangesSince(db, gameId, since, LISTED),
    decides ? listPendingOf(db, gameId, { now, limit: APPROVALS_LISTED }) : [],
  ]);
  return {
    since: since.toISOString(),
    is_first_visit: lastVisit === null,
    new_groups: groupsOf(groups, true),
    regressions: groupsOf(groups, false),
    bugs,
    refused: { ...refused, last_at: refused.last_at?.toISOString() ?? null },
    channel_changes: {
      count: changes[0]?.changes ?? 0,
      newest: changes.map(({ changes: _, at, ...change }) => ({ ...change, at: at.toISOString() })),
    },
    approvals: approvals.map(({ approval_id, summary, asked_at }) => ({
      ...{ approval_uid: approval_id, summary },
      asked_at: asked_at.toISOString(),
    })),
  };
}

function groupsOf(rows: readonly FreshGroupRow[], isNew: boolean): Overview['news']['new_groups'] {
  const found = rows.filter(({ is_new }) => is_new === isNew);
  return {
    count: found[0]?.groups ?? 0,
    groups: found.map(({ group_id, title }) => ({ group_id, title })),
  };
}
