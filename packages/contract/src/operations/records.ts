// Named schemas: the objects and enumerations that the modules of this folder export.
import type { TSchema } from 'typebox';
import * as identity from '../identity.ts';
import * as agents from './agents.ts';
import * as approvals from './approvals.ts';
import * as bugs from './bugs.ts';
import * as builds from './builds.ts';
import * as channels from './channels.ts';
import * as crashGroups from './crash-groups.ts';
import * as crashReports from './crash-reports.ts';
import * as crashStacks from './crash-stacks.ts';
import * as credentials from './credentials.ts';
import * as deletion from './deletion.ts';
import * as deployKeys from './deploy-keys.ts';
import * as events from './events.ts';
import * as fields from './fields.ts';
import * as files from './files.ts';
import * as games from './games.ts';
import * as health from './health.ts';
import * as invitations from './invitations.ts';
import * as media from './media.ts';
import * as operator from './operator.ts';
import * as shelves from './shelves.ts';
import * as store from './store.ts';
import * as symbols from './symbols.ts';
import * as uploads from './uploads.ts';
import * as usage from './usage.ts';

const MODULES = [
  ...[identity, fields, agents, approvals, bugs, builds, channels, crashStacks, crashGroups, crashReports, credentials],
  ...[deployKeys, events, files, deletion, games, health, invitations, media, operator, shelves, store, symbols],
  ...[uploads, usage],
];

const names = new Map<string, string>();

/** Schemas by their exported names. */
export const RECORDS: ReadonlyMap<string, TSchema> = collectRecords();

function collectRecords(): Map<string, TSchema> {
  const records = new Map<string, TSchema>();
  for (const [name, value] of MODULES.flatMap((module) => Object.entries<unknown>({ ...module }))) {
    if (!isRecord(value)) continue;
    const text = JSON.stringify(value);
    if (names.has(text)) continue;
    if (records.has(name)) throw new Error(`Two modules export different schemas named ${name}: rename one of them.`);
    records.set(name, value);
    names.set(text, name);
  }
  return records;
}

function isRecord(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && ('properties' in value || 'enum' in value);
}

/** The name of a schema with the same content. Identity is not enough, because TypeBox copies nested schemas. */
export function recordNameOf(schema: unknown): string | undefined {
  return names.get(JSON.stringify(schema));
}
