// Triage of crash groups: who works on them, what becomes of them, and what was said about them.
import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CrashGroupDetail, GROUP_STATUSES, GroupParams, Member, PRIORITIES, Snooze, UserId } from './crash-groups.ts';
import {
  CursorQuery,
  Foreign,
  GameParams,
  GameRef,
  Line,
  NextCursor,
  Nullable,
  Text,
  Timestamp,
  Uuid,
  WebAddress,
} from './fields.ts';

/** What any number of groups can be changed to at once. Fields that are left out stay as they are. */
const ChangeFields = {
  status: Type.Optional(Type.Enum([...GROUP_STATUSES])),
  fixed_in_version: Type.Optional(
    Line('With status resolved: the version that contains the fix; the next build if it is left out', {
      minLength: 1,
      maxLength: LIMITS.versionLength,
    }),
  ),
  snooze: Type.Optional(
    Type.Object(
      {
        until: Type.Optional(Timestamp),
        reports: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'After this many more reports' }),
        ),
        next_build: Type.Optional(
          Type.Boolean({ description: 'With a report of a build that is registered from now on' }),
        ),
      },
      { description: 'With status snoozed: when the group opens again, at the first of these' },
    ),
  ),
  assignee: Type.Optional(Nullable(UserId)),
  priority: Type.Optional(Nullable(Type.Enum([...PRIORITIES]))),
};

const GroupIds = (minItems: number, maxItems: number) => Type.Array(Uuid, { minItems, maxItems, uniqueItems: true });
const ChangeUid = Type.String({ ...Uuid, description: 'Undoes the change with crashes.undoChange' });

export const updateCrashGroup = defineOperation({
  id: 'crashes.updateGroup',
  summary: 'Change a crash group: its status, assignee, priority, title or the link to its issue',
  method: 'PATCH',
  path: '/games/{uid}/crash-groups/{group_id}',
  access: 'account',
  role: 'triager',
  params: GroupParams,
  body: Type.Object({
    ...ChangeFields,
    title: Type.Optional(
      Nullable(
        Line('Shown instead of the signature; null for the signature', {
          minLength: 1,
          maxLength: LIMITS.titleLength,
        }),
      ),
    ),
    issue_url: Type.Optional(
      Nullable(WebAddress('The issue about it in your tracker; null removes the link', LIMITS.issueUrlLength)),
    ),
  }),
  output: Type.Object({ ...CrashGroupDetail.properties, change_uid: Nullable(ChangeUid) }),
  statuses: [200],
  errors: ['notFound', 'limitReached'],
  mcp: {
    tool: 'update_crash_group',
    when: 'Use it when the user asks to resolve, snooze, ignore, reopen, assign, prioritize or rename a crash group.',
    scope: 'mcp:write',
    idempotent: true,
  },
});

export const changeCrashGroups = defineOperation({
  id: 'crashes.changeGroups',
  summary: 'Change any number of crash groups in the same way: their status, assignee or priority',
  method: 'POST',
  path: '/games/{uid}/crash-groups/changes',
  access: 'account',
  role: 'triager',
  params: GameParams,
  body: Type.Object({ group_ids: GroupIds(1, LIMITS.crashGroupsChanged), ...ChangeFields }),
  output: Type.Object({
    change_uid: Nullable(ChangeUid),
    changed: Type.Integer({ description: 'Number of groups that were changed' }),
  }),
  statuses: [200],
  errors: ['notFound', 'limitReached'],
  mcp: {
    tool: 'change_crash_groups',
    when: 'Use it to change several crash groups in the same way. The change_uid of the result undoes it for all of them.',
    scope: 'mcp:write',
    idempotent: true,
  },
});

