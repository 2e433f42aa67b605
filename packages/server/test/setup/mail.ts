// Reads the mails that the service sends, from its outbox or as a mail server received them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestServer } from './server.ts';
import { until } from './until.ts';

export type ReadMail = {
  to: string;
  subject: string;
  text: string;
  /** Empty if it has no HTML. */
  html: string;
  /** A field of its header; empty if it has none of this name. */
  field(name: string): string;
  /** The first link in the text. */
  link: string;
};

/** Waits for a mail in the outbox. */
export function mailTo(server: Pick<TestServer, 'dataFolder'>, address: string, subject: RegExp): Promise<ReadMail> {
  return until(async () => (await mailsTo(server, address)).find((mail) => subject.test(mail.subject)));
}

/** Waits for a mail whose subject starts with this text, optionally to one address, and returns the newest. */
export function newestMail(
  server: Pick<TestServer, 'dataFolder'>,
  subject: string,
  address?: string,
): Promise<ReadMail> {
  return until(
    async () => (await mailsTo(server, address)).findLast((mail) => mail.subject.startsWith(subject)),
    () => `no mail "${subject}" to ${address ?? 'anyone'} within a minute`,
  );
}

/** Returns the first link in the text of the newest such mail. */
export async function newestLink(...mail: Parameters<typeof newestMail>): Promise<string> {
  return (await newestMail(...mail)).link;
}

/** Returns all mails in the outbox, or those to the address, oldest first. */
export async function mailsTo({ dataFolder }: Pick<TestServer, 'dataFolder'>, address?: string): Promise<ReadMail[]> {
  const outbox = join(dataFolder, 'outbox');
  const names = await readdir(outbox).catch(() => []);
  const whole = names.filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(whole.map(async (name) => readMail(await readFile(join(outbox, name), 'utf8'))));
  return address === undefined ? mails : mails.filter(({ to }) => to === address);
}

/**
 * Parses a mail (RFC 5322). Texts are plain or quoted-printable (RFC 2045, 6.7), and may be alternatives (RFC 2046,
 * 5.1.4); subjects may be encoded in UTF-8 (RFC 2047).
 */
export function readMail(source: string): ReadMail {
  const { field, body } = readPart(source);
  const boundary = /boundary="?([^";]+)"?/.exec(field('Content-Type'))?.[1];
  const parts =
    boundary === undefined
      ? []
      : body
          .split(`--${boundary}`)
          .slice(1, -1)
          .map((part) => readPart(part.slice(2)));
  const ofType = (type: string) => parts.find((part) => part.field('Content-Type').startsWith(type))?.body ?? '';
  const text = parts.length === 0 ? body : ofType('text/plain');
  return {
    to: field('To'),
    subject: decodeWords(field('Subject')),
    text,
    html: ofType('text/html'),
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
    field,
  };
}

function readPart(source: string): { field: (name: string) => string; body: string } {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  const body = source.slice(end + 4);
  const encoding = field('Content-Transfer-Encoding');
  if (encoding === 'base64') return { field, body: Buffer.from(body, 'base64').toString() };
  return { field, body: encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : body };
}

function decodeQuotedPrintable(text: string): string {
  const joined = text.replace(/=\r\n/g, '');
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

function decodeWords(subject: string): string {
  return subject
    .replace(/\?= =\?UTF-8\?[QB]\?/gi, '')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString()
        : decodeQuotedPrintable(text.replaceAll('_', ' ')),
    );
}
