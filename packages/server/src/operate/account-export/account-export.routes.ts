// Binds the export of an account to the function that serves it.
import * as contract from '@chauffeur/contract/operations/account-export';
import { type Route, stream } from '../../request/route.ts';
import { exportAccount } from './account-export.ts';

export const ROUTES: readonly Route[] = [stream(contract.exportAccount, exportAccount)];
