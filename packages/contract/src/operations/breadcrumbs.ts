// Breadcrumbs: the last events that a device sent in its session before a crash.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CrashParams, Foreign, Nullable, Timestamp } from './fields.ts';

const NO_EVENTS = ['no_session', 'expired', 'not_received'] as const;

const Breadcrumb = Type.Object({
  event: Foreign(Type.String()),
  received_at: Timestamp,
  timestamp: Nullable(Type.String({ description: "Time by the device's clock, ISO 8601" })),
  seconds_before: Type.Number({
    description:
      "Seconds before the report arrived: from `timestamp`, with the device's clock set to the server's, or from `received_at`",
  }),
  properties: Foreign(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  ),
});

export const getBreadcrumbs = defineOperation({
  id: 'crashes.breadcrumbs',
  summary: `List up to ${LIMITS.breadcrumbs} events that the device sent in the same session before a report, oldest first`,
  method: 'GET',
  path: '/games/{uid}/crashes/{crash_id}/breadcrumbs',
  access: 'account',
  role: 'triager',
  params: CrashParams,
  output: Type.Object({
    events: Type.Array(Breadcrumb),
    is_complete: Type.Boolean({
      description: 'false if reading took too long, so that earlier events may be missing',
    }),
    problem: Nullable(
      Type.Enum([...NO_EVENTS], {
        description:
          'Why there are no events: the report has no session_id; events of that day are no longer stored; no event of the session arrived before the report',
      }),
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
  mcp: {
    tool: 'get_crash_breadcrumbs',
    when: 'Use it to see what the player did before a crash, such as which level was loaded.',
    scope: 'mcp:read',
  },
});
