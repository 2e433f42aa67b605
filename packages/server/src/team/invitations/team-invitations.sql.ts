// The SQL of invitations to an organisation, or to a single game with a role below that of an admin.
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { type Db, onlyRow, row, rows, type Tx } from '../../kernel/database/db.ts';
import { endingsOf, type InvitationRow } from './invitations.sql.ts';

/** The organisation or game that a person is invited to. */
export type InvitationTarget = { readonly kind: 'organisation' | 'game'; readonly id: string; readonly name: string };

export type TeamInvitationRow = Omit<InvitationRow, 'game_id' | 'role'> & {
  role: Role;
  organisation_id: string | null;
  game_id: string | null;
};

/** An invitation with its organisation or game, which is not deleted. */
export type FoundTeamInvitation = TeamInvitationRow & { slug: string | null; target_name: string };

const columns = sql.raw(
  'invitation_id, organisation_id, game_id, role, email, inviter_id, invited_by, state, invited_at, sent_at, expires_at',
);

const ofTarget = ({ kind, id }: InvitationTarget) =>
  kind === 'game' ? sql`game_id = ${id}` : sql`organisation_id = ${id}`;

type Sent = { role: Role; inviterId: string; invitedBy: string; tokenHash: Buffer; now: Date; expiresAt: Date };

export function insertTeamInvitation(
  tx: Tx,
  target: InvitationTarget,
  {
    invitationId,
    email,
    role,
    inviterId,
    invitedBy,
    tokenHash,
    now,
    expiresAt,
  }: Sent & { invitationId: string; email: string },
): Promise<TeamInvitationRow> {
  const [game, organisation] = target.kind === 'game' ? [target.id, null] : [null, target.id];
  return onlyRow(
    tx,
    sql<TeamInvitationRow>`insert into team_invitations (invitation_id, organisation_id, game_id, role, email, token_hash,
        inviter_id, invited_by, invited_at, sent_at, expires_at)
      values (${invitationId}, ${organisation}, ${game}, ${role}, ${email}, ${tokenHash}, ${inviterId}, ${invitedBy}, ${now},
        ${now}, ${expiresAt})
      returning ${columns}`,
  );
}

/** Replaces the token, so the link in the earlier email stops working. */
export function renewTeamInvitation(
  tx: Tx,
  invitationId: string,
  { role, inviterId, invitedBy, tokenHash, now, expiresAt }: Sent,
): Promise<TeamInvitationRow> {
  return onlyRow(
    tx,
    sql<TeamInvitationRow>`update team_invitations set role = ${role}, inviter_id = ${inviterId}, invited_by = ${invitedBy},
        token_hash = ${tokenHash}, sent_at = ${now}, expires_at = ${expiresAt}
      where invitation_id = ${invitationId} returning ${columns}`,
  );
}

export function findPendingTeamInvitation(
  tx: Tx,
  target: InvitationTarget,
  email: string,
): Promise<TeamInvitationRow | undefined> {
  return row(
    tx,
    sql<TeamInvitationRow>`select ${columns} from team_invitations
      where ${ofTarget(target)} and state = 'pending' and email = ${email}`,
  );
}

/** Pending and declined invitations, newest first. */
export function listOpenTeamInvitations(db: Db, target: InvitationTarget, limit: number): Promise<TeamInvitationRow[]> {
  return rows(
    db,
    sql<TeamInvitationRow>`select ${columns} from team_invitations
      where ${ofTarget(target)} and state in ('pending', 'declined') order by invitation_id desc limit ${limit}`,
  );
}

/** Finds and locks an invitation until the transaction ends. */
export function lockTeamInvitation(
  tx: Tx,
  target: InvitationTarget,
  invitationId: string,
): Promise<TeamInvitationRow | undefined> {
  return row(
    tx,
    sql<TeamInvitationRow>`select ${columns} from team_invitations
      where ${ofTarget(target)} and invitation_id = ${invitationId} for update`,
  );
}

const ofToken = (tokenHash: Buffer) =>
  sql`select ${columns}, target.slug, target.name as target_name
    from team_invitations join (
      select game_id as target_id, slug, name from games
      union all select organisation_id, slug, name from organisations
    ) as target on target_id = coalesce(game_id, organisation_id)
    where token_hash = ${tokenHash}`;

export function findTeamInvitation(db: Db, tokenHash: Buffer): Promise<FoundTeamInvitation | undefined> {
  return row(db, sql<FoundTeamInvitation>`${ofToken(tokenHash)}`);
}

/** Finds and locks an invitation by its token until the transaction ends. */
export function lockTeamInvitationByToken(tx: Tx, tokenHash: Buffer): Promise<FoundTeamInvitation | undefined> {
  return row(tx, sql<FoundTeamInvitation>`${ofToken(tokenHash)} for update of team_invitations`);
}

export const { endInvitation, withdrawAll, forgetInvitations } = endingsOf('team_invitations');
