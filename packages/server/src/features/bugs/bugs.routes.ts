// Binds the operations of bugs to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/bugs';
import { handle, type Route } from '../../request/route.ts';
import { fileBug, getBugTicket, listBugTickets, updateBugTicket } from './bugs.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.fileBug, fileBug),
  handle(contract.listBugTickets, listBugTickets),
  handle(contract.getBugTicket, getBugTicket),
  handle(contract.updateBugTicket, updateBugTicket),
];
