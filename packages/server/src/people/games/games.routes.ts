// Binds the operations of games to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/games';
import { handle, type Route } from '../../request/route.ts';
import { discardDraft, getDraft, publishDraft, saveDraft } from './drafts.ts';
import { checkSlug, createGame, getGame, leaveGame, listGames, removeAdmin, setGameRole, updateGame } from './games.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.createGame, createGame),
  handle(contract.listGames, listGames),
  handle(contract.checkSlug, checkSlug),
  handle(contract.getGame, getGame),
  handle(contract.updateGame, updateGame),
  handle(contract.getDraft, getDraft),
  handle(contract.saveDraft, saveDraft),
  handle(contract.publishDraft, publishDraft),
  handle(contract.discardDraft, discardDraft),
  handle(contract.setGameRole, setGameRole),
  handle(contract.removeAdmin, removeAdmin),
  handle(contract.leaveGame, leaveGame),
];
