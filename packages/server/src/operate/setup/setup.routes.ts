// Binds the operations of the first run to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/setup';
import { countSetupCode } from '../../request/address-limit.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { testAddress } from './address-test.ts';
import { getInstallation, testPart } from './installation.ts';
import { claimOperator, createOperator, getSetup } from './setup.ts';

export const ROUTES: readonly Route[] = [
  stream(contract.getSetup, getSetup),
  handle(contract.createOperator, createOperator, countSetupCode),
  handle(contract.claimOperator, claimOperator, countSetupCode),
  stream(contract.getInstallation, getInstallation),
  handle(contract.testPart, testPart),
  stream(contract.testAddress, testAddress),
];
