// A real mail server for tests: accepts mails from senders with its password, and returns them to the test.
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { type ReadMail, readMail } from './mail.ts';

/** A mail with its envelope sender and the user that signed in to send it. */
export type Arrival = ReadMail & { readonly from: string; readonly user: string };

export type PostOffice = {
  /** The value of CHAUFFEUR_SMTP. */
  readonly url: string;
  /** All mails that weren't taken. */
  readonly mails: readonly Arrival[];
  /** Returns the next mail whose subject matches and that was not returned before. Waits up to 20 seconds. */
  take(subject: RegExp): Promise<Arrival>;
  close(): Promise<void>;
};

const TIMEOUT_MS = 20_000;

export async function openPostOffice(): Promise<PostOffice> {
  const mails: Arrival[] = [];
  const arrivals = new EventEmitter();
  const smtp = new SMTPServer({
    // The service would rightly not trust a self-signed certificate.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'post office' ? done(null, { user: username }) : done(new Error('no such user')),
    onData(stream, session, done) {
      const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
      text(stream).then((source) => {
        mails.push({ ...readMail(source), from, user: String(session.user) });
        arrivals.emit('mail');
        done();
      }, done);
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  // Connections of a service that is killed are reset, which is not an error of the test.
  smtp.on('error', () => undefined);
  const { port } = smtp.server.address() as AddressInfo;
  return {
    url: `smtp://postman:post%20office@127.0.0.1:${port}`,
    mails,
    async take(subject) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      for (;;) {
        const index = mails.findIndex((mail) => subject.test(mail.subject));
        if (index >= 0) return mails.splice(index, 1)[0]!;
        await once(arrivals, 'mail', { signal });
      }
    },
    close: () => new Promise((done) => smtp.close(() => done())),
  };
}
