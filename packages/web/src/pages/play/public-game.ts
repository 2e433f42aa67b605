// The query of a game as players see it. Pages for developers, which start with less code, don't load this.
import { getPublicGame } from '@chauffeur/contract/operations/store';
import { ask } from '../../api.ts';

export const publicGameQuery = (uid: string, channel?: string) =>
  ask(getPublicGame, { uid, ...(channel !== undefined && { channel }) });
