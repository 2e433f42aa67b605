// The SQL of what organisations require of how people sign in.
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, type Db, row, rows, type Tx } from '../../kernel/database/db.ts';

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
