// Usage: how much of its limits a game has used.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { GameParams, Timestamp } from './fields.ts';

/** From this share of a limit on, the website shows a notice and the owner gets an email. */
export const USAGE_NOTICE = 0.8;

const Used = (unit: string) =>
  Type.Object({
    used: Type.Integer({ description: unit }),
    limit: Type.Integer({ description: `${unit}; 0: no limit` }),
  });

export const Usage = Type.Object({
  storage: Type.Object({
    used_bytes: Type.Integer({ description: 'Sum of the five values below' }),
    limit_bytes: Type.Integer({ description: '0: no limit' }),
    builds_bytes: Type.Integer({ description: 'Files of builds, except rejected ones' }),
    sessions_bytes: Type.Integer({ description: 'Reserved by open upload sessions, at their full size' }),
    symbols_bytes: Type.Integer({ description: 'Symbol files as stored: compressed and compiled' }),
    event_files_bytes: Type.Integer({ description: 'Files of raw events' }),
    videos_bytes: Type.Integer({ description: 'Videos, except rejected ones' }),
  }),
  crashes_today: Type.Object(
    {
      reports: Used('reports'),
      files: Used('dumps and logs'),
      bytes: Used('bytes as stored'),
      resets_at: Timestamp,
    },
    { description: 'In the current UTC day' },
  ),
});

export const getUsage = defineOperation({
  id: 'usage.get',
  summary: "Get a game's usage of its storage limit and its daily limits for crash reports",
  method: 'GET',
  path: '/games/{uid}/usage',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Usage,
  statuses: [200],
  errors: ['notFound'],
});
