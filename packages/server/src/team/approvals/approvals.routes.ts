// Binds the operations of approvals to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/approvals';
import { handle, type Route } from '../../request/route.ts';
import { confirmApproval, decideApproval, getApproval, listWaitingApprovals } from './review.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listWaitingApprovals, listWaitingApprovals),
  handle(contract.getApproval, getApproval),
  handle(contract.confirmApproval, confirmApproval),
  handle(contract.decideApproval, decideApproval),
];
