// Reads the mails that the server writes to files when it has no mail server.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from './processes.ts';
import { until } from './until.ts';

/**
 * Waits for a mail whose subject starts with this text, optionally to one address, and returns the link in the newest.
 */
export async function newestLink({ dataFolder }: Service, subject: string, to = ''): Promise<string> {
  const outbox = join(dataFolder, 'outbox');
  return until(
    async () => {
      const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
      for (const name of names.reverse()) {
        const text = (await readFile(join(outbox, name), 'utf8')).replace(/=\r?\n/g, '').replace(/=3D/g, '=');
        if (text.includes(`Subject: ${subject}`) && text.includes(`To: ${to}`)) return /https?:\/\/\S+/.exec(text)?.[0];
      }
      return undefined;
    },
    () => 'no mail came',
  );
}
