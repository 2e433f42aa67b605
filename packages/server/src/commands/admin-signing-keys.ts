// `admin signing-key list|rotate`: lets the operator replace the key with which the installation signs what clients
// install.
import type { Command } from 'commander';
import { auditChange } from '../request/audit.ts';
import { LostSigningKeyError, publishedKeys, rotateSigningKey } from '../ship/signing-keys/signing-keys.ts';
import { UsageError } from './fail.ts';
import { withApp } from './open-parts.ts';
import { perform } from './perform.ts';

export function addSigningKeyCommands(admin: Command): void {
  const signingKey = admin.command('signing-key').description('manage the key that signs what clients install');
  signingKey
    .command('list')
    .description('list the keys, newest first; the newest one signs')
    .option('--json', 'print one JSON object', false)
    .action(listCommand);
  signingKey
    .command('rotate')
    .description(
      'replace the key that signs; clients follow by themselves, because the old key vouches for the new one',
    )
    .option('--without-succession', "don't use the old key, such as after a leak: clients ask their users", false)
    .option('--json', 'print one JSON object', false)
    .action(rotateCommand);
}

async function listCommand({ json }: { json: boolean }): Promise<void> {
  await withApp({ quiet: true }, async ({ ctx }) => {
    const { keys } = await publishedKeys(ctx);
    const lines = keys.map(({ key_id, created_at, previous }) =>
      [key_id, created_at, previous === null ? '-' : `after ${previous.key_id}`].join('  '),
    );
    process.stdout.write(json ? `${JSON.stringify({ keys })}\n` : `${lines.join('\n')}\n`);
  });
}

type RotateOptions = { withoutSuccession: boolean; json: boolean };

async function rotateCommand({ withoutSuccession, json }: RotateOptions): Promise<void> {
  await perform('admin.signingKeyRotate', json, async ({ ctx }) => {
    const rotated = await rotateSigningKey(ctx, { withoutSuccession }).catch((error: unknown) => {
      throw error instanceof LostSigningKeyError ? new UsageError(error.message) : error;
    });
    if (rotated === null) throw new UsageError('Another process has just replaced the key. List the keys.');
    const { keyId, previousKeyId } = rotated;
    auditChange('signing_key', previousKeyId, keyId);
    return { key_id: keyId, ...(previousKeyId !== null && { previous_key_id: previousKeyId }) };
  });
}
