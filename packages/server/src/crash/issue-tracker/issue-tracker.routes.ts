// Binds the operations of issue trackers to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/issue-tracker';
import { handle, type Route } from '../../request/route.ts';
import { getIssueTracker, removeIssueTracker, setIssueTracker } from './issue-tracker.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getIssueTracker, getIssueTracker),
  handle(contract.setIssueTracker, setIssueTracker),
  handle(contract.removeIssueTracker, removeIssueTracker),
];
