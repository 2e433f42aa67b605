// Overview: launch health, new crash groups and open bugs of all games of a developer.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Uuid } from './fields.ts';
import { BandName } from './health.ts';

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
