// Binds the operations of usage to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/usage';
import { handle, type Route } from '../../request/route.ts';
import { getUsage } from './usage.ts';

export const ROUTES: readonly Route[] = [handle(contract.getUsage, getUsage)];
