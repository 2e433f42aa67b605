// The SQL of games and their members. `games` is a view that excludes deleted games (migration 0025).
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';
import type { Facts } from './fact-rules.ts';

export type GameRow = {
  game_id: string;
  /** The owner who is responsible for it: one of the owners of its organisation. */
  owner_id: string;
  organisation_id: string;
  name: string;
  slug: string;
  visibility: 'public' | 'invisible' | 'draft';
  created_at: Date;
  /** When it first became public; null before. */
  published_at: Date | null;
};

/** A game with what its organisation requires of how people sign in. */
export type FoundGame = GameRow & { required_sign_in: SignInRequirement | null };

/** Not in `GameRow`, which nearly every request reads, because a description may be long. */
export type Texts = { tagline: string; description: string; tags: string[] };

export type Member = {
  user_id: string;
  name: string;
  email: string;
  /** The highest of the others. */
  role: Role;
  /** The role on this game alone. */
  game_role: Role | null;
  organisation_role: Role | null;
};

const columns = sql.raw('game_id, owner_id, organisation_id, name, slug, visibility, created_at, published_at');

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
export type Changes = {
  [Field in 'name' | 'slug' | 'visibility' | keyof Texts]?: (GameRow & Texts)[Field] | undefined;
};

/**
 * Updates the given fields, and the publication time when the game first becomes public. Undefined if the game was
 * deleted.
 */
