// Overview: what came of a developer’s games, for the table of all of them.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Uuid } from './fields.ts';
import { BandName } from './health.ts';

export const summarizeGames = defineOperation({
  id: 'overview.games',
  summary:
    'What came of each game that you own or administer: the launch health that players see, new crash groups, and open bugs',
  method: 'GET',
  path: '/overview/games',
  access: 'account',
  output: Type.Object({
    games: Type.Array(
      Type.Object({
        game_uid: Uuid,
        band: BandName,
        new_groups: Type.Integer({
          description: 'Open crash groups that were first seen after the newest build was registered',
        }),
        open_bugs: Type.Integer({ description: `Open bug tickets, counted up to ${LIMITS.bugsCounted}` }),
      }),
      { description: 'In no order' },
    ),
  }),
  statuses: [200],
  errors: [],
});
