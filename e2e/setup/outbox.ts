// The mails that the service wrote, as a person without a mail server finds them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from './processes.ts';
import { until } from './until.ts';

/** The link in the newest mail whose subject begins so, once there is one; `to` one address where that is given. */
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
