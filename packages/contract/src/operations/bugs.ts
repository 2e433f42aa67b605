// Bug tickets: filed by players, with or without an account; triaged and answered by developers.
import Type from 'typebox';
import { ArchInput, OsInput } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { LINE_HIDDEN } from '../text.ts';
import { Member, UserId } from './crash-groups.ts';
import { CrashUpload } from './crash-reports.ts';
import {
  CursorQuery,
  Email,
  Foreign,
  GameParams,
  GameRef,
  Line,
  LinkToken,
  NextCursor,
  Nullable,
  Text,
  Timestamp,
  Uuid,
  WebAddress,
} from './fields.ts';

export const BUG_STATUSES = ['open', 'fixed', 'closed'] as const;

const Label = Type.String({
  minLength: 1,
  maxLength: LIMITS.bugLabelLength,
  pattern: String.raw`^[^\s,"${LINE_HIDDEN}](?:[^,"${LINE_HIDDEN}]*[^\s,"${LINE_HIDDEN}])?$`,
  description: 'one or a few words, without commas and quotes',
});

export const BugTicket = Type.Object({
  bug_uid: Uuid,
  number: Type.Integer({ description: 'Short, and unique in its game: #12' }),
  title: Foreign(Type.String({ description: 'The title, or the first line of the message' })),
  status: Type.Enum([...BUG_STATUSES]),
  message: Foreign(Type.String({ description: "The player's message" })),
  steps: Foreign(Type.String({ description: 'What the player was doing when it happened; may be empty' })),
  fixed_in_version: Nullable(Type.String({ description: 'The version with the fix, of a fixed ticket' })),
  assignee: Nullable(Member),
  issue_url: Nullable(Type.String({ description: 'The issue about it in the tracker of the developers' })),
  build_id: Nullable(Uuid),
  version: Nullable(Type.String()),
  os: Nullable(Type.String()),
  arch: Nullable(Type.String()),
  crash_id: Nullable(Uuid),
  labels: Type.Array(Type.String()),
  group: Nullable(
    Type.Object(
      { group_id: Uuid, title: Foreign(Type.String()) },
      { description: 'The crash group that it is about: linked by a developer, or that of its crash report' },
    ),
  ),
  duplicate_of: Nullable(Type.Object({ bug_uid: Uuid, number: Type.Integer() })),
  duplicates: Type.Array(Type.Object({ bug_uid: Uuid, number: Type.Integer() }), {
    description: 'The tickets that are duplicates of this one',
  }),
  can_reply: Type.Boolean({ description: 'Whether the player has an address for replies' }),
  gets_mail: Type.Boolean({
    description:
      'Whether replies are emailed to the player, who has confirmed the address; otherwise they are only on its page',
  }),
  filed_by: Foreign(Type.String({ description: "The player's name; empty without an account and a name" })),
  filed_at: Timestamp,
  updated_at: Timestamp,
});

const BugFields = {
  title: Type.Optional(Line('what is wrong', { minLength: 1, maxLength: LIMITS.bugTitleLength })),
  message: Text('what is wrong', { minLength: 1, maxLength: LIMITS.bugMessageLength }),
  steps: Type.Optional(Text('what the player was doing when it happened', { maxLength: LIMITS.bugStepsLength })),
  build_id: Type.Optional(Uuid),
  os: Type.Optional(OsInput),
  arch: Type.Optional(ArchInput),
  has_dump: Type.Optional(Type.Boolean()),
  has_log: Type.Optional(Type.Boolean()),
  screenshots: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.bugScreenshots,
      description: 'The number of screenshots that will be uploaded: PNG, JPEG, GIF or WebP',
    }),
  ),
};

const FiledBug = Type.Object({
  bug_uid: Uuid,
  number: Type.Integer(),
  crash_id: Nullable(Uuid),
  uploads: Type.Object({
    dump: Type.Optional(CrashUpload),
    log: Type.Optional(CrashUpload),
    screenshots: Type.Optional(Type.Array(CrashUpload, { description: 'An address for each announced screenshot' })),
  }),
  page_url: Type.String({ description: 'The page with the ticket and the replies to it, for anyone with its address' }),
});

