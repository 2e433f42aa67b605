// The edit pages of a game: what each reads, and what most of its fields change.
import { getAlerts } from '@chauffeur/contract/operations/alerts';
import { listAuditEntries } from '@chauffeur/contract/operations/audit';
import { getBugSettings, setBugSettings } from '@chauffeur/contract/operations/bugs';
import { issueDeployKey, listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { getEventFiles, setEventFiles } from '@chauffeur/contract/operations/event-files';
import { getGameDeletion } from '@chauffeur/contract/operations/game-deletion';
import { getGame, updateGame } from '@chauffeur/contract/operations/games';
import { getGroupingRules, setGroupingRules } from '@chauffeur/contract/operations/grouping-rules';
import { getIssueTracker, setIssueTracker } from '@chauffeur/contract/operations/issue-tracker';
import { addGameMedia, listGameMedia } from '@chauffeur/contract/operations/media';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { getSourceSettings, setSourceSettings } from '@chauffeur/contract/operations/source';

/** `to` says what `change` does. Pages without it decide for each of their parts. */
export const EDIT_PARTS = [
  { path: 'listing', name: 'Listing', read: getListing, change: updateGame, to: 'change the listing' },
  { path: 'media', name: 'Media', read: listGameMedia, change: addGameMedia, to: 'change the media' },
  { path: 'keys', name: 'Keys', read: listDeployKeys, change: issueDeployKey, to: 'create and revoke keys' },
  { path: 'admins', name: 'Members', read: getGame },
  { path: 'alerts', name: 'Alerts', read: getAlerts },
  {
    path: 'grouping',
    name: 'Crash grouping',
    read: getGroupingRules,
    change: setGroupingRules,
    to: 'change the grouping rules',
  },
  {
    path: 'issues',
    name: 'Issue tracker',
    read: getIssueTracker,
    change: setIssueTracker,
    to: 'change the issue tracker',
  },
  {
    path: 'source',
    name: 'Source code',
    read: getSourceSettings,
    change: setSourceSettings,
    to: 'change where the source code is',
  },
  { path: 'bugs', name: 'Bug reports', read: getBugSettings, change: setBugSettings, to: 'change this' },
  { path: 'event-files', name: 'Event files', read: getEventFiles, change: setEventFiles, to: 'change this' },
  { path: 'audit', name: 'Audit log', read: listAuditEntries },
  { path: 'danger', name: 'Danger zone', read: getGameDeletion },
] as const;
