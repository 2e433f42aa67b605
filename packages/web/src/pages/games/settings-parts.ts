// The settings of a game: what each page reads, and what most of its fields change.
import { getAlerts } from '@chauffeur/contract/operations/alerts';
import { listAuditEntries } from '@chauffeur/contract/operations/audit';
import { getBugSettings, setBugSettings } from '@chauffeur/contract/operations/bugs';
import { getGameDeletion } from '@chauffeur/contract/operations/deletion';
import { issueDeployKey, listDeployKeys } from '@chauffeur/contract/operations/deploy-keys';
import { listDsns } from '@chauffeur/contract/operations/dsns';
import { getEventFiles, setEventFiles } from '@chauffeur/contract/operations/event-files';
import { getGame, updateGame } from '@chauffeur/contract/operations/games';
import { getGroupingRules, setGroupingRules } from '@chauffeur/contract/operations/grouping-rules';
import { getIssueTracker, setIssueTracker } from '@chauffeur/contract/operations/issue-tracker';
import { addGameMedia, listGameMedia } from '@chauffeur/contract/operations/media';
import { getListing } from '@chauffeur/contract/operations/shelves';
import { getSourceSettings, setSourceSettings } from '@chauffeur/contract/operations/source';

/**
 * `to` says what `change` does. Pages without it decide for each of their parts. `words` are other words that people
 * search for in the command palette.
 */
export const SETTINGS_GROUPS = [
  {
    name: 'Store page',
    parts: [
      {
        path: 'listing',
        name: 'Listing',
        words:
          'name address slug url rename description tagline tags links languages visibility public draft widget embed',
        read: getListing,
        change: updateGame,
        to: 'change the listing',
      },
      {
        path: 'media',
        name: 'Media',
        words: 'images pictures screenshots cover thumbnail gallery videos trailer',
        read: listGameMedia,
        change: addGameMedia,
        to: 'change the media',
      },
    ],
  },
  {
    name: 'Access',
    parts: [
      {
        path: 'admins',
        name: 'Members',
        words: 'invite invitation team people users admins roles permissions access share collaborators leave',
        read: getGame,
      },
      {
        path: 'keys',
        name: 'Keys',
        words: 'deploy key upload token secret credentials ci github actions gitlab jenkins',
        read: listDeployKeys,
        change: issueDeployKey,
        to: 'create and revoke keys',
      },
    ],
  },
  {
    name: 'Crashes and bugs',
    parts: [
      {
        path: 'sentry',
        name: 'Sentry SDKs',
        words: 'dsn sdk address key unity unreal godot electron android ios cocoa native python rust java dotnet',
        read: listDsns,
      },
      {
        path: 'grouping',
        name: 'Crash grouping',
        words: 'rules signature fingerprint regroup',
        read: getGroupingRules,
        change: setGroupingRules,
        to: 'change the grouping rules',
      },
      {
        path: 'issues',
        name: 'Issue tracker',
        words: 'github gitlab jira integration tickets',
        read: getIssueTracker,
        change: setIssueTracker,
        to: 'change the issue tracker',
      },
      {
        path: 'source',
        name: 'Source code',
        words: 'repository git github gitlab perforce links commits integration',
        read: getSourceSettings,
        change: setSourceSettings,
        to: 'change where the source code is',
      },
      {
        path: 'bugs',
        name: 'Bug reports',
        words: 'guests anonymous form feedback',
        read: getBugSettings,
        change: setBugSettings,
        to: 'change this',
      },
    ],
  },
  {
    name: 'Alerts and data',
    parts: [
      {
        path: 'alerts',
        name: 'Alerts',
        words:
          'notifications discord slack microsoft teams webhook chat email mail digest quiet hours mute weekly summary',
        read: getAlerts,
      },
      {
        path: 'event-files',
        name: 'Event files',
        words: 'export raw events parquet download warehouse',
        read: getEventFiles,
        change: setEventFiles,
        to: 'change this',
      },
    ],
  },
  {
    name: 'Administration',
    parts: [
      { path: 'audit', name: 'Audit log', words: 'history changes activity agents calls', read: listAuditEntries },
      {
        path: 'danger',
        name: 'Danger zone',
        words: 'delete remove game transfer move owner organisation',
        read: getGameDeletion,
      },
    ],
  },
] as const;

export const SETTINGS_PARTS = SETTINGS_GROUPS.flatMap(({ parts }) => [...parts]);
