// Organisations, which own games: their members with their roles, their invitations, and moving games between them.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Email, GameParams, GameRef, Nullable, RoleName, Slug, Timestamp, Uuid } from './fields.ts';
import { Visibility } from './games.ts';
import { InvitationRecord } from './invitations.ts';

/** Also the form of a game's uid or slug. */
const OrganisationRef = Type.String({ ...GameRef, description: 'the uid or slug of an organisation' });
const OrganisationParams = Type.Object({ organisation: OrganisationRef });
const MemberParams = Type.Object({ organisation: OrganisationRef, user_id: Type.String({ maxLength: 64 }) });
const InvitationParams = Type.Object({ organisation: OrganisationRef, invitation_uid: Uuid });

const Name = Type.String({
  minLength: 1,
  maxLength: LIMITS.organisationNameLength,
  // One line without control or bidirectional characters.
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$',
  description: 'one line of plain text',
});

const OrganisationRecord = Type.Object({
  organisation_uid: Uuid,
  slug: Nullable(Type.String({ description: 'For its address; null if it has none' })),
  name: Type.String(),
  role: RoleName,
  personal: Type.Boolean({ description: 'Whether your new games belong to it unless you choose another one' }),
  games: Type.Integer(),
  members: Type.Integer(),
  created_at: Timestamp,
});

const Member = Type.Object({
  user_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: RoleName,
  added_at: Timestamp,
});

const OrganisationDetail = Type.Object({
  ...OrganisationRecord.properties,
  member_list: Type.Array(Member, { description: 'Owners first' }),
  game_list: Type.Array(
    Type.Object({ game_uid: Uuid, slug: Type.String(), name: Type.String(), visibility: Visibility }),
    { description: 'By name' },
  ),
});

export const listOrganisations = defineOperation({
  id: 'organisations.list',
  summary: 'List the organisations you are a member of',
  method: 'GET',
  path: '/organisations',
  access: 'account',
  output: Type.Object({ organisations: Type.Array(OrganisationRecord, { description: 'By name' }) }),
  statuses: [200],
  errors: [],
  mcp: {
    tool: 'list_organisations',
    when: 'Use it to see which organisations own the games, and which role the user has there.',
    scope: 'mcp:read',
  },
});

export const createOrganisation = defineOperation({
  id: 'organisations.create',
  summary: 'Create an organisation that you own',
  method: 'POST',
  path: '/organisations',
  access: 'account',
  body: Type.Object({ name: Name, slug: Type.Optional(Slug) }),
  output: OrganisationDetail,
  statuses: [201],
  errors: [],
});

export const getOrganisation = defineOperation({
  id: 'organisations.get',
  summary: 'Get an organisation with its members and games',
  method: 'GET',
  path: '/organisations/{organisation}',
  access: 'account',
  role: 'viewer',
  params: OrganisationParams,
  output: OrganisationDetail,
  statuses: [200],
  errors: [4040],
  mcp: {
    tool: 'get_organisation',
    when: 'Use it to see who is a member of an organisation, with which role, and which games it owns.',
    scope: 'mcp:read',
  },
});

export const updateOrganisation = defineOperation({
  id: 'organisations.update',
  summary: 'Change the name or the slug of an organisation',
  method: 'PATCH',
  path: '/organisations/{organisation}',
  access: 'account',
  role: 'owner',
  params: OrganisationParams,
  body: Type.Object({ name: Type.Optional(Name), slug: Type.Optional(Nullable(Slug)) }),
  output: OrganisationDetail,
  statuses: [200],
  errors: [4040],
});

export const deleteOrganisation = defineOperation({
  id: 'organisations.delete',
  summary: 'Delete an organisation that has no games',
  method: 'DELETE',
  path: '/organisations/{organisation}',
  access: 'account',
  role: 'owner',
  params: OrganisationParams,
  output: Type.Object({ organisation_uid: Uuid }),
  statuses: [200],
  errors: [4040, 4238],
});

export const setMemberRole = defineOperation({
  id: 'organisations.setRole',
  summary: 'Change the role of a member of an organisation, up to your own',
  method: 'PATCH',
  path: '/organisations/{organisation}/members/{user_id}',
  access: 'account',
  role: 'admin',
  params: MemberParams,
  body: Type.Object({ role: RoleName }),
  output: OrganisationDetail,
  statuses: [200],
  errors: [4040, 4234],
});

export const removeMember = defineOperation({
  id: 'organisations.removeMember',
  summary: 'Remove a member of an organisation whose role is not above yours',
  method: 'DELETE',
  path: '/organisations/{organisation}/members/{user_id}',
  access: 'account',
  role: 'admin',
  params: MemberParams,
  output: OrganisationDetail,
  statuses: [200],
  errors: [4040, 4234],
});

export const leaveOrganisation = defineOperation({
  id: 'organisations.leave',
  summary: 'Leave an organisation',
  method: 'POST',
  path: '/organisations/{organisation}/leave',
  access: 'account',
  role: 'viewer',
  params: OrganisationParams,
  output: Type.Object({ organisation_uid: Uuid }),
  statuses: [200],
  errors: [4040, 4234],
});

export const moveGame = defineOperation({
  id: 'organisations.moveGame',
  summary: 'Move a game to another organisation that you own',
  method: 'POST',
  path: '/games/{uid}/organisation',
  access: 'account',
  role: 'owner',
  params: GameParams,
  body: Type.Object({ organisation: OrganisationRef }),
  output: Type.Object({ game_uid: Uuid, organisation_uid: Uuid }),
  statuses: [200],
  errors: [4040],
});

export const inviteMember = defineOperation({
  id: 'organisations.invite',
  summary: 'Invite a person by email to an organisation, with a role up to your own',
  method: 'POST',
  path: '/organisations/{organisation}/invitations',
  access: 'account',
  role: 'admin',
  params: OrganisationParams,
  body: Type.Object({ email: Email, role: RoleName }),
  output: InvitationRecord,
  statuses: [202],
  errors: [4040, 4096, 4233, 4290],
});

export const listMemberInvitations = defineOperation({
  id: 'organisations.invitations',
  summary: 'List the invitations to an organisation that have not been accepted',
  method: 'GET',
  path: '/organisations/{organisation}/invitations',
  access: 'account',
  role: 'admin',
  params: OrganisationParams,
  output: Type.Object({
    invitations: Type.Array(InvitationRecord, { description: 'Newest first; at most 200' }),
  }),
  statuses: [200],
  errors: [4040],
});

export const resendMemberInvitation = defineOperation({
  id: 'organisations.resendInvitation',
  summary: 'Send an invitation to an organisation again, with a new link; the old link stops working',
  method: 'POST',
  path: '/organisations/{organisation}/invitations/{invitation_uid}/resend',
  access: 'account',
  role: 'admin',
  params: InvitationParams,
  output: InvitationRecord,
  statuses: [202],
  errors: [4040, 4230, 4290],
});

export const withdrawMemberInvitation = defineOperation({
  id: 'organisations.withdrawInvitation',
  summary: 'Withdraw an invitation to an organisation, or remove a declined one',
  method: 'DELETE',
  path: '/organisations/{organisation}/invitations/{invitation_uid}',
  access: 'account',
  role: 'admin',
  params: InvitationParams,
  output: Type.Object({ invitation_uid: Uuid }),
  statuses: [200],
  errors: [4040, 4230],
});
