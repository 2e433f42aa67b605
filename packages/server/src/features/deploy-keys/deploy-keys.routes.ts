// Binds the operations of deploy keys to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/deploy-keys';
import { handle, type Route } from '../../request/route.ts';
import { issueDeployKey, listDeployKeys } from './deploy-keys.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.issueDeployKey, issueDeployKey),
  handle(contract.listDeployKeys, listDeployKeys),
];
