// Chooses the build that an event is from. It is decided in this order: the id of a build that the game sends itself,
// the debug id of a module that only one build has symbols of, the release, and the build that the release was assigned
// to by hand. An event of which none of these leads to
// a build gets the place of its release among the unregistered ones, so that it waits for the build.
import { hash } from 'node:crypto';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import { neededDebugIds } from '@chauffeur/sentry/native-stack';
import { buildIdOf, readRelease } from '@chauffeur/sentry/release';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { createRecent } from '../../../kernel/collections/cache.ts';
import { type Db, row, rows } from '../../../kernel/database/db.ts';
import { newId } from '../../../kernel/secrets/ids.ts';
import { perContext } from '../../../request/per-context.ts';

/** What an event says about its build. Texts are empty where it says nothing. */
export type BuildFacts = ReleaseFacts & {
  readonly buildIds: readonly string[];
  readonly debugIds: readonly string[];
};

export type ReleaseFacts = {
  readonly release: string;
  readonly dist: string;
  readonly os: string;
  readonly arch: string;
  readonly environment: string;
};

export type ChosenBuild = { readonly buildId: string; readonly isUnregistered: boolean };

export type Candidate = {
  /** What led to it. */
  readonly by: 'id' | 'debug_id' | 'version' | 'assigned';
  readonly build_id: string;
  readonly version: string;
  readonly os: string;
  readonly arch: string;
  readonly channel: string;
  readonly build_type: string;
  /** The time of its registration, in milliseconds. */
  readonly created_ms: number;
};

/** Tags in which a game may send the id of its build. */
const BUILD_TAGS = new Set(['build_id', 'chauffeur_build_id', 'chauffeur.build_id', 'build.id']);

export function buildFactsOf(event: SentryEvent): BuildFacts {
  const { release, dist, environment, system, tags } = event;
  const sent = [
    release,
    dist,
    ...tags.filter(([name]) => BUILD_TAGS.has(name.toLowerCase())).map(([, value]) => value),
  ];
  return {
    release,
    dist,
    environment,
    os: system.os,
    arch: system.arch,
    buildIds: [...new Set(sent.flatMap((text) => buildIdOf(text) ?? []))],
    debugIds: neededDebugIds(event).slice(0, MAX_DEBUG_IDS),
  };
}

/** A stack is in a few modules of the game. */
const MAX_DEBUG_IDS = 50;

/** The best one; undefined without any. */
export function pickBuild(candidates: readonly Candidate[], facts: ReleaseFacts): Candidate | undefined {
  const versions = readRelease(facts.release, facts.dist).versions;
  const by = (way: Candidate['by']) => candidates.filter((candidate) => candidate.by === way);
  const ofModules = by('debug_id');
  // Modules that lead to different builds say nothing.
  const agreed = new Set(ofModules.map(({ build_id }) => build_id)).size === 1 ? ofModules : [];
  const [found = []] = [by('id'), agreed, by('version'), by('assigned')].filter(({ length }) => length > 0);
  const rank = ({ version, os, arch, channel, build_type }: Candidate) => [
    versions.includes(version) ? versions.indexOf(version) : versions.length,
    Number(facts.os !== '' && os !== facts.os),
    Number(facts.arch !== '' && arch !== facts.arch),
    Number(channel !== facts.environment),
    Number(build_type !== 'game'),
  ];
  return found.toSorted((a, b) => compare(rank(a), rank(b)) || b.created_ms - a.created_ms)[0];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - b[index]!;
  return 0;
}

/** How long another build may be registered before events are of it. */
const KNOWN_MS = 10 * SECOND;
const MAX_KNOWN = 10_000;

const knownOf = perContext(() => createRecent<string, ChosenBuild & { readonly at: number }>(MAX_KNOWN));

/** The build, from memory if the same was asked shortly before. */
export async function chooseBuild(ctx: Context, gameId: string, facts: BuildFacts): Promise<ChosenBuild> {
  const known = knownOf(ctx);
  const key = keyOf(gameId, facts);
  const now = ctx.clock.now().getTime();
  const entry = known.get(key);
  if (entry !== undefined && now >= entry.at && now - entry.at < KNOWN_MS) return entry;
  const found = pickBuild(await findCandidates(ctx.db, gameId, facts), facts);
  const chosen =
    found === undefined
      ? { buildId: await placeOfRelease(ctx, gameId, facts), isUnregistered: true }
      : { buildId: found.build_id, isUnregistered: false };
  known.set(key, { ...chosen, at: now });
  return chosen;
}

