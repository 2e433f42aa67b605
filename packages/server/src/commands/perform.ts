// Runs one admin command: performs it, records it in the audit log, and prints its result.
import type { App } from '../app.ts';
import { record } from '../request/audit.ts';
import { withApp } from './open-parts.ts';

type Output = Record<string, string | number | boolean>;
/** Performs one action with the parts of the service, records it in the audit log, and prints its result. */
export async function perform(operation: string, json: boolean, work: (app: App) => Promise<Output>): Promise<void> {
  await withApp({ quiet: true }, async (app) => {
    const actor = { kind: 'server', id: null, name: 'Operator on the server', via: 'chauffeur-server' } as const;
    // Showing quotas changes nothing.
    const subject = { operation, actor, changesOnly: operation === 'admin.gameQuota' };
    const output = await record(app.ctx, subject, () => work(app));
    const lines = Object.entries(output).map(([name, value]) => `${name}=${value}\n`);
    process.stdout.write(json ? `${JSON.stringify(output)}\n` : lines.join(''));
  });
}
