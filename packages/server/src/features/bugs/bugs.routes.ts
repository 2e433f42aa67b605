// Binds the operations of bugs to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/bugs';
import { handle, type Route } from '../../request/route.ts';
import { getBugSettings, getBugTicket, listBugTickets, setBugSettings, updateBugTicket } from './bugs.ts';
import { countGuestTicket, fileBug, fileBugAsGuest } from './file.ts';
import { replyToBug } from './replies.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.fileBug, fileBug),
  handle(contract.fileBugAsGuest, fileBugAsGuest, countGuestTicket),
  handle(contract.listBugTickets, listBugTickets),
  handle(contract.getBugTicket, getBugTicket),
  handle(contract.updateBugTicket, updateBugTicket),
  handle(contract.replyToBug, replyToBug),
  handle(contract.getBugSettings, getBugSettings),
  handle(contract.setBugSettings, setBugSettings),
];
