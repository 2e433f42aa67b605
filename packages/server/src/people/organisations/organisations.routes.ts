// Binds the operations of organisations to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/organisations';
import { handle, type Route } from '../../request/route.ts';
import {
  createOrganisation,
  deleteOrganisation,
  getOrganisation,
  getOrganisationSignIn,
  listOrganisations,
  requireSignIn,
  updateOrganisation,
} from './organisations.ts';
import { listSignInRequirements } from './required-sign-in.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listOrganisations, listOrganisations),
  handle(contract.createOrganisation, createOrganisation),
  handle(contract.getOrganisation, getOrganisation),
  handle(contract.updateOrganisation, updateOrganisation),
  handle(contract.deleteOrganisation, deleteOrganisation),
  handle(contract.listSignInRequirements, listSignInRequirements),
  handle(contract.getOrganisationSignIn, getOrganisationSignIn),
  handle(contract.requireSignIn, requireSignIn),
];
