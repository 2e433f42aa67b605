// Binds the operations of the overview to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/overview';
import { handle, type Route } from '../../request/route.ts';
import { getGameActivity, summarizeGames } from './overview.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.summarizeGames, summarizeGames),
  handle(contract.getGameActivity, getGameActivity),
];
