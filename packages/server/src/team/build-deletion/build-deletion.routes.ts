// Binds the operations of build deletion to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/build-deletion';
import { handle, type Route } from '../../request/route.ts';
import { deleteBuild, getBuildDeletion } from './build-deletion.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getBuildDeletion, getBuildDeletion),
  handle(contract.deleteBuild, deleteBuild),
];
