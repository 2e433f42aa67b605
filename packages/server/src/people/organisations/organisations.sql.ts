// The SQL of organisations and their members.
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';

export type OrganisationRow = {
  organisation_id: string;
  name: string;
  slug: string | null;
  /** Whose new games belong to it unless they choose another one. */
  personal_of: string | null;
  required_sign_in: SignInRequirement | null;
  created_at: Date;
};

export type OwnOrganisation = OrganisationRow & { role: Role; games: number; members: number };

const columns = sql.raw(
  'organisation_id, organisations.name, organisations.slug, personal_of, required_sign_in, organisations.created_at',
);

/** The organisations of a person, by name; only the one if its id is given. */
export function listOfPerson(db: Db, userId: string, organisationId: string | null = null): Promise<OwnOrganisation[]> {
  return rows(
    db,
    sql<OwnOrganisation>`select ${columns}, own.role,
        (select count(*) from games where games.organisation_id = organisations.organisation_id) as games,
        (select count(*) from organisation_members as every where every.organisation_id = organisations.organisation_id) as members
      from organisation_members as own join organisations using (organisation_id)
      where own.user_id = ${userId} and (${organisationId}::uuid is null or organisation_id = ${organisationId})
      order by organisations.name, organisation_id`,
  );
}

/** Finds an organisation by uid, slug or former slug. A slug never has the form of a UUID. */
export function findOrganisation(db: Db, ref: string): Promise<OrganisationRow | undefined> {
  const condition = isUuid(ref)
    ? sql`organisation_id = ${ref}`
    : sql`organisation_id = (select organisation_id from organisations where slug = ${ref}
        union all select organisation_id from former_organisation_slugs where slug = ${ref} limit 1)`;
  return row(db, sql<OrganisationRow>`select ${columns} from organisations where ${condition}`);
}

/** Locks the organisation until the transaction ends, which serializes changes of its members. */
export function lockOrganisation(tx: Tx, organisationId: string): Promise<OrganisationRow | undefined> {
  return row(
    tx,
    sql<OrganisationRow>`select ${columns} from organisations where organisation_id = ${organisationId} for update`,
  );
}

export async function roleIn(db: Db, organisationId: string, userId: string): Promise<Role | null> {
  const member = await row(
    db,
    sql<{ role: Role }>`select role from organisation_members
      where organisation_id = ${organisationId} and user_id = ${userId}`,
  );
  return member?.role ?? null;
}

export async function countOfPerson(db: Db, userId: string): Promise<number> {
  const { count } = await onlyRow(
    db,
    sql<{ count: number }>`select count(*) as count from organisation_members where user_id = ${userId}`,
  );
  return count;
}

export async function insertOrganisation(
  tx: Tx,
  organisation: { organisationId: string; name: string; slug: string | null },
): Promise<void> {
  await changed(
    tx,
    sql`insert into organisations (organisation_id, name, slug)
      values (${organisation.organisationId}, ${organisation.name}, ${organisation.slug})`,
  );
}

/** Undefined fields stay unchanged; a null slug removes it. */
export async function updateOrganisation(
  tx: Tx,
  organisationId: string,
  { name, slug }: { name: string | undefined; slug: string | null | undefined },
): Promise<void> {
  await changed(
    tx,
    sql`update organisations set name = coalesce(${name ?? null}, name),
        slug = case when ${slug === undefined} then slug else ${slug ?? null} end
      where organisation_id = ${organisationId}`,
  );
}

/** Whether the slug is a former one of an organisation that the person doesn't own, and reserved at `now`. */
export async function isReservedOrganisationSlug(db: Db, slug: string, userId: string, now: Date): Promise<boolean> {
  const reservation = await row(
    db,
    sql`select from former_organisation_slugs as former where slug = ${slug} and reserved_until > ${now}
      and not exists (select from organisation_members as member
        where member.organisation_id = former.organisation_id and user_id = ${userId} and role = 'owner')`,
  );
  return reservation !== undefined;
}

/** Violates a foreign key if it has games. */
export async function deleteOrganisation(tx: Tx, organisationId: string): Promise<void> {
  await changed(tx, sql`delete from organisations where organisation_id = ${organisationId}`);
}

export type OrganisationMember = { user_id: string; name: string; email: string; role: Role; added_at: Date };

/** Owners first, then by role and by when they joined. */
export function listMembersOf(db: Db, organisationId: string): Promise<OrganisationMember[]> {
  return rows(
    db,
    sql<OrganisationMember>`select user_id, users.name, email, role, added_at
      from organisation_members join users on users.id = user_id where organisation_id = ${organisationId}
      order by array_position(array['owner', 'admin', 'developer', 'triager', 'viewer'], role), added_at, user_id`,
  );
}

type ListedOrganisation = {
  organisation_uid: string;
  slug: string | null;
  name: string;
  games: number;
  /** Email addresses. */
  owners: string[];
};

