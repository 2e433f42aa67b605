// Sends email by SMTP, or writes it to an outbox folder if no email server is configured.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '@chauffeur/contract/texts/messages';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { secondsSince } from '../clock.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../private-files.ts';
import { newId } from '../secrets/ids.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { inSpan } from '../telemetry/tracing.ts';

export type Email = {
  to: string;
  subject: string;
  text: string;
  /** The same for programs that show HTML. */
  html?: string;
  /** A UUID for the Message-ID. The same email with the same id is a repetition. */
  id?: string;
  headers?: Readonly<Record<string, string>>;
  /** The language of the text; English by default. */
  language?: Language;
};

export type Mailer = {
  /**
   * Resolves when the email server has accepted the email, to its reply, or when it is in the outbox, to the path of
   * its file.
   */
  send(email: Email): Promise<string>;
  close(): void;
};

const TIMEOUT_MS = 20_000;

/** The same mailer, except that its emails are measured. */
export function measureMailer(mailer: Mailer, { mails }: Pick<Metrics, 'mails'>): Mailer {
  return {
    ...mailer,
    async send(email) {
      const begun = performance.now();
      let outcome: 'sent' | 'failed' = 'failed';
      try {
        const reply = await inSpan('send email', { kind: 'client' }, () => mailer.send(email));
        outcome = 'sent';
        return reply;
      } finally {
        mails.observe({ outcome }, secondsSince(begun));
      }
    },
  };
}

type MailerOptions = {
  /** The address of an email server. Without one, emails are written to `outbox` as `.eml` files. */
  smtp: string | undefined;
  from: string;
  outbox: string;
  /** The longest wait for each reply of the email server. */
  timeoutMs?: number;
};

export function createMailer({ smtp, from, outbox, timeoutMs = TIMEOUT_MS }: MailerOptions): Mailer {
  return smtp === undefined ? createOutbox({ from, outbox }) : createSmtp(smtp, from, timeoutMs);
}

/** Connects to the email server and signs in, without sending anything. Rejects as `send` does. */
export async function verifySmtp(smtp: string, timeoutMs: number): Promise<void> {
  const transport = openSmtp(smtp, timeoutMs);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function openSmtp(url: string, timeoutMs: number) {
  return createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
}

function createSmtp(smtp: string, from: string, timeoutMs: number): Mailer {
  const transport = openSmtp(smtp, timeoutMs);
  return {
    send: async (email) => {
      const { response } = await transport.sendMail(messageOf(email, from));
      return response;
    },
    close: () => transport.close(),
  };
}

function messageOf({ to, subject, text, html, id, headers = {} }: Email, from: string): SendMailOptions {
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  return {
    // Not as a text, which could name several recipients.
    to: { name: '', address: to },
    from,
    subject,
    text,
    ...(html !== undefined && { html }),
    headers: { ...headers },
    ...(id !== undefined && { messageId: `<${id}@${domain}>` }),
  };
}

function createOutbox({ from, outbox }: { from: string; outbox: string }): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(email) {
      const { message } = await composer.sendMail(messageOf(email, from));
      await makePrivateFolder(outbox);
      const file = join(outbox, `${newId()}.eml`);
      // Renamed when complete, so that a program that watches the folder never reads half an email.
      await writeFile(`${file}.part`, message as Buffer, { mode: PRIVATE_FILE });
      await rename(`${file}.part`, file);
      return file;
    },
    close: () => undefined,
  };
}
