// Reads the mails that the server writes to files when it has no mail server.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from './processes.ts';
import { until } from './until.ts';

/**
 * Waits for a mail whose subject starts with this text, optionally to one address, and returns the link in the newest.
 */
export async function newestLink(service: Service, subject: string, to = ''): Promise<string> {
  return until(
    async () => {
      const mails = await findMails(service, subject, to);
      return mails.map((text) => /https?:\/\/\S+/.exec(text)?.[0]).find((link) => link !== undefined);
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
