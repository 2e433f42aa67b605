// Statistics of a game's page: views, downloads and plays by day, version, OS and referrer.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, Nullable, Uuid } from './fields.ts';

const Views = Type.Integer({ description: 'Views of the page by visitors, without members and known bots' });
const Downloads = Type.Integer();
const Plays = Type.Integer({ description: 'Starts of a web build in the browser' });

export const getStatistics = defineOperation({
  id: 'statistics.get',
  summary: 'Count views of the page, downloads and plays of a game by day, version, OS and referrer',
  method: 'GET',
  path: '/games/{uid}/statistics',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.statisticsDays,
        description: 'The last days (UTC), with the current one; 30 by default',
      }),
    ),
    build_id: Type.Optional({ ...Uuid, description: 'Only downloads and plays of this build; views are 0 then' }),
  }),
  output: Type.Object({
    first_day: Type.String({ description: 'UTC day, such as 2026-11-30' }),
    last_day: Type.String(),
    totals: Type.Object({ views: Views, downloads: Downloads, plays: Plays }),
    followers: Nullable(Type.Integer({ description: 'People who follow the game now; null for a build' })),
    days: Type.Array(Type.Object({ day: Type.String(), views: Views, downloads: Downloads, plays: Plays }), {
      description: 'Every day, oldest first',
    }),
    versions: Type.Array(Type.Object({ version: Type.String(), downloads: Downloads, plays: Plays }), {
      maxItems: LIMITS.statisticsRows,
      description: 'Those with the most downloads and plays first',
    }),
    systems: Type.Array(
      Type.Object({
        os: Nullable(Type.String({ description: 'null if unknown' })),
        views: Views,
        downloads: Downloads,
        plays: Plays,
      }),
      { description: 'Views by the OS of the visitor, downloads and plays by that of the build' },
    ),
    referrers: Type.Array(
      Type.Object({
        host: Nullable(
          Type.String({ description: 'Of the website with the link; null without one, other for many rare ones' }),
        ),
        views: Views,
        downloads: {
          ...Downloads,
          description: "Downloads that began with a link on that website, to the file or to the game's page",
        },
        plays: { ...Plays, description: "Plays that began with a link on that website to the game's page" },
      }),
      { maxItems: LIMITS.statisticsRows },
    ),
  }),
  statuses: [200],
  errors: ['unknownBuild', 'notFound'],
  mcp: {
    tool: 'get_store_statistics',
    when: "Use it to see how many people view a game's page, download it and play it in the browser, and where they come from.",
    scope: 'mcp:read',
  },
});
