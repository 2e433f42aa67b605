// Binds the operations of credentials to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/credentials';
import { handle, type Route } from '../../request/route.ts';
import { getCredentials, revokeAfterReset, revokeCredentials } from './credentials.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getCredentials, getCredentials),
  handle(contract.revokeCredentials, revokeCredentials),
  handle(contract.revokeAfterReset, revokeAfterReset),
];
