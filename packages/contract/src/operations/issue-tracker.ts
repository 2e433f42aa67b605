// The issue tracker of a game: where issues about its crashes are opened or created.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GroupParams } from './crash-groups.ts';
import { GameParams, Line, Nullable, Text, Uuid, WebAddress } from './fields.ts';

export const TRACKER_KINDS = ['github', 'gitlab', 'other'] as const;
export type TrackerKind = (typeof TRACKER_KINDS)[number];

const Kind = Type.Enum([...TRACKER_KINDS]);

const IssueTracker = Type.Object({
  kind: Kind,
  base_url: Nullable(Type.String({ description: 'The address of GitHub or GitLab; null for another tracker' })),
  project: Nullable(Type.String({ description: 'Such as owner/repository; null for another tracker' })),
  url_template: Type.String({ description: 'The page for a new issue, with {title} and {body}' }),
  has_token: Type.Boolean({ description: 'Whether issues can be created through the API of the tracker' }),
});

export const getIssueTracker = defineOperation({
  id: 'issueTracker.get',
  summary: 'Get the issue tracker of a game',
  method: 'GET',
  path: '/games/{uid}/issue-tracker',
  access: 'account',
  role: 'triager',
  params: GameParams,
  output: Type.Object({ tracker: Nullable(IssueTracker) }),
  statuses: [200],
  errors: ['notFound'],
});

export const setIssueTracker = defineOperation({
  id: 'issueTracker.set',
  summary: 'Set the issue tracker of a game: a project in GitHub or GitLab, or the address of another tracker',
  method: 'PUT',
  path: '/games/{uid}/issue-tracker',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: Type.Object({
    kind: Kind,
    base_url: Type.Optional(
      WebAddress('your own server; https://github.com or https://gitlab.com if omitted', LIMITS.issueUrlLength),
    ),
    project: Type.Optional(
      Type.String({
        pattern: String.raw`^(?!(?:.*/)?\.{1,2}(?:/|$))[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$`,
        maxLength: 255,
        description: 'With github and gitlab: owner/repository, or the path of the project',
      }),
    ),
    url_template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.issueUrlLength,
        description: 'With other: the page for a new issue; {title} and {body} are replaced',
      }),
    ),
    token: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 512,
          pattern: '^[\\x21-\\x7e]+$',
          description:
            'With github and gitlab: an access token that may create issues. It is stored encrypted, and not shown again. null removes it; if omitted, it stays.',
        }),
      ),
    ),
  }),
  output: Type.Object({ tracker: Nullable(IssueTracker) }),
  statuses: [200],
  errors: ['notFound'],
});

export const removeIssueTracker = defineOperation({
  id: 'issueTracker.remove',
  summary: 'Remove the issue tracker of a game, with its token; links of groups to issues stay',
  method: 'DELETE',
  path: '/games/{uid}/issue-tracker',
  access: 'account',
  role: 'admin',
  params: GameParams,
  output: Type.Object({ removed: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});

export const draftCrashGroupIssue = defineOperation({
  id: 'crashes.draftIssue',
  summary: 'Get the title and text of an issue about a crash group, and the address that opens it in the tracker',
  method: 'GET',
  path: '/games/{uid}/crash-groups/{group_id}/issue',
  access: 'account',
  role: 'triager',
  params: GroupParams,
  output: Type.Object({
    title: Type.String(),
    body: Type.String({ description: 'Markdown' }),
    url: Nullable(Type.String({ description: 'Opens a new issue in the tracker; null without one' })),
    can_create: Type.Boolean({ description: 'Whether crashes.createIssue can create it' }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const createCrashGroupIssue = defineOperation({
  id: 'crashes.createIssue',
  summary: 'Create an issue about a crash group in GitHub or GitLab, and link it to the group',
  method: 'POST',
  path: '/games/{uid}/crash-groups/{group_id}/issue',
  access: 'account',
  role: 'triager',
  params: GroupParams,
  body: Type.Object({
    title: Type.Optional(Line('title', { minLength: 1, maxLength: LIMITS.titleLength })),
    body: Type.Optional(Text('Markdown', { maxLength: LIMITS.issueBodyLength })),
  }),
  output: Type.Object({ issue_url: Type.String(), change_uid: Uuid }),
  statuses: [201],
  errors: ['notFound', 'issueTrackerFailed', 'limitReached'],
  mcp: {
    tool: 'create_crash_group_issue',
    when: 'Use it when the user asks for an issue in GitHub or GitLab about a crash group.',
    scope: 'mcp:write',
  },
});
