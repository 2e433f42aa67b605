// Games: their owner and admins, and the settings a developer can change.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, GameRef, NextCursor, Nullable, RoleName, Slug, Timestamp, Uuid, WholeQuery } from './fields.ts';

export const Visibility = Type.Enum(['public', 'invisible', 'draft'], {
  description: 'public: listed; invisible: only with the link; draft: only for people with a role on it',
});

export const GameRecord = Type.Object({
  game_uid: Uuid,
  slug: Type.String(),
  name: Type.String(),
  visibility: Visibility,
  role: RoleName,
  created_at: Timestamp,
  published_at: Nullable(Type.String({ description: 'When the game first became public, in ISO 8601; null if never' })),
});

/** The texts of a game. None is HTML: a page shows `<b>` as these three characters. */
export const GameTexts = Type.Object({
  tagline: Type.String({
    maxLength: LIMITS.taglineLength,
    // No control characters or line breaks. The ranges are written out because some readers of OpenAPI do not know
    // \\p{Cc}.
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
    description: 'one line of plain text',
  }),
  description: Type.String({
    maxLength: LIMITS.descriptionLength,
    description: 'Markdown without HTML, tables or images; line breaks are kept',
  }),
  tags: Type.Array(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
      description: 'lowercase letters, digits and -, up to 32, starting with a letter or digit',
    }),
    { maxItems: LIMITS.gameTags },
  ),
});

const Member = Type.Object({
  user_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: RoleName,
  game_role: Nullable(RoleName),
  organisation_role: Nullable(RoleName),
});

/** The organisation that owns a game. */
export const OrganisationName = Type.Object({
  organisation_uid: Uuid,
  slug: Nullable(Type.String()),
  name: Type.String(),
});

const Name = Type.String({ minLength: 1, maxLength: LIMITS.titleLength });

export const createGame = defineOperation({
  id: 'games.create',
  summary: 'Create a game that you own',
  method: 'POST',
  path: '/games',
  access: 'account',
  body: Type.Object({
    name: Name,
    slug: Type.Optional(Slug),
    visibility: Type.Optional(Visibility),
    organisation: Type.Optional({
      ...GameRef,
      description:
        'The uid or slug of the organisation that gets the game, in which you are an admin; by default your own',
    }),
  }),
  output: GameRecord,
  statuses: [201],
  errors: [4040],
});

export const listGames = defineOperation({
  id: 'games.list',
  summary: 'List the games you own or administer',
  method: 'GET',
  path: '/games',
  access: 'account',
  query: Type.Object(WholeQuery),
  output: Type.Object({
    next_cursor: Type.Optional(NextCursor),
    games: Type.Array(
      Type.Object({
        ...GameRecord.properties,
        organisation: OrganisationName,
        newest_build: Nullable(Type.Object({ build_id: Uuid, version: Type.String(), created_at: Timestamp })),
        channels: Type.Array(Type.Object({ channel: Type.String(), versions: Type.Array(Type.String()) }), {
          description: 'The versions each channel offers now, on all platforms',
        }),
      }),
    ),
  }),
  statuses: [200],
  errors: [],
  mcp: { tool: 'list_games', when: 'Use it first, to find the uid or slug that other tools need.', scope: 'mcp:read' },
});

export const getGame = defineOperation({
  id: 'games.get',
  summary: 'Get a game you own or administer, with its members',
  method: 'GET',
  path: '/games/{uid}',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({
    ...GameRecord.properties,
    ...GameTexts.properties,
    organisation: OrganisationName,
    members: Type.Array(Member),
  }),
  statuses: [200],
  errors: [4040],
});

export const updateGame = defineOperation({
  id: 'games.update',
  summary: "Change a game's name, slug, visibility or texts",
  method: 'PATCH',
  path: '/games/{uid}',
  access: 'account',
  role: 'developer',
  params: GameParams,
  body: Type.Object({
    name: Type.Optional(Name),
    slug: Type.Optional(Slug),
    visibility: Type.Optional(Visibility),
    tagline: Type.Optional(GameTexts.properties.tagline),
    description: Type.Optional(GameTexts.properties.description),
    tags: Type.Optional(GameTexts.properties.tags),
  }),
  output: Type.Object({ ...GameRecord.properties, ...GameTexts.properties }),
  statuses: [200],
  errors: [4040],
});

export const removeAdmin = defineOperation({
  id: 'games.removeAdmin',
  summary: 'Remove an admin from your game',
  method: 'DELETE',
  path: '/games/{uid}/admins/{user_id}',
  access: 'account',
  role: 'owner',
  params: Type.Object({ uid: GameRef, user_id: Type.String({ maxLength: 64 }) }),
  output: Type.Object({ members: Type.Array(Member) }),
  statuses: [200],
  errors: [4031, 4040],
});

export const leaveGame = defineOperation({
  id: 'games.leave',
  summary: 'Leave a game as an admin',
  method: 'POST',
  path: '/games/{uid}/leave',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({ game_uid: Uuid }),
  statuses: [200],
  errors: [4040, 4234],
});
