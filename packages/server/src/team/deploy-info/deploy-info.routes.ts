// Binds the operations of deploy info to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/deploy-info';
import { handle, type Route } from '../../request/route.ts';
import { getDeployInfo, getGameDeployInfo } from './deploy-info.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getDeployInfo, getDeployInfo),
  handle(contract.getGameDeployInfo, getGameDeployInfo),
];
