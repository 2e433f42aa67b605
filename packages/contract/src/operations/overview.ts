// Overview: the activity of a game by day, visits of it, and launch health, new crash groups and open bugs of all games of
// a developer.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { GameParams, Nullable, Timestamp, Uuid } from './fields.ts';
import { BandName } from './health.ts';

export const visitGame = defineOperation({
  id: 'overview.visit',
  summary: 'Record your visit to a game; the website does this when you open one of its pages',
  method: 'POST',
  path: '/games/{uid}/visits',
  access: 'account',
  tokenScope: 'none',
  role: 'viewer',
  audit: false,
  params: GameParams,
  output: Type.Object({
    last_visit: Nullable({ ...Timestamp, description: 'When the previous visit ended; null if this is the first' }),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const getGameActivity = defineOperation({
  id: 'overview.activity',
  summary: "Count a game's downloads, devices and crashed devices on each of the last 30 days",
  method: 'GET',
  path: '/games/{uid}/activity',
  access: 'account',
  role: 'viewer',
  params: GameParams,
  output: Type.Object({
    crashes_since: Type.String({ description: 'The first day (UTC) on which crashed devices are counted' }),
    days: Type.Array(
      Type.Object({
        day: Type.String(),
        downloads: Type.Integer({ description: 'Downloads of all builds' }),
        devices: Type.Integer({
          description: 'Devices that sent events on this day. A device that plays two builds counts twice',
        }),
        crashed_devices: Type.Integer({ description: 'Devices that crashed on this day' }),
      }),
      { description: 'Days with downloads or devices among the last 30 (UTC), oldest first' },
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
});

export const summarizeGames = defineOperation({
  id: 'overview.games',
  summary:
    'Summarize each game you own or administer: its launch health on the store page, new crash groups and open bugs',
  method: 'GET',
  path: '/overview/games',
  access: 'account',
  output: Type.Object({
    games: Type.Array(
      Type.Object({
        game_uid: Uuid,
        band: BandName,
        new_groups: Type.Integer({
          description: 'Open crash groups first seen after the newest build was registered',
        }),
        open_bugs: Type.Integer({ description: `Open bug tickets, counted up to ${LIMITS.bugsCounted}` }),
      }),
      { description: 'In no particular order' },
    ),
  }),
  statuses: [200],
  errors: [],
});
