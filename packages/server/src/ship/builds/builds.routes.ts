// Binds the operations of builds to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/builds';
import { handle, type Route } from '../../request/route.ts';
import { getGameBuild, listBuilds, listGameBuilds, registerBuild } from './builds.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.registerBuild, registerBuild),
  handle(contract.listBuilds, listBuilds),
  handle(contract.listGameBuilds, listGameBuilds),
  handle(contract.getGameBuild, getGameBuild),
];
