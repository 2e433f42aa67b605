// Bug tickets: filed by players, triaged by developers.
import Type from 'typebox';
import { ArchInput, OsInput } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CrashUpload } from './crashes.ts';
import { CursorQuery, Foreign, GameParams, GameRef, NextCursor, Nullable, Timestamp, Uuid } from './fields.ts';

export const BUG_STATUSES = ['open', 'fixed', 'closed'] as const;

export const BugTicket = Type.Object({
  bug_uid: Uuid,
  status: Type.Enum([...BUG_STATUSES]),
  message: Foreign(Type.String({ description: "The player's message" })),
  build_id: Nullable(Uuid),
  version: Nullable(Type.String()),
  os: Nullable(Type.String()),
  arch: Nullable(Type.String()),
  crash_id: Nullable(Uuid),
  filed_by: Foreign(Type.String({ description: "The player's name" })),
  filed_at: Timestamp,
  updated_at: Timestamp,
});

export const fileBug = defineOperation({
  id: 'bugs.file',
  summary: 'File a bug ticket; a dump and a log can then be uploaded to the URLs in the response',
  method: 'POST',
  path: '/games/{uid}/bugs',
  access: 'account',
  params: GameParams,
  body: Type.Object({
    message: Type.String({ minLength: 1, maxLength: LIMITS.bugMessageLength }),
    build_id: Type.Optional(Uuid),
    os: Type.Optional(OsInput),
    arch: Type.Optional(ArchInput),
    has_dump: Type.Optional(Type.Boolean()),
    has_log: Type.Optional(Type.Boolean()),
  }),
  output: Type.Object({
    bug_uid: Uuid,
    crash_id: Nullable(Uuid),
    uploads: Type.Object({ dump: Type.Optional(CrashUpload), log: Type.Optional(CrashUpload) }),
  }),
  secret: true,
  statuses: [201],
  errors: [4006, 4040, 4290],
});

export const listBugTickets = defineOperation({
  id: 'bugs.list',
  summary: "List a game's bug tickets, newest first",
  method: 'GET',
  path: '/games/{uid}/bugs',
  access: 'account',
  params: GameParams,
  query: Type.Object({
    status: Type.Optional(Type.Enum([...BUG_STATUSES])),
    ...CursorQuery,
  }),
  output: Type.Object({ bugs: Type.Array(BugTicket), next_cursor: NextCursor }),
  statuses: [200],
  errors: [4040],
  mcp: {
    tool: 'list_bug_tickets',
    when: 'Use it to see what players report, or to find the ticket of a crash by its crash_id.',
    scope: 'mcp:read',
  },
});

const BugParams = Type.Object({ uid: GameRef, bug_uid: Uuid });

export const getBugTicket = defineOperation({
  id: 'bugs.get',
  summary: 'Get a bug ticket',
  method: 'GET',
  path: '/games/{uid}/bugs/{bug_uid}',
  access: 'account',
  params: BugParams,
  output: BugTicket,
  statuses: [200],
  errors: [4040],
});

export const updateBugTicket = defineOperation({
  id: 'bugs.update',
  summary: 'Set the status of a bug ticket: open, fixed or closed',
  method: 'PATCH',
  path: '/games/{uid}/bugs/{bug_uid}',
  access: 'account',
  params: BugParams,
  body: Type.Object({ status: Type.Enum([...BUG_STATUSES]) }),
  output: BugTicket,
  statuses: [200],
  errors: [4040],
  mcp: {
    tool: 'update_bug_ticket',
    when: 'Use it when the user asks to close or reopen a ticket, or to mark it as fixed.',
    scope: 'mcp:write',
  },
});
