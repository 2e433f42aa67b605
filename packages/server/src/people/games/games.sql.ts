// The SQL of games. `games` is a view that excludes deleted games (migration 0025).
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { columns, type GameRow, isOpen } from '../game-access/game-access.sql.ts';
import type { Facts } from './fact-rules.ts';

/** Not in `GameRow`, which nearly every request reads, because a description may be long. */
export type StoreTexts = { tagline: string; description: string; tags: string[] };

type NewGame = {
  gameId: string;
  ownerId: string;
  /** Null for the owner's own organisation, which a trigger sets. */
  organisationId: string | null;
  name: string;
  slug: string;
  visibility: string;
  publishedAt: Date | null;
};

export function insertGame(db: Db, game: NewGame): Promise<GameRow> {
  return onlyRow(
    db,
    sql<GameRow>`insert into games (game_id, owner_id, organisation_id, name, slug, visibility, published_at)
      values (${game.gameId}, ${game.ownerId}, ${game.organisationId}, ${game.name}, ${game.slug}, ${game.visibility}, ${game.publishedAt})
      returning ${columns}`,
  );
}

/** The fields to change; all others stay unchanged. */
export type GameFieldChanges = {
  [Field in 'name' | 'slug' | 'visibility' | keyof StoreTexts]?: (GameRow & StoreTexts)[Field] | undefined;
};

/**
 * Updates the given fields, and the publication time when the game first becomes public. Undefined if the game was
 * deleted.
 */
export function updateGame(
  db: Db,
  gameId: string,
  changes: GameFieldChanges,
  now: Date,
): Promise<(GameRow & StoreTexts) | undefined> {
  const { name = null, slug = null, visibility = null, tagline = null, description = null, tags = null } = changes;
  return row(
    db,
    sql<GameRow & StoreTexts>`update games set
        name = coalesce(${name}, name),
        slug = coalesce(${slug}, slug),
        visibility = coalesce(${visibility}, visibility),
        tagline = coalesce(${tagline}, tagline),
        description = coalesce(${description}, description),
        tags = coalesce(${tags}::text[], tags),
        published_at = case when coalesce(${visibility}, visibility) = 'public' then coalesce(published_at, ${now})
          else published_at end,
        updated_at = now()
      where game_id = ${gameId} returning ${columns}, tagline, description, tags`,
  );
}

export function readTexts(db: Db, gameId: string): Promise<StoreTexts | undefined> {
  return row(db, sql<StoreTexts>`select tagline, description, tags from games where game_id = ${gameId}`);
}

export async function listFormerSlugs(db: Db, gameId: string): Promise<string[]> {
  const found = await rows(db, sql<{ slug: string }>`select slug from former_slugs where game_id = ${gameId}`);
  return found.map(({ slug }) => slug);
}

/** Whether the slug is reserved at `now` for another user, who deleted or renamed the game that had it. */
export async function isReservedGameSlug(db: Db, slug: string, userId: string, now: Date): Promise<boolean> {
  const reservation = await row(
    db,
    sql`select from reserved_slugs where slug = ${slug} and expires_at > ${now} and user_id is distinct from ${userId}
      union all
      select from former_slugs join games using (game_id)
      where former_slugs.slug = ${slug} and reserved_until > ${now} and owner_id <> ${userId}`,
  );
  return reservation !== undefined;
}

/** Whether a game other than this one has the slug. */
export async function isTaken(db: Db, slug: string, gameId: string | null): Promise<boolean> {
  const game = await row(db, sql`select from games where slug = ${slug} and game_id is distinct from ${gameId}::uuid`);
  return game !== undefined;
}

/** Nested times are in PostgreSQL's JSON format. */
/** The thumbnail of a game, or its cover, and the width of its smallest copy. */
export type PictureRow = { media_id: string; width: number };