export const fileBugAsGuest = defineOperation({
  id: 'bugs.fileAsGuest',
  summary: 'File a bug ticket without an account, optionally with an email address for replies',
  method: 'POST',
  path: '/public/games/{uid}/bugs',
  access: 'public',
  audit: false,
  crossOrigin: true,
  params: GameParams,
  body: Type.Object({
    ...BugFields,
    name: Type.Optional(Line('name of the player', { minLength: 1, maxLength: LIMITS.displayNameLength })),
    email: Type.Optional({
      ...Email,
      description: 'For replies. It gets one email with a link to confirm it, and replies only once it is confirmed',
    }),
  }),
  output: FiledBug,
  secret: true,
  statuses: [201],
  errors: ['unknownBuild', 'notAllowed', 'notFound', 'limitReached'],
});

export const fileBug = defineOperation({
  id: 'bugs.file',
  summary: 'File a bug ticket; a dump and a log can then be uploaded to the URLs in the response',
  method: 'POST',
  path: '/games/{uid}/bugs',
  access: 'account',
  tokenScope: 'none',
  audit: false,
  params: GameParams,
  body: Type.Object(BugFields),
  output: FiledBug,
  secret: true,
  statuses: [201],
  errors: ['unknownBuild', 'notFound', 'limitReached'],
});

export const uploadBugScreenshot = defineOperation({
  id: 'bugs.uploadScreenshot',
  summary: 'Upload a screenshot of a bug ticket to its single-use URL',
  method: 'PUT',
  path: '/public/bugs/screenshots/{token}',
  host: 'upload',
  access: 'public',
  audit: false,
  crossOrigin: true,
  bodyKind: 'bytes',
  params: Type.Object({ token: Type.String({ maxLength: 512 }) }),
  output: Type.Object({ screenshot_uid: Uuid, size: Type.Integer({ description: 'In bytes, as it was sent' }) }),
  secret: true,
  statuses: [200],
  invalid: 'unreadableBody',
  errors: ['notFound', 'tooLarge', 'unreadableBody'],
});

export const listBugTickets = defineOperation({
  id: 'bugs.list',
  summary: "List a game's bug tickets, newest first",
  method: 'GET',
  path: '/games/{uid}/bugs',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    status: Type.Optional(Type.Enum([...BUG_STATUSES])),
    label: Type.Optional(Label),
    assignee: Type.Optional({ ...UserId, description: 'Only tickets that are assigned to this member' }),
    group_id: Type.Optional({ ...Uuid, description: 'Only tickets that are linked to this crash group' }),
    crash_id: Type.Optional({ ...Uuid, description: 'Only tickets about this crash report' }),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Words of the title or the message, by their beginning, or a number such as #12',
      }),
    ),
    ...CursorQuery,
  }),
  output: Type.Object({ bugs: Type.Array(BugTicket), next_cursor: NextCursor }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_bug_tickets',
    when: 'Use it to see what players report, or to find the ticket of a crash by its crash_id.',
    scope: 'mcp:read',
  },
});

const BugParams = Type.Object({ uid: GameRef, bug_uid: Uuid });

const BugReply = Type.Object({
  reply_uid: Uuid,
  name: Type.String({ description: 'The name of the developer, at that time' }),
  agent: Nullable(Type.String({ description: 'The program that acted for the developer' })),
  message: Type.String(),
  sent_at: Timestamp,
});

const BugDetail = Type.Object({
  ...BugTicket.properties,
  replies: Type.Array(BugReply, { description: 'Oldest first' }),
  screenshots: Type.Array(
    Type.Object({
      screenshot_uid: Uuid,
      image: Nullable(
        Type.Object(
          { width: Type.Integer(), height: Type.Integer() },
          { description: 'The encoded image; null if there is none, or not yet' },
        ),
      ),
      problem: Nullable(Type.String({ description: 'Why it cannot be shown' })),
    }),
    { description: 'In the order in which they arrived' },
  ),
});

