// Binds the operation of the `chauffeur` command to the function that serves it.
import * as contract from '@chauffeur/contract/operations/cli';
import { handle, type Route } from '../../request/route.ts';
import { getCli } from './cli.ts';

export const ROUTES: readonly Route[] = [handle(contract.getCli, getCli)];