/** Images without copies are left out: they are animated, or not much smaller than a copy would be. */
const picture = sql`(select jsonb_build_object('media_id', media_id, 'width', copy_widths[1]) from media
  where media.game_id = games.game_id and kind in ('thumbnail', 'cover') and cardinality(copy_widths) > 0
  order by kind = 'thumbnail' desc limit 1)`;

type ListedGame = GameRow & {
  role: Role;
  picture: PictureRow | null;
  organisation: { organisation_uid: string; slug: string | null; name: string };
  newest_build: { build_id: string; version: string; created_at: string } | null;
  channels: { channel: string; versions: string[] }[];
};

/**
 * The games on which a person has a role, and whose organisation requires nothing that isn't met, each with its newest
 * build and the versions its channels offer at `now`.
 */
export function listGamesOf(
  db: Db,
  userId: string,
  { met, now }: { met: readonly SignInRequirement[]; now: Date },
): Promise<ListedGame[]> {
  return rows(
    db,
    sql<ListedGame>`select ${columns}, membership.role, ${picture} as picture,
        (select jsonb_build_object('organisation_uid', organisations.organisation_id, 'slug', organisations.slug,
          'name', organisations.name) from organisations where organisations.organisation_id = games.organisation_id) as organisation,
        (select jsonb_build_object('build_id', build_id, 'version', version, 'created_at', builds.created_at) from builds
          where builds.game_id = games.game_id order by builds.created_at desc, build_id desc limit 1) as newest_build,
        (select coalesce(jsonb_agg(jsonb_build_object('channel', channel, 'versions', versions) order by channel), '[]') from (
          select pointers.channel, array_agg(distinct builds.version) as versions
          from channel_pointers as pointers
          join channel_moves as moves on moves.game_id = pointers.game_id and moves.move_id = pointers.move_id
          join builds on builds.game_id = moves.game_id and builds.build_id = moves.build_id
          where pointers.game_id = games.game_id and (moves.expires_at is null or moves.expires_at > ${now})
          group by pointers.channel
        ) as offers) as channels
      from games join (select game_id, role from game_members where user_id = ${userId}) as membership using (game_id)
      where ${isOpen(met)}
      order by created_at desc, game_id desc`,
  );
}

type AnyGame = {
  game_uid: string;
  slug: string;
  name: string;
  visibility: GameRow['visibility'];
  organisation: string;
  /** The email address of the responsible owner. */
  owner: string;
  created_at: Date;
};

/** The games of everyone, for operators: newest first, because ids start with their creation time. */
export function listAllGames(
  db: Db,
  {
    search,
    ownerId,
    before,
    limit,
  }: Readonly<Record<'search' | 'ownerId' | 'before', string | null>> & { limit: number },
): Promise<AnyGame[]> {
  return rows(
    db,
    sql<AnyGame>`select game_id as game_uid, games.slug, games.name, visibility, organisations.name as organisation,
        users.email as owner, games.created_at
      from games join organisations on organisations.organisation_id = games.organisation_id
        join users on users.id = games.owner_id
      where (${before}::uuid is null or game_id < ${before}::uuid)
        and (${search}::text is null or position(lower(${search}) in lower(games.name || ' ' || games.slug)) > 0)
        and (${ownerId}::text is null or exists (select from organisation_members as team
          where team.organisation_id = games.organisation_id and team.user_id = ${ownerId} and team.role = 'owner'))
      order by game_id desc limit ${limit}`,
  );
}

export async function findPicture(db: Db, gameId: string): Promise<PictureRow | null> {
  const found = await row(
    db,
    sql<{ picture: PictureRow | null }>`select ${picture} as picture from games where game_id = ${gameId}`,
  );
  return found?.picture ?? null;
}

export function readOrganisation(db: Db, organisationId: string): Promise<ListedGame['organisation'] | undefined> {
  return row(
    db,
    sql<ListedGame['organisation']>`select organisation_id as organisation_uid, slug, name from organisations
      where organisation_id = ${organisationId}`,
  );
}

