// Binds the operations of organisations to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/organisations';
import { handle, type Route } from '../../request/route.ts';
import {
  createOrganisation,
  deleteOrganisation,
  getOrganisation,
  listOrganisations,
  updateOrganisation,
} from './organisations.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listOrganisations, listOrganisations),
  handle(contract.createOrganisation, createOrganisation),
  handle(contract.getOrganisation, getOrganisation),
  handle(contract.updateOrganisation, updateOrganisation),
  handle(contract.deleteOrganisation, deleteOrganisation),
];