export const undoCrashGroupChange = defineOperation({
  id: 'crashes.undoChange',
  summary: 'Undo a change, merge or split of crash groups, except for groups that were changed again since',
  method: 'POST',
  path: '/games/{uid}/crash-groups/changes/{change_uid}/undo',
  access: 'account',
  role: 'triager',
  params: Type.Object({ uid: GameRef, change_uid: Uuid }),
  output: Type.Object({
    change_uid: Nullable(Type.String({ ...Uuid, description: 'Undoes this undo; null if nothing was undone' })),
    undone: Type.Integer({ description: 'Number of groups that were restored' }),
    skipped: Type.Integer({ description: 'Number of groups that were changed again since' }),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'undo_crash_group_change',
    when: 'Use it when the user wants a change, merge or split of crash groups undone, with the change_uid of its result or from list_crash_group_activity.',
    scope: 'mcp:write',
  },
});

export const mergeCrashGroups = defineOperation({
  id: 'crashes.mergeGroups',
  summary: 'Merge crash groups into one, together with their future reports',
  method: 'POST',
  path: '/games/{uid}/crash-groups/merge',
  access: 'account',
  role: 'triager',
  params: GameParams,
  body: Type.Object({
    group_ids: GroupIds(2, LIMITS.crashGroupsMerged),
    into: Type.Optional(
      Type.String({
        ...Uuid,
        description: 'The group among group_ids that keeps its title and state; by default the one with most reports',
      }),
    ),
  }),
  output: Type.Object({ group_id: Uuid, change_uid: Nullable(ChangeUid) }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'merge_crash_groups',
    when: 'Use it when the user says that crash groups have the same cause. It can be undone.',
    scope: 'mcp:write',
    idempotent: true,
  },
});

export const unmergeCrashGroups = defineOperation({
  id: 'crashes.unmergeGroups',
  summary: 'Separate groups from the crash group that they were merged into',
  method: 'POST',
  path: '/games/{uid}/crash-groups/{group_id}/unmerge',
  access: 'account',
  role: 'triager',
  params: GroupParams,
  body: Type.Object({ group_ids: GroupIds(1, LIMITS.crashGroupsMerged) }),
  output: Type.Object({ change_uid: Nullable(ChangeUid) }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'unmerge_crash_groups',
    when: 'Use it when the user says that a merged group has a different cause.',
    scope: 'mcp:write',
  },
});

export const splitCrashGroup = defineOperation({
  id: 'crashes.splitGroup',
  summary: 'Split off the reports with a function on their stack, together with future ones, into a separate group',
  method: 'POST',
  path: '/games/{uid}/crash-groups/{group_id}/split',
  access: 'account',
  role: 'triager',
  params: GroupParams,
  body: Type.Object({
    function: Type.String({ minLength: 1, maxLength: 4096, description: 'The whole name of the function' }),
  }),
  output: Type.Object({
    group_id: Type.String({ ...Uuid, description: 'The new group. Its existing reports are moved in the background.' }),
    change_uid: Nullable(ChangeUid),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'split_crash_group',
    when: 'Use it when reports of one group have different causes, and only those of one cause have a certain function on their stacks. It can be undone.',
    scope: 'mcp:write',
    idempotent: true,
  },
});

const AgentName = Nullable(Type.String({ description: 'The program that acted for the person' }));

/** What a change of a group changes, before and after. */
const Aspects = Type.Object({
  status: Type.Optional(Type.Enum([...GROUP_STATUSES])),
  fixed_in_version: Type.Optional(Nullable(Type.String())),
  snooze: Type.Optional(Nullable(Snooze)),
  assignee: Type.Optional(Nullable(Member)),
  priority: Type.Optional(Nullable(Type.Enum([...PRIORITIES]))),
  title: Type.Optional(Nullable(Type.String({ description: 'The custom title' }))),
  issue_url: Type.Optional(Nullable(Type.String())),
});
export type Aspects = Static<typeof Aspects>;

export const ACTIVITY_KINDS = ['comment', 'change', 'merge', 'unmerge', 'split', 'unsplit', 'reopen'] as const;

export const Activity = Type.Object({
  activity_uid: Uuid,
  kind: Type.Enum([...ACTIVITY_KINDS], {
    description: 'reopen: by the service, because of a new report or at the end of a snooze',
  }),
  at: Timestamp,
  user_id: Nullable(Type.String({ description: 'null for the service' })),
  name: Nullable(Type.String({ description: 'The name of the person at that time' })),
  agent: AgentName,
  change_uid: Nullable(ChangeUid),
  before: Nullable(Aspects),
  after: Nullable(Aspects),
  groups: Type.Array(Type.Object({ group_id: Uuid, title: Foreign(Type.String()) }), {
    description: 'The groups that were merged, separated or split off',
  }),
  function: Nullable(Foreign(Type.String({ description: 'Of a split' }))),
  comment: Nullable(Foreign(Type.String({ description: 'Plain text with mentions such as @Kim Park' }))),
  edited_at: Nullable(Timestamp),
});
export type Activity = Static<typeof Activity>;

export const listCrashGroupActivity = defineOperation({
  id: 'crashes.listActivity',
  summary: 'List what happened to a crash group, and the comments on it, newest first',
  method: 'GET',
  path: '/games/{uid}/crash-groups/{group_id}/activity',
  access: 'account',
  role: 'viewer',
  params: GroupParams,
  query: Type.Object(CursorQuery),
  output: Type.Object({ activity: Type.Array(Activity), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_crash_group_activity',
    when: 'Use it to see what others found out about a crash group, and who changed it.',
    scope: 'mcp:read',
  },
});

const Comment = Text('Text. @ followed by the name of a member notifies them by email', {
  minLength: 1,
  maxLength: LIMITS.commentLength,
});

export const addCrashGroupComment = defineOperation({
  id: 'crashes.addComment',
  summary: 'Comment on a crash group; members who are mentioned get an email',
  method: 'POST',
  path: '/games/{uid}/crash-groups/{group_id}/comments',
  access: 'account',
  role: 'triager',
  params: GroupParams,
  body: Type.Object({ comment: Comment }),
  output: Activity,
  statuses: [201],
  errors: ['notFound', 'limitReached'],
  mcp: {
    tool: 'comment_on_crash_group',
    when: 'Use it when the user asks to note what was found out about a crash group.',
    scope: 'mcp:write',
  },
});

const CommentParams = Type.Object({ uid: GameRef, group_id: Uuid, activity_uid: Uuid });

export const updateCrashGroupComment = defineOperation({
  id: 'crashes.updateComment',
  summary: 'Edit your comment on a crash group',
  method: 'PATCH',
  path: '/games/{uid}/crash-groups/{group_id}/comments/{activity_uid}',
  access: 'account',
  role: 'triager',
  params: CommentParams,
  body: Type.Object({ comment: Comment }),
  output: Activity,
  statuses: [200],
  errors: ['notAllowed', 'notFound', 'limitReached'],
});

export const deleteCrashGroupComment = defineOperation({
  id: 'crashes.deleteComment',
  summary: 'Delete your comment on a crash group; the owner of the game can delete any',
  method: 'DELETE',
  path: '/games/{uid}/crash-groups/{group_id}/comments/{activity_uid}',
  access: 'account',
  role: 'triager',
  params: CommentParams,
  output: Type.Object({ deleted: Type.Boolean() }),
  statuses: [200],
  errors: ['notAllowed', 'notFound'],
});
