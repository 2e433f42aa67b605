// Reads the mails that the service sends, from its outbox or as a mail server received them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestServer, until } from './server.ts';

export type ReadMail = {
  to: string;
  subject: string;
  text: string;
  /** The first link in the text. */
  link: string;
};

/** Waits for a mail in the outbox. */
export function mailTo(server: TestServer, address: string, subject: RegExp): Promise<ReadMail> {
  return until(async () => (await mailsTo(server, address)).find((mail) => subject.test(mail.subject)));
}

/** Returns all mails to the address in the outbox, oldest first. */
export async function mailsTo(server: TestServer, address: string): Promise<ReadMail[]> {
  const outbox = join(server.dataFolder, 'outbox');
  const names = await readdir(outbox).catch(() => []);
  const whole = names.filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(whole.map(async (name) => readMail(await readFile(join(outbox, name), 'utf8'))));
  return mails.filter(({ to }) => to === address);
}

/** Parses a mail (RFC 5322) whose text is plain or quoted-printable (RFC 2045, 6.7), in ASCII. */
export function readMail(source: string): ReadMail {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  const body = source.slice(end + 4);
  const isQuoted = field('Content-Transfer-Encoding') === 'quoted-printable';
  const text = isQuoted ? decodeQuotedPrintable(body) : body;
  return { to: field('To'), subject: field('Subject'), text, link: /https?:\/\/\S+/.exec(text)?.[0] ?? '' };
}

function decodeQuotedPrintable(text: string): string {
  const joined = text.replace(/=\r\n/g, '');
  return joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
