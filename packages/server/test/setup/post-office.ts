// A real mail server for tests: it takes what the service sends, from who knows its password, and hands it on to the test.
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { type ReadMail, readMail } from './mail.ts';

/** A mail with how it came: the sender of its envelope, and who signed in. */
export type Arrival = ReadMail & { readonly from: string; readonly user: string };

export type PostOffice = {
  /** For CHAUFFEUR_SMTP. */
  readonly url: string;
  /** The next mail with such a subject that was not handed on yet, waited for up to 20 seconds. */
  take(subject: RegExp): Promise<Arrival>;
  close(): Promise<void>;
};

const PATIENCE_MS = 20_000;

export async function openPostOffice(): Promise<PostOffice> {
  const kept: Arrival[] = [];
  const bell = new EventEmitter();
  const smtp = new SMTPServer({
    // Its own certificate is nobody's, and the service would rightly not trust it.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'post office' ? done(null, { user: username }) : done(new Error('no such user')),
    onData(stream, session, done) {
      const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
      text(stream).then((source) => {
        kept.push({ ...readMail(source), from, user: String(session.user) });
        bell.emit('mail');
        done();
      }, done);
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const { port } = smtp.server.address() as AddressInfo;
  return {
    url: `smtp://postman:post%20office@127.0.0.1:${port}`,
    async take(subject) {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      for (;;) {
        const index = kept.findIndex((mail) => subject.test(mail.subject));
        if (index >= 0) return kept.splice(index, 1)[0]!;
        await once(bell, 'mail', { signal });
      }
    },
    close: () => new Promise((done) => smtp.close(() => done())),
  };
}