export function updateGame(
  db: Db,
  gameId: string,
  changes: Changes,
  now: Date,
): Promise<(GameRow & Texts) | undefined> {
  const { name = null, slug = null, visibility = null, tagline = null, description = null, tags = null } = changes;
  return row(
    db,
    sql<GameRow & Texts>`update games set
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

export function readTexts(db: Db, gameId: string): Promise<Texts | undefined> {
  return row(db, sql<Texts>`select tagline, description, tags from games where game_id = ${gameId}`);
}

/** Finds a game by uid, slug or former slug. A slug never has the form of a UUID. */
export async function findGame(db: Db, ref: string): Promise<FoundGame | null> {
  const condition = isUuid(ref)
    ? sql`game_id = ${ref}`
    : sql`game_id = (select game_id from game_slugs where slug = ${ref} limit 1)`;
  const found = await row(
    db,
    sql<FoundGame>`select ${columns}, ${requiredSignIn} as required_sign_in from games where ${condition}`,
  );
  return found ?? null;
}

const requiredSignIn = sql`(select required_sign_in from organisations
  where organisations.organisation_id = games.organisation_id)`;

/** Whether games of the organisation are open to someone who signed in like this. */
const isOpen = (met: readonly SignInRequirement[]) =>
  sql`coalesce(${requiredSignIn}, '') = any(${['', ...met]}::text[])`;

export async function listFormerSlugs(db: Db, gameId: string): Promise<string[]> {
  const found = await rows(db, sql<{ slug: string }>`select slug from former_slugs where game_id = ${gameId}`);
  return found.map(({ slug }) => slug);
}

/** Finds and locks a game until the transaction ends. */
export async function lockGame(tx: Tx, gameId: string): Promise<GameRow | null> {
  const game = await row(tx, sql<GameRow>`select ${columns} from games where game_id = ${gameId} for update`);
  return game ?? null;
}

/** Whether the slug is reserved at `now` for another user, who deleted or renamed the game that had it. */
export async function isReserved(db: Db, slug: string, userId: string, now: Date): Promise<boolean> {
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

/**
 * The games on which the person has a role; only those whose organisation requires nothing else than `met`, if given.
 */
export function listRoles(
  db: Db,
  userId: string,
  met: readonly SignInRequirement[] | null,
): Promise<{ game_id: string; role: Role }[]> {
  return rows(
    db,
    sql<{ game_id: string; role: Role }>`select game_id, role from games
      join (select game_id, role from game_members where user_id = ${userId}) as membership using (game_id)
      where ${met === null ? sql`true` : isOpen(met)}`,
  );
}

export function listMembers(db: Db, gameId: string): Promise<Member[]> {
  return rows(
    db,
    sql<Member>`select user_id, users.name, email, members.role,
        coalesce((select 'admin' from game_admins where game_admins.game_id = games.game_id and user_id = users.id),
          (select role from game_roles where game_roles.game_id = games.game_id and user_id = users.id)) as game_role,
        (select role from organisation_members as team
          where team.organisation_id = games.organisation_id and team.user_id = users.id) as organisation_role
      from games join game_members as members using (game_id) join users on users.id = members.user_id
      where game_id = ${gameId}
      order by user_id = owner_id desc, members.role = 'owner' desc, members.added_at, user_id`,
  );
}

/** The owners of the game whose accounts are not disabled; the one who is responsible for it is the first. */
export function listOwners(db: Db, gameId: string): Promise<{ user_id: string; name: string; email: string }[]> {
  return rows(
    db,
    sql<{ user_id: string; name: string; email: string }>`select users.id as user_id, users.name, email
      from games join organisation_members as team on team.organisation_id = games.organisation_id
        join users on users.id = team.user_id
      where game_id = ${gameId} and team.role = 'owner' and disabled_at is null
      order by users.id = owner_id desc, team.added_at, users.id`,
  );
}

export type Reachable = { readonly user_id: string; readonly email: string; readonly role: Role };

/** The members who get emails about the game: those whose accounts are not disabled. */
export function listReachable(db: Db, gameId: string): Promise<Reachable[]> {
  return rows(
    db,
    sql<Reachable>`select user_id, email, role from game_members join users on users.id = user_id
      where game_id = ${gameId} and disabled_at is null order by added_at, user_id`,
  );
}

/** Sets the person's role on this game alone. Admins have a separate table; see migration 0055. */
export async function setRole(tx: Tx, gameId: string, userId: string, role: Exclude<Role, 'owner'>): Promise<void> {
  await deleteRole(tx, gameId, userId);
  await changed(
    tx,
    role === 'admin'
      ? sql`insert into game_admins (game_id, user_id) values (${gameId}, ${userId}) on conflict do nothing`
      : sql`insert into game_roles (game_id, user_id, role) values (${gameId}, ${userId}, ${role})
          on conflict (game_id, user_id) do update set role = excluded.role`,
  );
}

/** Removes the person's role on this game alone. False if they had none. */
export async function deleteRole(db: Db, gameId: string, userId: string): Promise<boolean> {
  const ofPerson = sql`game_id = ${gameId} and user_id = ${userId}`;
  const lower = await changed(db, sql`delete from game_roles where ${ofPerson}`);
  const admin = await changed(db, sql`delete from game_admins where ${ofPerson}`);
  return lower + admin > 0;
}

/** Makes `to` the owner of the game, in their own organisation, and `from`, a former owner, an admin. */
export async function changeOwner(tx: Tx, gameId: string, { from, to }: { from: string; to: string }): Promise<void> {
  // A trigger sets their own organisation.
  await changed(
    tx,
    sql`update games set owner_id = ${to}, organisation_id = null, updated_at = now() where game_id = ${gameId}`,
  );
  await deleteRole(tx, gameId, to);
  await setRole(tx, gameId, from, 'admin');
}

/** The highest role of the person on the game; null if they have none. */
export async function roleOnGame(db: Db, gameId: string, userId: string): Promise<Role | null> {
  const membership = await row(
    db,
    sql<{ role: Role }>`select role from game_members where game_id = ${gameId} and user_id = ${userId}`,
  );
  return membership?.role ?? null;
}

export type Membership = {
  readonly game_id: string;
  readonly user_id: string;
  readonly required_sign_in: SignInRequirement | null;
  readonly has_second_factor: boolean;
};

/** The roles that these people have on these games, by `game user`. */
export async function listMemberships(
  db: Db,
  pairs: readonly { readonly gameId: string; readonly userId: string }[],
): Promise<ReadonlyMap<string, Membership>> {
  if (pairs.length === 0) return new Map();
  const gameIds = [...new Set(pairs.map(({ gameId }) => gameId))];
  const userIds = [...new Set(pairs.map(({ userId }) => userId))];
  const members = await rows(
    db,
    sql<Membership>`select game_id, user_id, ${requiredSignIn} as required_sign_in,
        two_factor_enabled or exists (select from user_passkeys where user_passkeys.user_id = users.id) as has_second_factor
      from games join (
        select game_id, user_id from game_members
          where game_id = any(${gameIds}::uuid[]) and user_id = any(${userIds}::text[])
      ) as members using (game_id) join users on users.id = user_id`,
  );
  return new Map(members.map((member) => [`${member.game_id} ${member.user_id}`, member]));
}

export function readOwner(db: Db, gameId: string) {
  return row(
    db,
    sql<{
      name: string;
      slug: string;
      visibility: string;
      owner_name: string;
      owner_handle: string | null;
      owner_verified: boolean;
    }>`
      select games.name, slug, visibility, users.name as owner_name, handle as owner_handle, email_verified as owner_verified
      from games join users on users.id = owner_id where game_id = ${gameId}`,
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

/** A draft without videos keeps the videos of the game. */
type Listing = { name: string } & Texts & Omit<Facts, 'videos'> & Partial<Pick<Facts, 'videos'>>;
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
    sql<Facts>`select links, videos, languages, requirements, content_notes from game_facts where game_id = ${gameId}`,
  );
}

export async function upsertFacts(tx: Tx, gameId: string, facts: Facts): Promise<void> {
  const { links, videos, languages, requirements, content_notes } = facts;
  await changed(
    tx,
    sql`insert into game_facts (game_id, links, videos, languages, requirements, content_notes)
      values (${gameId}, ${JSON.stringify(links)}::jsonb, ${videos}::text[], ${languages}::text[], ${JSON.stringify(requirements)}::jsonb,
        ${content_notes}::text[])
      on conflict (game_id) do update set links = excluded.links, videos = excluded.videos, languages = excluded.languages,
        requirements = excluded.requirements, content_notes = excluded.content_notes`,
  );
}
