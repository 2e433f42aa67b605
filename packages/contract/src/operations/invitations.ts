// Invitations to a game with a role, to own it (a transfer), or to an organisation. Only the recipient of the email can
// accept one.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { ROLE_NAMES } from '../roles.ts';
import { Email, GameParams, GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

export const InvitationRole = Type.Enum([...ROLE_NAMES], {
  description: 'The role offered; accepting the role of owner of a game transfers the game',
});

export const InvitationRecord = Type.Object({
  invitation_uid: Uuid,
  role: InvitationRole,
  email: Type.String(),
  status: Type.Enum(['pending', 'expired', 'declined'], {
    description: 'An expired invitation can be sent again; a declined one cannot',
  }),
  invited_by: Type.String({ description: 'Name of the person who sent it' }),
  invited_at: Timestamp,
  sent_at: Type.String({ description: 'When the latest email was sent, in ISO 8601' }),
  expires_at: Timestamp,
});

const InvitationParams = Type.Object({ uid: GameRef, invitation_uid: Uuid });

export const inviteAdmin = defineOperation({
  id: 'invitations.inviteAdmin',
  summary: 'Invite a person by email to your game, as an admin or with a lower role',
  method: 'POST',
  path: '/games/{uid}/invitations',
  access: 'account',
  role: 'owner',
  params: GameParams,
  body: Type.Object({
    email: Email,
    role: Type.Optional(
      Type.Enum(['viewer', 'triager', 'developer', 'admin'], {
        description: 'The role on this game; admin by default',
      }),
    ),
  }),
  output: InvitationRecord,
  statuses: [202],
  errors: ['notAllowed', 'notFound', 'ownerNotVerified', 'sameRole', 'limitReached'],
});

export const offerTransfer = defineOperation({
  id: 'invitations.offerTransfer',
  summary: 'Offer your game to a new owner by email; nothing changes until they accept',
  method: 'POST',
  path: '/games/{uid}/transfer',
  access: 'account',
  tokenScope: 'none',
  role: 'owner',
  params: GameParams,
  body: Type.Object({
    email: Email,
    password: Type.String({ maxLength: LIMITS.passwordLength, description: 'Your password, as confirmation' }),
  }),
  output: InvitationRecord,
  statuses: [202],
  errors: [
    'notAllowed',
    'notFound',
    'ownerNotVerified',
    'sameRole',
    'transferUnderWay',
    'wrongPassword',
    'limitReached',
  ],
});

export const listInvitations = defineOperation({
  id: 'invitations.list',
  summary: 'List the invitations to your game that have not been accepted',
  method: 'GET',
  path: '/games/{uid}/invitations',
  access: 'account',
  role: 'owner',
  params: GameParams,
  output: Type.Object({
    invitations: Type.Array(InvitationRecord, { description: 'Newest first; at most 200' }),
  }),
  statuses: [200],
  errors: ['notAllowed', 'notFound'],
});

export const resendInvitation = defineOperation({
  id: 'invitations.resend',
  summary: 'Send an invitation again, with a new link; the old link stops working',
  method: 'POST',
  path: '/games/{uid}/invitations/{invitation_uid}/resend',
  access: 'account',
  role: 'owner',
  params: InvitationParams,
  output: InvitationRecord,
  statuses: [202],
  errors: ['notAllowed', 'notFound', 'invitationClosed', 'limitReached'],
});

export const withdrawInvitation = defineOperation({
  id: 'invitations.withdraw',
  summary: 'Withdraw an invitation, or remove a declined one',
  method: 'DELETE',
  path: '/games/{uid}/invitations/{invitation_uid}',
  access: 'account',
  role: 'owner',
  params: InvitationParams,
  output: Type.Object({ invitation_uid: Uuid }),
  statuses: [200],
  errors: ['notAllowed', 'notFound', 'invitationClosed'],
});

const TokenParams = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 128, description: 'The token of the link in the email' }),
});

export const InvitationView = Type.Object({
  role: InvitationRole,
  email: Type.String({ description: 'The address it was sent to' }),
  status: Type.Enum(['pending', 'expired', 'declined', 'withdrawn', 'accepted']),
  game: Nullable(
    Type.Object(
      { game_uid: Uuid, slug: Type.String(), name: Type.String() },
      { description: 'null if to an organisation' },
    ),
  ),
  organisation: Nullable(
    Type.Object(
      { organisation_uid: Uuid, slug: Nullable(Type.String()), name: Type.String() },
      { description: 'null if to a game' },
    ),
  ),
  invited_by: Type.String(),
  invited_at: Timestamp,
  expires_at: Timestamp,
  problem: Nullable(
    Type.Object(
      { code: Type.Integer(), message: Type.String() },
      { description: 'Why you cannot accept it now; null if you can' },
    ),
  ),
});

export const getInvitation = defineOperation({
  id: 'invitations.get',
  summary: 'Get an invitation and whether you can accept it',
  method: 'GET',
  path: '/invitations/{token}',
  access: 'account',
  tokenScope: 'none',
  params: TokenParams,
  output: InvitationView,
  statuses: [200],
  errors: ['notFound'],
});

export const acceptInvitation = defineOperation({
  id: 'invitations.accept',
  summary: 'Accept an invitation, with the account of the invited address',
  method: 'POST',
  path: '/invitations/{token}/accept',
  access: 'account',
  tokenScope: 'none',
  params: TokenParams,
  output: InvitationView,
  statuses: [200],
  errors: ['notFound', 'invitationClosed', 'otherRecipient', 'emailNotVerified'],
});

export const declineInvitation = defineOperation({
  id: 'invitations.decline',
  summary: 'Decline an invitation',
  method: 'POST',
  path: '/invitations/{token}/decline',
  access: 'account',
  tokenScope: 'none',
  params: TokenParams,
  output: InvitationView,
  statuses: [200],
  errors: ['notFound', 'invitationClosed', 'otherRecipient'],
});
