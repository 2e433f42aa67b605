// Runs one admin command: performs it, records it in the audit log, and prints its result.
import type { App } from '../app.ts';
import { record } from '../request/audit.ts';
import { withApp } from './open-parts.ts';

type Output = Record<string, string | number | boolean>;

/** Commands that often change nothing, and are recorded only if they do. */
const CHANGES_ONLY: readonly string[] = ['admin.gameQuota', 'admin.dsn'];

/**
 * Performs one action with the parts of the service, records it in the audit log, and prints its result. `format`
 * replaces the lines for people.
 */
export async function perform(
  operation: string,
  json: boolean,
  work: (app: App) => Promise<Output>,
  format: (output: Output) => string = formatLines,
): Promise<void> {
  await withApp({ quiet: true }, async (app) => {
    const actor = { kind: 'server', id: null, name: 'Operator on the server', via: 'chauffeur-server' } as const;
    const subject = { operation, actor, changesOnly: CHANGES_ONLY.includes(operation) };
    const output = await record(app.ctx, subject, () => work(app));
    process.stdout.write(json ? `${JSON.stringify(output)}\n` : format(output));
  });
}

function formatLines(output: Output): string {
  return Object.entries(output)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