// Pages that operators have hidden.

export type HiddenRow = { reason: string; hidden_at: Date; visibility_before: GameRow['visibility'] };

export function findHidden(db: Db, gameId: string): Promise<HiddenRow | undefined> {
  return row(
    db,
    sql<HiddenRow>`select reason, hidden_at, visibility_before from hidden_games where game_id = ${gameId}`,
  );
}

type Hiding = { readonly reason: string; readonly by: string; readonly at: Date };

/** Makes the game a draft. If it is hidden already, only the reason changes. */
export async function hideGame(tx: Tx, gameId: string, { reason, by, at }: Hiding): Promise<void> {
  await changed(
    tx,
    sql`insert into hidden_games (game_id, reason, hidden_by, hidden_at, visibility_before)
      select game_id, ${reason}, ${by}, ${at}, visibility from games where game_id = ${gameId}
      on conflict (game_id) do update set reason = excluded.reason, hidden_by = excluded.hidden_by`,
  );
  await changed(tx, sql`update games set visibility = 'draft', updated_at = now() where game_id = ${gameId}`);
}

export async function restoreGame(tx: Tx, gameId: string): Promise<void> {
  await changed(
    tx,
    sql`update games set visibility = visibility_before, updated_at = now() from hidden_games
      where games.game_id = ${gameId} and hidden_games.game_id = ${gameId}`,
  );
  await changed(tx, sql`delete from hidden_games where game_id = ${gameId}`);
}

// Drafts of listings.

/** A draft without videos or notes keeps those of the game. */
type Listing = { name: string } & StoreTexts & Omit<Facts, Kept> & Partial<Pick<Facts, Kept>>;
type Kept = 'videos' | 'install_notes';
export type DraftRow = { listing: Listing; saved_by: string; saved_at: Date };

export function findDraft(db: Db, gameId: string): Promise<DraftRow | undefined> {
  return row(db, sql<DraftRow>`select listing, saved_by, saved_at from listing_drafts where game_id = ${gameId}`);
}

type NewDraft = { readonly listing: Listing; readonly by: string; readonly at: Date };

export async function upsertDraft(tx: Tx, gameId: string, { listing, by, at }: NewDraft): Promise<void> {
  await changed(
    tx,
    sql`insert into listing_drafts (game_id, listing, saved_by, saved_at)
      values (${gameId}, ${JSON.stringify(listing)}::jsonb, ${by}, ${at})
      on conflict (game_id) do update set listing = excluded.listing, saved_by = excluded.saved_by, saved_at = excluded.saved_at`,
  );
}

export async function deleteDraft(tx: Tx, gameId: string): Promise<void> {
  await changed(tx, sql`delete from listing_drafts where game_id = ${gameId}`);
}

// What a game says about itself besides its texts.

/** Undefined if none were ever given. */
export function findFacts(db: Db, gameId: string): Promise<Facts | undefined> {
  return row(
    db,
    sql<Facts>`select links, videos, languages, requirements, content_notes, install_notes from game_facts where game_id = ${gameId}`,
  );
}

export async function upsertFacts(tx: Tx, gameId: string, facts: Facts): Promise<void> {
  const { links, videos, languages, requirements, content_notes, install_notes } = facts;
  await changed(
    tx,
    sql`insert into game_facts (game_id, links, videos, languages, requirements, content_notes, install_notes)
      values (${gameId}, ${JSON.stringify(links)}::jsonb, ${videos}::text[], ${languages}::text[], ${JSON.stringify(requirements)}::jsonb,
        ${content_notes}::text[], ${JSON.stringify(install_notes)}::jsonb)
      on conflict (game_id) do update set links = excluded.links, videos = excluded.videos, languages = excluded.languages,
        requirements = excluded.requirements, content_notes = excluded.content_notes,
        install_notes = excluded.install_notes`,
  );
}
