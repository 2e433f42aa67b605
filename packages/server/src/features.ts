// Concatenates the routes, jobs and distributed tables of all features.

import * as events from './analytics/events/events.routes.ts';
import { DAILY_EVENT_TABLE, EVENT_TABLES } from './analytics/events/events.ts';
import * as health from './analytics/health/health.routes.ts';
import * as impact from './analytics/impact/impact.routes.ts';
import type { Context } from './context.ts';
import * as crashes from './crash/crashes/crashes.routes.ts';
import { CRASH_TABLES } from './crash/crashes/crashes.ts';
import * as issueTracker from './crash/issue-tracker/issue-tracker.routes.ts';
import * as source from './crash/source/source.routes.ts';
import * as symbols from './crash/symbols/symbols.routes.ts';
import type { DistributedTables } from './kernel/database/distribute.ts';
import { bindJob, type JobBinding } from './kernel/jobs/binding.ts';
import { dropCounters, dropCountersJob } from './kernel/limits/drop-counters.job.ts';
import * as alerts from './notify/alerts/alerts.routes.ts';
import * as live from './notify/live/live.routes.ts';
import * as accountExport from './operate/account-export/account-export.routes.ts';
import * as backups from './operate/backups/backups.routes.ts';
import * as operator from './operate/operator/operator.routes.ts';
import { watchState as watchStateWith } from './operate/operator/operator.ts';
import * as setup from './operate/setup/setup.routes.ts';
import * as accounts from './people/accounts/accounts.routes.ts';
import * as audit from './people/audit/audit.routes.ts';
import * as cliLogins from './people/cli-logins/cli-logins.routes.ts';
import * as games from './people/games/games.routes.ts';
import * as organisations from './people/organisations/organisations.routes.ts';
import type { Route } from './request/route.ts';
import * as builds from './ship/builds/builds.routes.ts';
import * as channels from './ship/channels/channels.routes.ts';
import * as cli from './ship/cli/cli.routes.ts';
import * as deployKeys from './ship/deploy-keys/deploy-keys.routes.ts';
import * as files from './ship/files/files.routes.ts';
import * as media from './ship/media/media.routes.ts';
import * as quotas from './ship/quotas/quotas.routes.ts';
import * as scans from './ship/scans/scans.routes.ts';
import * as uploads from './ship/uploads/uploads.routes.ts';
import * as usage from './ship/usage/usage.routes.ts';
import * as videos from './ship/videos/videos.routes.ts';
import * as bugs from './shop/bugs/bugs.routes.ts';
import * as follows from './shop/follows/follows.routes.ts';
import * as moderation from './shop/moderation/moderation.routes.ts';
import * as play from './shop/play/play.routes.ts';
import * as statistics from './shop/statistics/statistics.routes.ts';
import * as store from './shop/store/store.routes.ts';
import * as agents from './team/agents/agents.routes.ts';
import * as approvals from './team/approvals/approvals.routes.ts';
import * as buildDeletion from './team/build-deletion/build-deletion.routes.ts';
import * as credentials from './team/credentials/credentials.routes.ts';
import * as deployInfo from './team/deploy-info/deploy-info.routes.ts';
import * as gameDeletion from './team/game-deletion/game-deletion.routes.ts';
import * as invitations from './team/invitations/invitations.routes.ts';
import * as organisationMembers from './team/organisation-members/organisation-members.routes.ts';
import * as overview from './team/overview/overview.routes.ts';
import * as weeklySummary from './team/weekly-summary/weekly-summary.routes.ts';

type Feature = { readonly ROUTES?: readonly Route[]; readonly JOBS?: readonly JobBinding<Context>[] };

const FEATURES: readonly Feature[] = [
  accounts,
  organisations,
  games,
  audit,
  alerts,
  quotas,
  usage,
  deployKeys,
  files,
  builds,
  channels,
  scans,
  uploads,
  media,
  videos,
  symbols,
  issueTracker,
  source,
  crashes,
  events,
  health,
  impact,
  bugs,
  overview,
  live,
  statistics,
  store,
  follows,
  moderation,
  deployInfo,
  cli,
  cliLogins,
  play,
  agents,
  credentials,
  buildDeletion,
  approvals,
  organisationMembers,
  invitations,
  gameDeletion,
  backups,
  setup,
  weeklySummary,
  accountExport,
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(dropCountersJob, dropCounters, { cron: '41 * * * *', lane: 'long', deletesOld: true }),
  ...operator.JOBS,
  ...FEATURES.flatMap(({ JOBS = [] }) => JOBS),
];

/** What Citus distributes by game. A table that is written in one statement with these must be one of them. */
export const DISTRIBUTED_TABLES: DistributedTables = {
  tables: [...EVENT_TABLES, ...CRASH_TABLES],
  daily: [DAILY_EVENT_TABLE],
};

/** The operator pages show in which lane each kind of job runs. */
const LANES = new Map(JOBS.map(({ kind, lane }) => [kind.task, lane]));

/** Adds the state of the service to its metrics. */
export function watchState(ctx: Context): void {
  watchStateWith(ctx, LANES);
}

export const ROUTES: readonly Route[] = [
  ...FEATURES.flatMap(({ ROUTES = [] }) => ROUTES),
  ...operator.createRoutes(LANES),
];
