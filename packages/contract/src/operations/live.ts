// The stream from which open pages of a game learn what has changed.
import Type, { type Static } from 'typebox';
import { defineOperation } from '../operation.ts';
import { GameParams } from './fields.ts';

/** What pages follow. `builds` includes channels, deploy keys and uploads, and `crashes` includes symbols. */
export const CHANGE_TOPICS = ['builds', 'crashes', 'bugs', 'approvals'] as const;
export type ChangeTopic = (typeof CHANGE_TOPICS)[number];

/** The data of an event named `change`. Before them, there is one named `ready`. */
export const ChangeEvent = Type.Object({ topics: Type.Array(Type.Enum([...CHANGE_TOPICS])) });
export type ChangeEvent = Static<typeof ChangeEvent>;

export const watchGame = defineOperation({
  id: 'games.watch',
  summary: 'Follow changes of a game as server-sent events',
  method: 'GET',
  path: '/games/{uid}/changes',
  access: 'account',
  tokenScope: 'none',
  role: 'viewer',
  params: GameParams,
  query: Type.Object({
    seconds: Type.Integer({
      minimum: 1,
      maximum: 3600,
      description: 'When the stream ends; an EventSource then connects again',
    }),
  }),
  answerTypes: ['text/event-stream'],
  secret: true,
  statuses: [200],
  errors: ['notFound', 'limitReached'],
});
