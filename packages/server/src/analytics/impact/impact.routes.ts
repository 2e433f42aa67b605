// Binds the operations of impact to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/impact';
import { handle, type Route } from '../../request/route.ts';
import { getImpact, listFacetValues } from './impact.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getImpact, getImpact),
  handle(contract.listFacetValues, listFacetValues),
];
