// Reports and events that were refused because their build id is unknown.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Foreign, GameParams, Nullable, Timestamp } from './fields.ts';

const REFUSAL_CAUSES = [
  'missing',
  'empty',
  'placeholder',
  'game_id',
  'version',
  'exists',
  'deleted',
  'other_game',
  'truncated',
  'unknown',
  'rest',
] as const;

const Reports = Type.Integer({ description: 'Refused crash reports' });
const Events = Type.Integer({ description: 'Refused events' });

export const listRefusals = defineOperation({
  id: 'refusals.list',
  summary:
    'List the build ids with which reports and events of a game were refused (4030), with what is wrong with each',
  method: 'GET',
  path: '/games/{uid}/refusals',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LIMITS.refusalDays,
        description: `The last days (UTC), with the current one; ${LIMITS.refusalDays} by default`,
      }),
    ),
  }),
  output: Type.Object({
    since: Type.String({ description: 'UTC day, such as 2026-11-30' }),
    reports: Reports,
    events: Events,
    refusals: Type.Array(
      Type.Object({
        build_id: Nullable(
          Foreign(
            Type.String({
              description:
                'What was sent, cut, with invisible characters in escaped form; empty if the id was missing; null for all ids past the limit of a day',
            }),
          ),
        ),
        cause: Type.Enum([...REFUSAL_CAUSES]),
        problem: Type.String({ description: 'What is wrong with the id, as the end of a sentence' }),
        advice: Type.String(),
        reports: Reports,
        events: Events,
        first_at: Timestamp,
        last_at: Timestamp,
      }),
      { maxItems: LIMITS.refusalsListed, description: 'Most recently sent first' },
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'list_refusals',
    when: 'Use it when crash reports or events of a game do not arrive: it shows the wrong build ids that its builds send.',
    scope: 'mcp:read',
  },
});