/** Returns all organisations with their owners, for operators. */
export function listAllOrganisations(db: Db): Promise<ListedOrganisation[]> {
  return rows(
    db,
    sql<ListedOrganisation>`select organisation_id as organisation_uid, slug, name,
        (select count(*) from games where games.organisation_id = organisations.organisation_id) as games,
        array(select email from organisation_members as team join users on users.id = team.user_id
          where team.organisation_id = organisations.organisation_id and team.role = 'owner' order by added_at) as owners
      from organisations order by created_at, organisation_id`,
  );
}

export type OrganisationGame = {
  game_id: string;
  slug: string;
  name: string;
  visibility: 'public' | 'invisible' | 'draft';
};

export function listOrganisationGames(db: Db, organisationId: string): Promise<OrganisationGame[]> {
  return rows(
    db,
    sql<OrganisationGame>`select game_id, slug, name, visibility from games where organisation_id = ${organisationId}
      order by name, game_id`,
  );
}

/** Adds the member or changes their role. Who is no longer an owner gets their next games into a new organisation. */
export async function setMemberRoleWithin(tx: Tx, organisationId: string, userId: string, role: Role): Promise<void> {
  await changed(
    tx,
    sql`insert into organisation_members (organisation_id, user_id, role) values (${organisationId}, ${userId}, ${role})
      on conflict (organisation_id, user_id) do update set role = excluded.role`,
  );
  if (role !== 'owner') await endPersonal(tx, organisationId, userId);
}

/** False if the person was not a member. */
export async function removeMemberWithin(tx: Tx, organisationId: string, userId: string): Promise<boolean> {
  await endPersonal(tx, organisationId, userId);
  const removed = await changed(
    tx,
    sql`delete from organisation_members where organisation_id = ${organisationId} and user_id = ${userId}`,
  );
  return removed > 0;
}

async function endPersonal(tx: Tx, organisationId: string, userId: string): Promise<void> {
  await changed(
    tx,
    sql`update organisations set personal_of = null where organisation_id = ${organisationId} and personal_of = ${userId}`,
  );
}

export type RequiringOrganisation = {
  organisation_id: string;
  name: string;
  slug: string | null;
  required_sign_in: SignInRequirement;
};

const requiring = sql.raw('organisation_id, organisations.name, organisations.slug, required_sign_in');

/** Undefined if the organisation requires nothing. */
export function findRequiring(db: Db, organisationId: string): Promise<RequiringOrganisation | undefined> {
  return row(
    db,
    sql<RequiringOrganisation>`select ${requiring} from organisations
      where organisation_id = ${organisationId} and required_sign_in is not null`,
  );
}

/** The organisation that new games of the person belong to, if it requires something. */
export function findRequiringPersonal(db: Db, userId: string): Promise<RequiringOrganisation | undefined> {
  return row(
    db,
    sql<RequiringOrganisation>`select ${requiring} from organisations
      where personal_of = ${userId} and required_sign_in is not null`,
  );
}

/** The organisations that require something and in which, or on a game of which, the person has a role; by name. */
export function listRequiring(db: Db, userId: string): Promise<RequiringOrganisation[]> {
  return rows(
    db,
    sql<RequiringOrganisation>`select ${requiring} from organisations
      where required_sign_in is not null and organisation_id in (
        select organisation_id from organisation_members where user_id = ${userId}
        union select organisation_id from games
          join (select game_id from game_members where user_id = ${userId}) as membership using (game_id))
      order by organisations.name, organisation_id`,
  );
}

export async function setRequired(tx: Tx, organisationId: string, required: SignInRequirement | null): Promise<void> {
  await changed(
    tx,
    sql`update organisations set required_sign_in = ${required} where organisation_id = ${organisationId}`,
  );
}

export type PersonWithAccess = {
  user_id: string;
  name: string;
  email: string;
  /** Null for people with a role on games alone. */
  role: Role | null;
  second_factor: boolean;
  single_sign_on: boolean;
};

/** Everyone with a role in the organisation or on one of its games, owners first. */
export function listPeople(db: Db, organisationId: string): Promise<PersonWithAccess[]> {
  return rows(
    db,
    sql<PersonWithAccess>`select users.id as user_id, users.name, email, team.role,
        two_factor_enabled or exists (select from user_passkeys where user_passkeys.user_id = users.id) as second_factor,
        exists (select from user_credentials as linked
          where linked.user_id = users.id and provider_id <> 'credential') as single_sign_on
      from users left join organisation_members as team
        on team.user_id = users.id and team.organisation_id = ${organisationId}
      where users.id in (
        select user_id from organisation_members where organisation_id = ${organisationId}
        union select user_id from game_members join games using (game_id) where games.organisation_id = ${organisationId})
      order by array_position(array['owner', 'admin', 'developer', 'triager', 'viewer'], team.role), users.name, users.id`,
  );
}
