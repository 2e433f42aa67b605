// The query of a game as players see it, in its own module so that the router can start it while a page's code is still
// loading. The store itself is written by the server (packages/server/src/site/pages).
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { ask } from '../../api.ts';

export const gameQuery = (uid: string, channel?: string) =>
  ask(getPublicGame, { uid, ...(channel !== undefined && { channel }) });
