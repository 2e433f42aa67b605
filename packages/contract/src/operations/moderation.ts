// Moderation: players report the page of a game, and operators dismiss the reports or hide the page.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { CursorQuery, Foreign, GameParams, NextCursor, Nullable, Text, Timestamp, Uuid } from './fields.ts';
import { HiddenPage, Visibility } from './games.ts';

/** Why a page is reported. */
export const REPORT_REASONS = ['malware', 'stolen', 'illegal', 'hateful', 'misleading', 'spam', 'other'] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

const Reason = Type.Enum([...REPORT_REASONS]);

export const reportPage = defineOperation({
  id: 'moderation.report',
  summary: 'Report the page of a game to the operators',
  method: 'POST',
  path: '/public/games/{uid}/page-reports',
  access: 'public',
  audit: false,
  params: GameParams,
  body: Type.Object({
    reason: Reason,
    message: Text('What is wrong, as plain text', {
      minLength: 1,
      maxLength: LIMITS.pageReportLength,
    }),
  }),
  output: Type.Object({}),
  statuses: [201],
  errors: ['notFound', 'limitReached'],
});

const PageReport = Type.Object({
  report_uid: Uuid,
  reason: Reason,
  message: Foreign(Type.String()),
  reported_by: Nullable(Type.String({ description: 'The name of the account; null without one' })),
  reported_at: Timestamp,
});

const ReportedGame = Type.Object({
  game_uid: Uuid,
  slug: Type.String(),
  name: Type.String(),
  developer: Type.String(),
  visibility: Visibility,
  hidden: Nullable(HiddenPage),
  open_reports: Type.Integer(),
  reports: Type.Array(PageReport, { description: `The newest open reports, at most ${LIMITS.pageReportsShown}` }),
});

export const listReportedGames = defineOperation({
  id: 'moderation.list',
  summary: 'List the games with open reports, the last reported first, or those whose page is hidden',
  method: 'GET',
  path: '/operator/reported-games',
  access: 'operator',
  query: Type.Object({ state: Type.Optional(Type.Enum(['reported', 'hidden'])), ...CursorQuery }),
  output: Type.Object({ games: Type.Array(ReportedGame), next_cursor: NextCursor }),
  statuses: [200],
  errors: [],
});

export const dismissReports = defineOperation({
  id: 'moderation.dismiss',
  summary: 'Close the open reports about the page of a game',
  method: 'POST',
  path: '/operator/reported-games/{uid}/dismiss',
  access: 'operator',
  params: GameParams,
  output: Type.Object({ dismissed: Type.Integer() }),
  statuses: [200],
  errors: ['notFound'],
});

export const hidePage = defineOperation({
  id: 'moderation.hide',
  summary: 'Hide the page of a game and its downloads from everyone but its members, and close the reports about it',
  method: 'POST',
  path: '/operator/reported-games/{uid}/hide',
  access: 'operator',
  params: GameParams,
  body: Type.Object({
    reason: Text('What the developers have to change; they see it, and get it by email', {
      minLength: 1,
      maxLength: LIMITS.pageReportLength,
    }),
  }),
  output: HiddenPage,
  statuses: [200],
  errors: ['notFound'],
});

export const restorePage = defineOperation({
  id: 'moderation.restore',
  summary: 'Show a hidden page again, as visible as it was',
  method: 'POST',
  path: '/operator/reported-games/{uid}/restore',
  access: 'operator',
  params: GameParams,
  output: Type.Object({ visibility: Visibility }),
  statuses: [200],
  errors: ['notFound'],
});
