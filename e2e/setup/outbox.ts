// Reads the mails that the server writes to files when it has no mail server.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from './processes.ts';
import { until } from './until.ts';

/**
 * Waits for a mail whose subject starts with this text, optionally to one address, and returns the first link in the
 * text of the newest. Its headers have links too.
 */
export async function newestLink(service: Service, subject: string, to = ''): Promise<string> {
  return until(
    async () => {
      const mails = await findMails(service, subject, to);
      return mails
        .map((text) => /\r?\n\r?\n[\s\S]*?(https?:\/\/\S+)/.exec(text)?.[1])
        .find((link) => link !== undefined);
    },
    () => 'no mail came',
  );
}

/** Like `newestLink`. Returns the source of the mail. */
export async function newestMail(service: Service, subject: string, to = ''): Promise<string> {
  return until(
    async () => (await findMails(service, subject, to))[0],
    () => 'no mail came',
  );
}

/** Newest first. */
async function findMails({ dataFolder }: Service, subject: string, to: string): Promise<string[]> {
  const outbox = join(dataFolder, 'outbox');
  const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.reverse().map((name) => readFile(join(outbox, name), 'utf8')));
  return mails
    .map((text) => text.replace(/=\r?\n/g, '').replace(/=3D/g, '='))
    .filter((text) => text.includes(`Subject: ${subject}`) && text.includes(`To: ${to}`));
}
