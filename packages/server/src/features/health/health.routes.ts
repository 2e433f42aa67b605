// Binds the operations of health to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/health';
import { handle, type Route } from '../../request/route.ts';
import { getBuildHealth, listHealth } from './health.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listHealth, listHealth),
  handle(contract.getBuildHealth, getBuildHealth),
];
