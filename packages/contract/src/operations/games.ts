// Games: their owner and admins, and the settings a developer can change.
import Type from 'typebox';
import { OSES, OsName } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import {
  GameParams,
  GameRef,
  Line,
  NextCursor,
  Nullable,
  RoleName,
  Slug,
  Text,
  Timestamp,
  Uuid,
  WebAddress,
  WholeQuery,
} from './fields.ts';

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
  tagline: Line('plain text', { maxLength: LIMITS.taglineLength }),
  description: Text('Markdown without HTML, tables or images; line breaks are kept', {
    maxLength: LIMITS.descriptionLength,
  }),
  tags: Type.Array(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
      description: 'lowercase letters, digits and -, up to 32, starting with a letter or digit',
    }),
    { maxItems: LIMITS.gameTags },
  ),
});

/** What a game's links lead to. */
export const LINK_KINDS = [
  'website',
  'source',
  'community',
  'support',
  'wiki',
  'news',
  'soundtrack',
  'privacy',
] as const;
export type GameLinkKind = (typeof LINK_KINDS)[number];

/** Facts about a game. A page leaves out what isn't given. */
export const GameFacts = Type.Object({
  links: Type.Array(
    Type.Object({
      kind: Type.Enum([...LINK_KINDS], { description: 'what it leads to' }),
      url: WebAddress('page that it leads to', LIMITS.gameLinkLength),
    }),
    { maxItems: LIMITS.gameLinks, description: 'one for each kind' },
  ),
  videos: Type.Array(WebAddress('page of a video', LIMITS.gameLinkLength), {
    maxItems: LIMITS.gameVideos,
    description: 'addresses of videos on YouTube and Vimeo',
  }),
  languages: Type.Array(
    Type.String({
      pattern: '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$',
      description: 'a language tag such as en, pt-BR or zh-Hans',
    }),
    { maxItems: LIMITS.gameLanguages },
  ),
  requirements: Type.Array(
    Type.Object({
      os: OsName,
      minimum: Text('plain text', { maxLength: LIMITS.requirementsLength }),
      recommended: Text('plain text', { maxLength: LIMITS.requirementsLength }),
    }),
    { maxItems: OSES.length, description: 'one for each operating system' },
  ),
  content_notes: Type.Array(
    Line('what some players want to know before they play, such as Flashing lights', {
      minLength: 1,
      maxLength: LIMITS.contentNoteLength,
    }),
    { maxItems: LIMITS.contentNotes },
  ),
  install_notes: Type.Array(
    Type.Object({ os: OsName, text: Text('plain text; empty for none', { maxLength: LIMITS.installNotesLength }) }),
    {
      maxItems: OSES.length,
      description: 'How to install and start the game, one for each operating system. The others have default notes',
    },
  ),
});

/** Why an operator hid the page of a game. */
export const HiddenPage = Type.Object({ reason: Type.String(), hidden_at: Timestamp });

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

const Name = Line('plain text', { minLength: 1, maxLength: LIMITS.titleLength });

const Picture = Nullable(
  Type.String({ description: 'URL of a small copy of the thumbnail, or of the cover; null if the game has neither' }),
);

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
  errors: ['notFound'],
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
        picture: Picture,
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

export const SLUG_STATES = ['free', 'taken', 'reserved'] as const;