export const getBugScreenshot = defineOperation({
  id: 'bugs.getScreenshot',
  summary: 'Get a screenshot of a bug ticket, encoded again as WebP',
  method: 'GET',
  path: '/games/{uid}/bugs/{bug_uid}/screenshots/{screenshot_uid}',
  access: 'account',
  role: 'viewer',
  params: Type.Object({ uid: GameRef, bug_uid: Uuid, screenshot_uid: Uuid }),
  answerTypes: ['image/webp'],
  statuses: [200, 206, 304],
  errors: ['notFound'],
});

export const getBugAttachment = defineOperation({
  id: 'bugs.getAttachment',
  summary: 'Download a file of a bug ticket, as it was sent',
  method: 'GET',
  path: '/games/{uid}/bugs/{bug_uid}/attachments/{attachment_uid}',
  access: 'account',
  role: 'viewer',
  params: Type.Object({ uid: GameRef, bug_uid: Uuid, attachment_uid: Uuid }),
  answerTypes: ['application/octet-stream'],
  statuses: [200, 206, 304],
  errors: ['notFound'],
});

const BugAttachment = Type.Object({
  attachment_uid: Uuid,
  name: Foreign(Type.String()),
  size: Type.Integer({ description: 'In bytes' }),
});

export const getBugTicket = defineOperation({
  id: 'bugs.get',
  summary: 'Get a bug ticket with its files and the replies to it',
  method: 'GET',
  path: '/games/{uid}/bugs/{bug_uid}',
  access: 'account',
  role: 'viewer',
  params: BugParams,
  output: Type.Object({
    ...BugDetail.properties,
    attachments: Type.Array(BugAttachment, { description: 'Files other than screenshots, by name' }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const updateBugTicket = defineOperation({
  id: 'bugs.update',
  summary:
    'Change a bug ticket: its status, assignee, title, labels, crash group, issue, or the ticket that it duplicates',
  method: 'PATCH',
  path: '/games/{uid}/bugs/{bug_uid}',
  access: 'account',
  role: 'triager',
  params: BugParams,
  body: Type.Object({
    status: Type.Optional(Type.Enum([...BUG_STATUSES])),
    fixed_in_version: Type.Optional(
      Line('With status fixed: the version with the fix, which the player sees', {
        minLength: 1,
        maxLength: LIMITS.versionLength,
      }),
    ),
    notify_player: Type.Optional(
      Type.Boolean({
        description:
          'With status fixed: emails it to the player and to those who filed duplicates, if they get replies by email. Only a person can do this',
      }),
    ),
    assignee: Type.Optional(Nullable(UserId)),
    issue_url: Type.Optional(
      Nullable(WebAddress('The issue about it in your tracker; null removes the link', LIMITS.issueUrlLength)),
    ),
    title: Type.Optional(
      Nullable(Line('null for the first line of the message', { minLength: 1, maxLength: LIMITS.bugTitleLength })),
    ),
    labels: Type.Optional(Type.Array(Label, { maxItems: LIMITS.bugLabels })),
    group_id: Type.Optional(
      Nullable(Type.String({ ...Uuid, description: 'The crash group that it is about; null removes the link' })),
    ),
    duplicate_of: Type.Optional(
      Nullable(
        Type.String({
          ...Uuid,
          description: 'The ticket about the same bug, which keeps its status; null: not a duplicate',
        }),
      ),
    ),
  }),
  output: BugDetail,
  statuses: [200],
  errors: ['notFound', 'notAllowed', 'limitReached'],
  mcp: {
    tool: 'update_bug_ticket',
    when: 'Use it when the user asks to close or reopen a ticket, to mark it as fixed or as a duplicate, to assign or label it, or to link it to a crash group or an issue.',
    scope: 'mcp:write',
  },
});

export const draftTicketIssue = defineOperation({
  id: 'bugs.draftIssue',
  summary: 'Get the title and text of an issue about a bug ticket, and the address that opens it in the tracker',
  method: 'GET',
  path: '/games/{uid}/bugs/{bug_uid}/issue',
  access: 'account',
  role: 'triager',
  params: BugParams,
  output: Type.Object({
    title: Foreign(Type.String()),
    body: Foreign(Type.String({ description: "Markdown, with the player's words as code blocks" })),
    url: Nullable(Type.String({ description: 'Opens a new issue in the tracker; null without one' })),
    can_create: Type.Boolean({ description: 'Whether bugs.createIssue can create it' }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const createTicketIssue = defineOperation({
  id: 'bugs.createIssue',
  summary: 'Create an issue about a bug ticket in GitHub or GitLab, and link it to the ticket',
  method: 'POST',
  path: '/games/{uid}/bugs/{bug_uid}/issue',
  access: 'account',
  role: 'triager',
  params: BugParams,
  body: Type.Object({
    title: Type.Optional(Line('title', { minLength: 1, maxLength: LIMITS.titleLength })),
    body: Type.Optional(Text('Markdown', { maxLength: LIMITS.issueBodyLength })),
  }),
  output: BugDetail,
  statuses: [201],
  errors: ['notFound', 'issueTrackerFailed', 'limitReached'],
  mcp: {
    tool: 'create_bug_ticket_issue',
    when: 'Use it when the user asks for an issue in GitHub or GitLab about a bug ticket.',
    scope: 'mcp:write',
  },
});

export const replyToBug = defineOperation({
  id: 'bugs.reply',
  summary: 'Reply by email to the player who filed a bug ticket, and optionally to those who filed duplicates of it',
  method: 'POST',
  path: '/games/{uid}/bugs/{bug_uid}/replies',
  access: 'account',
  role: 'triager',
  params: BugParams,
  body: Type.Object({
    message: Text('reply', { minLength: 1, maxLength: LIMITS.bugMessageLength }),
    to_duplicates: Type.Optional(Type.Boolean()),
  }),
  output: Type.Object({
    reply: BugReply,
    mails: Type.Integer({ description: 'Number of players who get it by email' }),
    unconfirmed: Type.Integer({
      description:
        'Number of players who have not confirmed their address or have unsubscribed, and find it on the page of their ticket',
    }),
    limited: Type.Integer({
      description: 'Number of players who had too many emails, and find it on the page of their ticket',
    }),
  }),
  statuses: [201],
  errors: ['notFound', 'noReplyAddress', 'limitReached'],
});

export const confirmReplies = defineOperation({
  id: 'bugs.confirmReplies',
  summary:
    'Confirm the address on a bug ticket without an account, with the link in the email; replies are emailed from then on',
  method: 'POST',
  path: '/public/bugs/confirm',
  access: 'public',
  audit: false,
  body: Type.Object({ token: LinkToken }),
  output: Type.Object({ slug: Type.String(), name: Type.String() }),
  statuses: [200],
  errors: ['notFound'],
});

export const endReplies = defineOperation({
  id: 'bugs.endReplies',
  summary:
    'Stop emails with replies from the developers of a game, with the link in an email; email apps call it with one click',
  method: 'POST',
  path: '/public/bugs/stop',
  access: 'public',
  audit: false,
  query: Type.Object({ token: LinkToken }),
  bodyKind: 'bytes',
  output: Type.Object({}, { description: 'Empty, also if they were already stopped' }),
  statuses: [200],
  errors: ['notFound'],
});

const BugSettings = Type.Object({
  guests: Type.Boolean({ description: 'Whether players without an account can file tickets' }),
});

export const getBugSettings = defineOperation({
  id: 'bugs.settings',
  summary: 'Get who can file bug tickets',
  method: 'GET',
  path: '/games/{uid}/bug-settings',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: BugSettings,
  statuses: [200],
  errors: ['notFound'],
});

export const setBugSettings = defineOperation({
  id: 'bugs.setSettings',
  summary: 'Set who can file bug tickets',
  method: 'PUT',
  path: '/games/{uid}/bug-settings',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: BugSettings,
  output: BugSettings,
  statuses: [200],
  errors: ['notFound'],
});
