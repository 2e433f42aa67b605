// Approvals: changes that an agent requested and that wait for the decision of the game's owner.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { CursorQuery, Foreign, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

export const APPROVAL_ACTIONS = [
  'promote_build',
  'promote_version',
  'undo_channel_change',
  'delete_build',
  'delete_version',
  'request_deploy_key',
  'start_rollout',
  'resume_rollout',
  'set_rollout_share',
  'finish_rollout',
] as const;
export type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

/** What the agent gets immediately. */
export const ApprovalTicket = Type.Object({
  uid: Uuid,
  action: Type.Enum([...APPROVAL_ACTIONS]),
  summary: Type.String({ description: 'The change, in one line' }),
  confirm_url: Type.String({ description: 'The page where the owner decides' }),
  expires_at: Timestamp,
});

/** A ticket with the game and the requester. */
export const ApprovalRequest = Type.Object({
  ...ApprovalTicket.properties,
  game: Type.Object({ game_uid: Uuid, slug: Type.String(), name: Type.String() }),
  asked_by: Foreign(Type.String()),
  via: Foreign(Type.String({ description: 'The self-reported name of the agent or token that sent the request' })),
  asked_at: Timestamp,
});

export const ApprovalRecord = Type.Object({
  ...ApprovalRequest.properties,
  status: Type.Enum([...APPROVAL_STATES]),
  consequences: Type.Array(Type.String(), { description: 'What would change for players now' }),
  release: Nullable(
    Type.Object(
      {
        version: Type.String({ description: 'The version to promote' }),
        replaced: Type.Array(Type.String(), { description: 'The other versions that players get there now' }),
      },
      { description: 'The versions to compare before a promotion is approved; null for other changes' },
    ),
  ),
  problem: Nullable(Type.String({ description: 'Why it cannot be approved now; null if it can, or is decided' })),
  decided_by: Nullable(Type.String()),
  decided_at: Nullable(Timestamp),
  may_decide: Type.Boolean({ description: 'Whether you are the owner who decides' }),
  result: Nullable(
    Type.Object({}, { additionalProperties: true, description: 'The result of the change, once it is approved' }),
  ),
});

/** The `result` of an approved key request. The key is created when the agent collects it. */
export type KeyCollection = { key_ref: string | null; collected_at: string | null; collect_until: string };

const ApprovalParams = Type.Object({ uid: Uuid });

export const listWaitingApprovals = defineOperation({
  id: 'approvals.waiting',
  summary: 'List the approvals in all your games that need your decision, newest first',
  method: 'GET',
  path: '/approvals',
  access: 'account',
  query: Type.Object({ ...CursorQuery }),
  output: Type.Object({ approvals: Type.Array(ApprovalRequest), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['invalid'],
});

export const getApproval = defineOperation({
  id: 'approvals.get',
  summary: 'Get an approval: the requested change, its consequences and the decision',
  method: 'GET',
  path: '/approvals/{uid}',
  access: 'account',
  role: 'viewer',
  params: ApprovalParams,
  output: ApprovalRecord,
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_approval',
    when: 'Use it to check whether the owner has decided about a change that returned code 4214.',
    scope: 'mcp:read',
  },
});

export const confirmApproval = defineOperation({
  id: 'approvals.confirm',
  summary: "Approve a change with the 6-digit code from the owner's email; repeating the call has no further effect",
  method: 'POST',
  path: '/approvals/{uid}/confirm',
  access: 'account',
  role: 'developer',
  params: ApprovalParams,
  body: Type.Object({
    code: Type.String({ pattern: '^[0-9]{6}$', description: 'the 6 digits from the email' }),
  }),
  output: ApprovalRecord,
  statuses: [200],
  errors: [
    'unknownBuild',
    'notFound',
    'notClean',
    'rolloutConflict',
    'approvalDenied',
    'wrongApprovalCode',
    'alreadyDecided',
  ],
  mcp: {
    tool: 'confirm_approval',
    when: "Use it when the user gives you the code from the owner's email. Never guess a code.",
    scope: 'mcp:write',
    destructive: true,
    idempotent: true,
  },
});

export const decideApproval = defineOperation({
  id: 'approvals.decide',
  summary: "Approve or deny a change as the game's owner, signed in on the website",
  method: 'POST',
  path: '/approvals/{uid}/decide',
  access: 'account',
  role: 'owner',
  params: ApprovalParams,
  body: Type.Object({ approve: Type.Boolean() }),
  output: ApprovalRecord,
  statuses: [200],
  errors: ['unknownBuild', 'notFound', 'notClean', 'rolloutConflict', 'wrongApprovalCode', 'alreadyDecided'],
});
