// Binds the operations of source code to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/source';
import { handle, type Route } from '../../request/route.ts';
import { getSourceSettings, listCommits, setSourceSettings } from './source.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getSourceSettings, getSourceSettings),
  handle(contract.setSourceSettings, setSourceSettings),
  handle(contract.listCommits, listCommits),
];
