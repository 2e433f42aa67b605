// The source code of a game: where it can be read, and the commits between two builds.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { BuildParams, Foreign, GameParams, Line, Nullable, Timestamp, Uuid } from './fields.ts';

const SourceSettings = Type.Object({
  url_template: Nullable(
    Type.String({
      maxLength: LIMITS.issueUrlLength,
      description: 'The address of a file, with {path}, {commit} and {line}; null if there are no links',
    }),
  ),
  path_prefixes: Type.Array(Line('folder', { minLength: 1, maxLength: LIMITS.groupingPatternLength }), {
    maxItems: LIMITS.pathPrefixes,
    description: 'Folders on the machines that compile the game, which are removed from the paths of files',
  }),
});

export const getSourceSettings = defineOperation({
  id: 'source.settings',
  summary: 'Get where the source code of a game can be read',
  method: 'GET',
  path: '/games/{uid}/source',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: SourceSettings,
  statuses: [200],
  errors: ['notFound'],
});

export const setSourceSettings = defineOperation({
  id: 'source.setSettings',
  summary: 'Set where the source code of a game can be read, so that stacks link to it',
  method: 'PUT',
  path: '/games/{uid}/source',
  access: 'account',
  role: 'admin',
  params: GameParams,
  body: SourceSettings,
  output: SourceSettings,
  statuses: [200],
  errors: ['notFound'],
});

const Commit = Type.Object({
  id: Type.String(),
  title: Foreign(Type.String({ description: 'The first line of its message' })),
  author: Foreign(Type.String()),
  committed_at: Nullable(Timestamp),
  url: Nullable(Foreign(Type.String())),
});

export const listCommits = defineOperation({
  id: 'source.commits',
  summary: 'List the commits between two builds, newest first, from GitHub or GitLab',
  method: 'GET',
  path: '/games/{uid}/builds/{build_id}/commits',
  access: 'account',
  role: 'viewer',
  params: BuildParams,
  query: Type.Object({ since: { ...Uuid, description: 'The earlier build' } }),
  output: Type.Object({
    commits: Type.Array(Commit),
    more: Type.Integer({ description: 'How many older commits are not listed' }),
    url: Nullable(Foreign(Type.String({ description: 'The page of the comparison' }))),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound', 'issueTrackerFailed', 'limitReached'],
  mcp: {
    tool: 'list_commits',
    when: 'Use it to find the change that caused a crash that is new in a build.',
    scope: 'mcp:read',
  },
});
