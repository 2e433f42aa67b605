// Binds the operations and jobs of invitations to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/invitations';
import * as organisations from '@chauffeur/contract/operations/organisations';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { acceptInvitation, declineInvitation, getInvitation } from './accept.ts';
import { forgetInvitationsJob, forgetOldInvitations } from './forget.job.ts';
import { inviteAdmin, listInvitations, offerTransfer, resendInvitation, withdrawInvitation } from './invitations.ts';
import {
  inviteMember,
  listMemberInvitations,
  resendMemberInvitation,
  withdrawMemberInvitation,
} from './team-invitations.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.inviteAdmin, inviteAdmin),
  handle(contract.offerTransfer, offerTransfer),
  handle(contract.listInvitations, listInvitations),
  handle(contract.resendInvitation, resendInvitation),
  handle(contract.withdrawInvitation, withdrawInvitation),
  handle(contract.getInvitation, getInvitation),
  handle(contract.acceptInvitation, acceptInvitation),
  handle(contract.declineInvitation, declineInvitation),
  handle(organisations.inviteMember, inviteMember),
  handle(organisations.listMemberInvitations, listMemberInvitations),
  handle(organisations.resendMemberInvitation, resendMemberInvitation),
  handle(organisations.withdrawMemberInvitation, withdrawMemberInvitation),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(forgetInvitationsJob, forgetOldInvitations, { cron: '33 3 * * *', deletesOld: true }),
];
