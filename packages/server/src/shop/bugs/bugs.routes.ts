// Binds the operations of bugs to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/bugs';
import { countPublicPost } from '../../request/address-limit.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { getBugSettings, getBugTicket, listBugTickets, setBugSettings, updateBugTicket } from './bugs.ts';
import { countGuestTicket, fileBug, fileBugAsGuest } from './file.ts';
import { replyToBug } from './replies.ts';
import { confirmReplies, endReplies } from './reporters.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.fileBug, fileBug),
  handle(contract.fileBugAsGuest, fileBugAsGuest, countGuestTicket),
  handle(contract.listBugTickets, listBugTickets),
  handle(contract.getBugTicket, getBugTicket),
  handle(contract.updateBugTicket, updateBugTicket),
  handle(contract.replyToBug, replyToBug),
  handle(contract.confirmReplies, confirmReplies, countPublicPost),
  stream(contract.endReplies, (ctx, call) => endReplies(ctx, call.input.token)),
  handle(contract.getBugSettings, getBugSettings),
  handle(contract.setBugSettings, setBugSettings),
];
