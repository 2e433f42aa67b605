// Organisations, which own games: their members with their roles, their invitations, and moving games between them.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { SIGN_IN_REQUIREMENTS } from '../required-sign-in.ts';
import { ROLE_NAMES } from '../roles.ts';
import {
  Email,
  GameParams,
  Line,
  Nullable,
  OrganisationParams,
  OrganisationRef,
  RoleName,
  Slug,
  Timestamp,
  Uuid,
} from './fields.ts';
import { Visibility } from './games.ts';
import { InvitationRecord } from './invitations.ts';

const MemberParams = Type.Object({ organisation: OrganisationRef, user_id: Type.String({ maxLength: 64 }) });
const InvitationParams = Type.Object({ organisation: OrganisationRef, invitation_uid: Uuid });

const Name = Line('plain text', { minLength: 1, maxLength: LIMITS.organisationNameLength });

const RequiredSignIn = Nullable(
  Type.Enum([...SIGN_IN_REQUIREMENTS], {
    description: 'What people with access to the organisation or its games must have signed in with',
  }),
);

const OrganisationRecord = Type.Object({
  organisation_uid: Uuid,
  slug: Nullable(Type.String({ description: 'For its address; null if it has none' })),
  name: Type.String(),
  role: RoleName,
  personal: Type.Boolean({ description: 'Whether your new games belong to it unless you choose another one' }),
  games: Type.Integer(),
  members: Type.Integer(),
  required_sign_in: RequiredSignIn,
  sign_in_met: Type.Boolean({ description: 'Whether you signed in that way; if not, other calls return 4035' }),
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
  tokenScope: 'none',
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
  errors: ['notFound'],
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
  errors: ['notFound'],
});

export const deleteOrganisation = defineOperation({
  id: 'organisations.delete',
  summary: 'Delete an organisation that has no games',
  method: 'DELETE',
  path: '/organisations/{organisation}',
  access: 'account',
  tokenScope: 'none',
  role: 'owner',
  params: OrganisationParams,
  output: Type.Object({ organisation_uid: Uuid }),
  statuses: [200],
  errors: ['notFound', 'organisationHasGames'],
});

export const listSignInRequirements = defineOperation({
  id: 'organisations.requirements',
  summary: 'List the sign-in requirements of your organisations, and of those whose games you have a role on',
  method: 'GET',
  path: '/account/sign-in-requirements',
  access: 'account',
  tokenScope: 'none',
  output: Type.Object({
    requirements: Type.Array(
      Type.Object({
        organisation_uid: Uuid,
        slug: Nullable(Type.String()),
        name: Type.String(),
        required_sign_in: Type.Enum([...SIGN_IN_REQUIREMENTS]),
        met: Type.Boolean({ description: 'Whether this session meets it' }),
        message: Nullable(Type.String({ description: 'What to do; null if it is met' })),
      }),
      { description: 'By name' },
    ),
  }),
  statuses: [200],
  errors: [],
});

export const getOrganisationSignIn = defineOperation({
  id: 'organisations.signIn',
  summary: 'Get the sign-in requirement of an organisation, and who has set up what it requires',
  method: 'GET',
  path: '/organisations/{organisation}/sign-in',
  access: 'account',
  role: 'owner',
  params: OrganisationParams,
  output: Type.Object({
    required_sign_in: RequiredSignIn,
    single_sign_on: Nullable(
      Type.String({ description: 'The name of the single sign-on; null if the operator has not set it up' }),
    ),
    people: Type.Array(
      Type.Object({
        user_id: Type.String(),
        name: Type.String(),
        email: Type.String(),
        role: Nullable(Type.Enum([...ROLE_NAMES], { description: 'null for people with a role on games alone' })),
        second_factor: Type.Boolean({ description: 'Whether the account has an authenticator app or a passkey' }),
        single_sign_on: Type.Boolean({ description: 'Whether the account is connected with the single sign-on' }),
      }),
      { description: 'Everyone with access to the organisation or its games, owners first' },
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const requireSignIn = defineOperation({
  id: 'organisations.requireSignIn',
  summary: 'Set what people must have signed in with to access an organisation and its games',
  method: 'PUT',
  path: '/organisations/{organisation}/sign-in',
  access: 'account',
  tokenScope: 'none',
  role: 'owner',
  params: OrganisationParams,
  body: Type.Object({ required_sign_in: RequiredSignIn }),
  output: OrganisationDetail,
  statuses: [200],
  errors: ['notFound'],
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
  errors: ['notFound', 'lastOwner'],
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
  errors: ['notFound', 'lastOwner'],
});

export const leaveOrganisation = defineOperation({
  id: 'organisations.leave',
  summary: 'Leave an organisation',
  method: 'POST',
  path: '/organisations/{organisation}/leave',
  access: 'account',
  tokenScope: 'none',
  role: 'viewer',
  params: OrganisationParams,
  output: Type.Object({ organisation_uid: Uuid }),
  statuses: [200],
  errors: ['notFound', 'lastOwner'],
});

export const moveGame = defineOperation({
  id: 'organisations.moveGame',
  summary: 'Move a game to another organisation that you own',
  method: 'POST',
  path: '/games/{uid}/organisation',
  access: 'account',
  tokenScope: 'none',
  role: 'owner',
  params: GameParams,
  body: Type.Object({ organisation: OrganisationRef }),
  output: Type.Object({ game_uid: Uuid, organisation_uid: Uuid }),
  statuses: [200],
  errors: ['notFound'],
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
  errors: ['notFound', 'ownerNotVerified', 'sameRole', 'limitReached'],
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
  errors: ['notFound'],
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
  errors: ['notFound', 'invitationClosed', 'limitReached'],
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
  errors: ['notFound', 'invitationClosed'],
});
