// Sends mail by SMTP, or writes it to an outbox folder if no mail server is configured.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { newId } from '../secrets/ids.ts';

export type Mail = { to: string; subject: string; text: string };

export type Mailer = {
  /** Resolves when the mail server has accepted the mail, or when it is in the outbox. */
  send(mail: Mail): Promise<void>;
  close(): void;
};

const TIMEOUT_MS = 20_000;

/** `smtp` is the address of a mail server. Without one, mails are written to `outbox` as `.eml` files. */
export function createMailer(options: { smtp: string | undefined; from: string; outbox: string }): Mailer {
  return options.smtp === undefined ? createOutbox(options) : createSmtp(options.smtp, options.from);
}

function createSmtp(smtp: string, from: string): Mailer {
  const transport = createTransport({
    url: smtp,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    send: async (mail) => {
      await transport.sendMail({ ...mail, from });
    },
    close: () => transport.close(),
  };
}

function createOutbox({ from, outbox }: { from: string; outbox: string }): Mailer {
  const composer = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      const { message } = await composer.sendMail({ ...mail, from });
      await mkdir(outbox, { recursive: true, mode: 0o700 });
      const file = join(outbox, `${newId()}.eml`);
      // Renamed when complete, so that a program that watches the folder never reads half a mail.
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    close: () => undefined,
  };
}