export const checkSlug = defineOperation({
  id: 'games.checkSlug',
  summary: 'Check whether a game can have a slug',
  method: 'GET',
  path: '/game-slugs/{slug}',
  access: 'account',
  params: Type.Object({ slug: Slug }),
  query: Type.Object({
    game: Type.Optional({ ...GameRef, description: 'The uid or slug of the game to rename; without it, a new one' }),
  }),
  output: Type.Object({
    slug: Type.String(),
    state: Type.Enum([...SLUG_STATES], {
      description: 'reserved: it led to a game of another owner, who deleted or renamed it less than 90 days ago',
    }),
  }),
  statuses: [200],
  errors: ['notFound'],
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
    ...GameFacts.properties,
    picture: Picture,
    organisation: OrganisationName,
    members: Type.Array(Member),
    hidden: Nullable({
      ...HiddenPage,
      description: 'Set while an operator has hidden the page; the game is a draft until then',
    }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

const ChangedGame = Type.Object({
  ...GameRecord.properties,
  ...GameTexts.properties,
  ...GameFacts.properties,
});

export const updateGame = defineOperation({
  id: 'games.update',
  summary: "Change a game's name, slug, visibility, texts or facts",
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
    links: Type.Optional(GameFacts.properties.links),
    videos: Type.Optional(GameFacts.properties.videos),
    languages: Type.Optional(GameFacts.properties.languages),
    requirements: Type.Optional(GameFacts.properties.requirements),
    content_notes: Type.Optional(GameFacts.properties.content_notes),
    install_notes: Type.Optional(GameFacts.properties.install_notes),
  }),
  output: ChangedGame,
  statuses: [200],
  errors: ['notFound', 'pageHidden'],
});

const Listing = {
  name: Name,
  ...GameTexts.properties,
  ...GameFacts.properties,
  videos: Type.Optional({
    ...GameFacts.properties.videos,
    description: 'addresses of videos on YouTube and Vimeo; without them, publishing keeps those of the game',
  }),
  install_notes: Type.Optional({
    ...GameFacts.properties.install_notes,
    description: 'How to install and start the game; without them, publishing keeps those of the game',
  }),
};

const DraftAnswer = Type.Object({
  draft: Nullable(
    Type.Object({ ...Listing, saved_by: Type.String({ description: 'The name of a member' }), saved_at: Timestamp }),
  ),
});

export const getDraft = defineOperation({
  id: 'games.draft',
  summary: 'Get the draft of the listing, which only members see; null if there is none',
  method: 'GET',
  path: '/games/{uid}/draft',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: DraftAnswer,
  statuses: [200],
  errors: ['notFound'],
});

export const saveDraft = defineOperation({
  id: 'games.saveDraft',
  summary: "Save a draft of the listing, without changing the game's page",
  method: 'PUT',
  path: '/games/{uid}/draft',
  access: 'account',
  role: 'developer',
  params: GameParams,
  body: Type.Object(Listing),
  output: DraftAnswer,
  statuses: [200],
  errors: ['notFound'],
});

export const discardDraft = defineOperation({
  id: 'games.discardDraft',
  summary: 'Discard the draft of the listing',
  method: 'DELETE',
  path: '/games/{uid}/draft',
  access: 'account',
  role: 'developer',
  params: GameParams,
  query: Type.Object({
    saved_at: Type.Optional({ ...Timestamp, description: 'Keeps the draft if it was saved at another time' }),
  }),
  output: DraftAnswer,
  statuses: [200],
  errors: ['notFound'],
});

export const publishDraft = defineOperation({
  id: 'games.publishDraft',
  summary: "Publish the draft of the listing: it replaces the texts and facts on the game's page",
  method: 'POST',
  path: '/games/{uid}/draft/publish',
  access: 'account',
  role: 'developer',
  params: GameParams,
  output: ChangedGame,
  statuses: [200],
  errors: ['notFound'],
});

const MemberParams = Type.Object({ uid: GameRef, user_id: Type.String({ maxLength: 64 }) });

export const setGameRole = defineOperation({
  id: 'games.setRole',
  summary: 'Change the role of a member on this game alone',
  method: 'PATCH',
  path: '/games/{uid}/admins/{user_id}',
  access: 'account',
  tokenScope: 'team:write',
  role: 'owner',
  params: MemberParams,
  body: Type.Object({
    role: Type.Enum(['viewer', 'triager', 'developer', 'admin'], {
      description: 'Higher than the role in the organisation, if the member has one there',
    }),
  }),
  output: Type.Object({ members: Type.Array(Member) }),
  statuses: [200],
  errors: ['notAllowed', 'notFound'],
});

export const removeAdmin = defineOperation({
  id: 'games.removeAdmin',
  summary: 'Remove the role of a member on this game alone',
  method: 'DELETE',
  path: '/games/{uid}/admins/{user_id}',
  access: 'account',
  tokenScope: 'team:write',
  role: 'owner',
  params: MemberParams,
  output: Type.Object({ members: Type.Array(Member) }),
  statuses: [200],
  errors: ['notAllowed', 'notFound'],
});

export const leaveGame = defineOperation({
  id: 'games.leave',
  summary: 'Leave a game as an admin',
  method: 'POST',
  path: '/games/{uid}/leave',
  access: 'account',
  tokenScope: 'none',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({ game_uid: Uuid }),
  statuses: [200],
  errors: ['notFound', 'lastOwner'],
});
