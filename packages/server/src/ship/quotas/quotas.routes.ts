// Binds the operations of quotas to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/quotas';
import { handle, type Route } from '../../request/route.ts';
import { getGameQuota, listGameStorage, setGameQuota } from './quotas.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listGameStorage, listGameStorage),
  handle(contract.getGameQuota, getGameQuota),
  handle(contract.setGameQuota, setGameQuota),
];
