// Concatenates the routes, jobs and distributed tables of all features.
import type { Context } from './context.ts';
import * as accountExport from './features/account-export/account-export.routes.ts';
import * as accounts from './features/accounts/accounts.routes.ts';
import * as agents from './features/agents/agents.routes.ts';
import * as alerts from './features/alerts/alerts.routes.ts';
import * as approvals from './features/approvals/approvals.routes.ts';
import * as audit from './features/audit/audit.routes.ts';
import * as backups from './features/backups/backups.routes.ts';
import * as bugs from './features/bugs/bugs.routes.ts';
import * as buildDeletion from './features/build-deletion/build-deletion.routes.ts';
import * as builds from './features/builds/builds.routes.ts';
import * as channels from './features/channels/channels.routes.ts';
import * as cli from './features/cli/cli.routes.ts';
import * as cliLogins from './features/cli-logins/cli-logins.routes.ts';
import * as crashes from './features/crashes/crashes.routes.ts';
import { CRASH_TABLES } from './features/crashes/crashes.ts';
import * as credentials from './features/credentials/credentials.routes.ts';
import * as deployInfo from './features/deploy-info/deploy-info.routes.ts';
import * as deployKeys from './features/deploy-keys/deploy-keys.routes.ts';
import * as events from './features/events/events.routes.ts';
import { DAILY_EVENT_TABLE, EVENT_TABLES } from './features/events/events.ts';
import * as files from './features/files/files.routes.ts';
import * as follows from './features/follows/follows.routes.ts';
import * as gameDeletion from './features/game-deletion/game-deletion.routes.ts';
import * as games from './features/games/games.routes.ts';
import * as health from './features/health/health.routes.ts';
import * as impact from './features/impact/impact.routes.ts';
import * as invitations from './features/invitations/invitations.routes.ts';
import * as issueTracker from './features/issue-tracker/issue-tracker.routes.ts';
import * as live from './features/live/live.routes.ts';
import * as media from './features/media/media.routes.ts';
import * as moderation from './features/moderation/moderation.routes.ts';
import * as operator from './features/operator/operator.routes.ts';
import { watchState as watchStateWith } from './features/operator/operator.ts';
import * as organisationMembers from './features/organisation-members/organisation-members.routes.ts';
import * as organisations from './features/organisations/organisations.routes.ts';
import * as overview from './features/overview/overview.routes.ts';
import * as play from './features/play/play.routes.ts';
import * as quotas from './features/quotas/quotas.routes.ts';
import * as scans from './features/scans/scans.routes.ts';
import * as setup from './features/setup/setup.routes.ts';
import * as source from './features/source/source.routes.ts';
import * as statistics from './features/statistics/statistics.routes.ts';
import * as store from './features/store/store.routes.ts';
import * as symbols from './features/symbols/symbols.routes.ts';
import * as uploads from './features/uploads/uploads.routes.ts';
import * as usage from './features/usage/usage.routes.ts';
import * as videos from './features/videos/videos.routes.ts';
import * as weeklySummary from './features/weekly-summary/weekly-summary.routes.ts';
import type { DistributedTables } from './kernel/database/distribute.ts';
import { bindJob, type JobBinding } from './kernel/jobs/binding.ts';
import { dropCounters, dropCountersJob } from './kernel/limits/drop-counters.job.ts';
import type { Route } from './request/route.ts';

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