/** Called when the build turns out to be deleted. */
export function forgetBuild(ctx: Context, gameId: string, facts: BuildFacts): void {
  knownOf(ctx).delete(keyOf(gameId, facts));
}

/** Lists of modules are long, so a hash of them is kept. No text of the facts has a line break. */
function keyOf(gameId: string, { buildIds, debugIds, ...release }: BuildFacts): string {
  const text = [gameId, ...RELEASE_FACTS.map((name) => release[name]), ...buildIds, '', ...debugIds].join('\n');
  return text.length > MAX_KEY ? hash('sha256', text) : text;
}

const RELEASE_FACTS = ['release', 'dist', 'os', 'arch', 'environment'] as const;
const MAX_KEY = 256;

export function findCandidates(
  db: Db,
  gameId: string,
  { buildIds, debugIds, release, dist, os, arch, environment }: BuildFacts,
): Promise<Candidate[]> {
  const { versions } = readRelease(release, dist);
  const select = (by: string, of: RawBuilder<unknown>) => sql`select ${sql.lit(by)} as by, build_id, version, os, arch,
    channel, build_type, (extract(epoch from created_at) * 1000)::float8 as created_ms
    from builds where game_id = ${gameId} and ${of}`;
  return rows(
    db,
    sql<Candidate>`${select('id', sql`build_id = any(${buildIds}::uuid[])`)}
      union all ${select(
        'debug_id',
        sql`build_id in (select min(build_id::text)::uuid from symbols
          where game_id = ${gameId} and debug_id = any(${debugIds}::text[])
          group by debug_id having count(distinct build_id) = 1)`,
      )}
      union all ${select(
        'assigned',
        sql`build_id in (select build_id from release_builds where game_id = ${gameId} and release = ${release}
          and dist = ${dist} and os = ${os} and arch = ${arch} and environment = ${environment})`,
      )}
      union all (${select('version', sql`version = any(${versions}::text[])`)} order by created_at desc limit ${MAX_OF_VERSION})`,
  );
}

const MAX_OF_VERSION = 200;

/** Releases of a game that are kept apart. Keys are public, so anyone could send any number of them. */
const MAX_UNREGISTERED = 1000;
const NO_RELEASE: ReleaseFacts = { release: '', dist: '', os: '', arch: '', environment: '' };

/** The id that reports of the release have instead of a build's. */
async function placeOfRelease(ctx: Context, gameId: string, facts: ReleaseFacts): Promise<string> {
  const now = ctx.clock.now();
  const known = await notePlace(ctx.db, gameId, facts, now);
  if (known !== undefined) return known;
  const added = await addPlace(ctx.db, gameId, facts, { now, max: MAX_UNREGISTERED });
  if (added !== undefined) return added;
  return (await addPlace(ctx.db, gameId, NO_RELEASE, { now, max: Number.MAX_SAFE_INTEGER }))!;
}

async function notePlace(db: Db, gameId: string, facts: ReleaseFacts, now: Date): Promise<string | undefined> {
  const place = await row(
    db,
    sql<{ build_id: string }>`update unregistered_releases set last_at = greatest(last_at, ${now}::timestamptz)
      where game_id = ${gameId} and release = ${facts.release} and dist = ${facts.dist} and os = ${facts.os}
        and arch = ${facts.arch} and environment = ${facts.environment} returning build_id`,
  );
  return place?.build_id;
}

async function addPlace(
  db: Db,
  gameId: string,
  { release, dist, os, arch, environment }: ReleaseFacts,
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<string | undefined> {
  const added = await row(
    db,
    sql<{ build_id: string }>`insert into unregistered_releases
        (game_id, build_id, release, dist, os, arch, environment, created_at, last_at)
      select ${gameId}::uuid, ${newId(now.getTime())}::uuid, ${release}, ${dist}, ${os}, ${arch}, ${environment},
        ${now}::timestamptz, ${now}::timestamptz
      where (select count(*) from unregistered_releases where game_id = ${gameId}) < ${max}::bigint
      on conflict (game_id, release, dist, os, arch, environment) do update set last_at = excluded.last_at
      returning build_id`,
  );
  return added?.build_id;
}
