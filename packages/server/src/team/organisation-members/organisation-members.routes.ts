// Binds the operations of members of organisations to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/organisations';
import { handle, type Route } from '../../request/route.ts';
import { leaveOrganisation, moveGame, removeMember, setMemberRole } from './organisation-members.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.setMemberRole, setMemberRole),
  handle(contract.removeMember, removeMember),
  handle(contract.leaveOrganisation, leaveOrganisation),
  handle(contract.moveGame, moveGame),
];
