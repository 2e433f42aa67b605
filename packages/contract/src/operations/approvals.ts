// Approvals: changes that an agent asked for and that wait until the game's owner agrees.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { CursorQuery, Foreign, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

export const APPROVAL_ACTIONS = ['promote_build', 'delete_build', 'request_deploy_key'] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What whoever asked is told at once. */
export const ApprovalTicket = Type.Object({
  uid: Uuid,
  action: Type.Enum([...APPROVAL_ACTIONS]),
  summary: Type.String({ description: 'What is to be done, in one line' }),
  confirm_url: Type.String({ description: 'The page on which the owner decides' }),
  expires_at: Timestamp,
});

/** With who asked for what. */
export const ApprovalRequest = Type.Object({
  ...ApprovalTicket.properties,
  game: Type.Object({ game_uid: Uuid, slug: Type.String(), name: Type.String() }),
  asked_by: Foreign(Type.String()),
  via: Foreign(Type.String({ description: 'The agent or token that asked, by the name that it gave itself' })),
  asked_at: Timestamp,
});

export const ApprovalRecord = Type.Object({
  ...ApprovalRequest.properties,
  status: Type.Enum([...APPROVAL_STATES]),
  consequences: Type.Array(Type.String(), { description: 'What changes for players, as things are now' }),
  problem: Nullable(Type.String({ description: 'Why it could not be done now; null when it could, or is decided' })),
  decided_by: Nullable(Type.String()),
  decided_at: Nullable(Timestamp),
  may_decide: Type.Boolean({ description: 'Whether you are the owner who was asked' }),
  result: Nullable(
    Type.Object({}, { additionalProperties: true, description: 'What the change answered, once it is approved' }),
  ),
});

const ApprovalParams = Type.Object({ uid: Uuid });

export const listWaitingApprovals = defineOperation({
  id: 'approvals.waiting',
  summary: 'What waits for you to decide, in all games that you own, the newest first',
  method: 'GET',
  path: '/approvals',
  access: 'account',
  query: Type.Object({ ...CursorQuery }),
  output: Type.Object({ approvals: Type.Array(ApprovalRequest), next_cursor: NextCursor }),
  statuses: [200],
  errors: [4002],
});

export const getApproval = defineOperation({
  id: 'approvals.get',
  summary: 'One approval: what waits, what it would change, and how it was decided',
  method: 'GET',
  path: '/approvals/{uid}',
  access: 'account',
  params: ApprovalParams,
  output: ApprovalRecord,
  statuses: [200],
  errors: [4040],
  mcp: { tool: 'get_approval', scope: 'mcp:read' },
});

export const confirmApproval = defineOperation({
  id: 'approvals.confirm',
  summary: 'Approve with the 6-digit code of the owner’s mail; the change is done once, however often this is sent',
  method: 'POST',
  path: '/approvals/{uid}/confirm',
  access: 'account',
  params: ApprovalParams,
  body: Type.Object({
    code: Type.String({ pattern: '^[0-9]{6}$', description: 'the 6 digits of the mail' }),
  }),
  output: ApprovalRecord,
  statuses: [200],
  errors: [4006, 4040, 4099, 4215, 4216, 4217],
  mcp: { tool: 'confirm_approval', scope: 'mcp:write', destructive: true, idempotent: true },
});

export const decideApproval = defineOperation({
  id: 'approvals.decide',
  summary: 'Approve or deny, as the game’s owner on the website',
  method: 'POST',
  path: '/approvals/{uid}/decide',
  access: 'account',
  params: ApprovalParams,
  body: Type.Object({ approve: Type.Boolean() }),
  output: ApprovalRecord,
  statuses: [200],
  errors: [4006, 4040, 4099, 4216, 4217],
});
