// Collects the operations and jobs of all features, and what Citus distributes of their tables.
import { DAILY_EVENT_TABLE, EVENT_TABLES } from './analytics/events/events.ts';
import type { Context } from './context.ts';
import { CRASH_TABLES } from './crash/crashes/crashes.ts';
import * as features from './features.ts';
import type { DistributedTables } from './kernel/database/distribute.ts';
import type { Job } from './kernel/jobs/jobs.ts';
import type { Route } from './request/route.ts';

const EXPORTS = Object.values<object>(features).flatMap((module) => Object.values(module) as unknown[]);

export const ROUTES: readonly Route[] = EXPORTS.filter(isRoute);

export const JOBS: readonly Job<Context>[] = EXPORTS.filter(isJob);

/** What Citus distributes by game. A table that is written in one statement with these must be one of them. */
export const DISTRIBUTED_TABLES: DistributedTables = {
  tables: [...EVENT_TABLES, ...CRASH_TABLES],
  daily: [DAILY_EVENT_TABLE],
};

function isRoute(value: unknown): value is Route {
  return hasAll(value, ['operation', 'run', 'address']);
}

function isJob(value: unknown): value is Job<Context> {
  return hasAll(value, ['task', 'work']);
}

function hasAll(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}
