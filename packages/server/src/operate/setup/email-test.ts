// cspell:ignore ENOAUTH ECONNECTION ESOCKET ETLS EENVELOPE EMESSAGE altnames
// Tests email: sends one to the operator, and reports the reply of the email server, or explains why it could not be sent,
// from the error of the email library.
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { transact } from '../../kernel/database/db.ts';
import { createMailer } from '../../kernel/email/email.ts';
import { admitEmail } from '../../people/emails/emails.ts';
import { type Check, fail, pass, TooSlowError, warn, withDeadline } from './checks.ts';

const REPLY_MS = 10_000;
const TOTAL_MS = 30_000;

export async function testEmail(ctx: Context, to: string): Promise<Check[]> {
  const { config, publicUrl, log } = ctx;
  const { held, retryAfter } = await transact(ctx.db, (tx) => admitEmail(ctx, tx, 'test', { to }));
  if (held !== null)
    return [fail(`This address has had too many test emails. Try again in ${retryAfter} s.`, 'Verify your own email.')];
  const { smtp, mailFrom: from, dataFolder } = config;
  const mailer = createMailer({ smtp, from, outbox: join(dataFolder, 'outbox'), timeoutMs: REPLY_MS });
  const text = `This email shows that the server at ${publicUrl} can send email.\n`;
  try {
    const reply = await withDeadline(TOTAL_MS, mailer.send({ to, subject: 'Test email from Chauffeur', text }));
    if (smtp === undefined)
      return [warn(`The email was written to ${reply}, and not sent.`, 'Set CHAUFFEUR_SMTP to send email.')];
    return [pass(`The SMTP server accepted an email to ${to}. It replied: ${quoteReply(reply, smtp)}`)];
  } catch (error) {
    if (smtp === undefined) {
      log.warn({ err: error }, 'a test email could not be written to the outbox');
      return [fail('The email could not be written to the outbox.', 'Make sure that the data folder is writable.')];
    }
    const reason = error instanceof TooSlowError ? { code: 'ETIMEDOUT' } : (error as EmailError);
    return [explainEmailFailure(reason, smtp)];
  } finally {
    mailer.close();
  }
}

/** An error of nodemailer. `response` is the reply of the server, such as `535 5.7.8 Bad credentials`. */
type EmailError = { code?: unknown; message?: unknown; response?: unknown };

type Explanation = { readonly says: string; readonly remedy: string };

const CHECK_ADDRESS = 'Check the host and the port in CHAUFFEUR_SMTP, and that the server can reach them.';

/** The explanations by the code of nodemailer. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  EAUTH: {
    says: 'The SMTP server refused the user name or the password.',
    remedy: 'Correct them in CHAUFFEUR_SMTP. Percent-encode characters such as @, : and /, for example @ as %40.',
  },
  ENOAUTH: {
    says: 'The SMTP server asks for a user name and a password.',
    remedy: 'Add them to CHAUFFEUR_SMTP: smtp://user:password@host:587.',
  },
  EDNS: { says: 'The host name of the SMTP server has no address.', remedy: 'Correct the host in CHAUFFEUR_SMTP.' },
  ECONNECTION: { says: 'The connection to the SMTP server failed.', remedy: CHECK_ADDRESS },
  ESOCKET: { says: 'The connection to the SMTP server failed.', remedy: CHECK_ADDRESS },
  ETIMEDOUT: {
    says: 'The SMTP server did not respond in time.',
    remedy: `${CHECK_ADDRESS} Many providers block port 25: use 587, or smtps:// with 465.`,
  },
  ETLS: {
    says: 'The SMTP server did not agree on encryption.',
    remedy: 'Use smtp:// with port 587, or smtps:// with 465.',
  },
  EENVELOPE: {
    says: 'The SMTP server refused the sender or the recipient.',
    remedy: 'Set CHAUFFEUR_MAIL_FROM to an address that this SMTP server may send from.',
  },
  EMESSAGE: {
    says: 'The SMTP server refused the email.',
    remedy: 'Set CHAUFFEUR_MAIL_FROM to an address that this SMTP server may send from.',
  },
};

/** Errors that nodemailer reports as a failed connection, by a part of their message. */
const BY_MESSAGE: readonly (readonly [RegExp, Explanation])[] = [
  [/ECONNREFUSED/, { says: 'Nothing accepts connections at the address of the SMTP server.', remedy: CHECK_ADDRESS }],
  [/ENOTFOUND|EAI_AGAIN/, EXPLANATIONS.EDNS!],
  [
    /wrong version number|packet length too long/i,
    {
      says: 'The SMTP server does not use TLS from the start on this port.',
      remedy: 'Use smtp:// with port 587, or smtps:// with port 465.',
    },
  ],
  [
    /certificate|self.signed|altnames/i,
    {
      says: 'The certificate of the SMTP server is not trusted.',
      remedy: 'Use the host name in the certificate. For your own certificate authority, set NODE_EXTRA_CA_CERTS.',
    },
  ],
];

const OTHER: Explanation = {
  says: 'The email could not be sent.',
  remedy: 'Check CHAUFFEUR_SMTP and CHAUFFEUR_MAIL_FROM.',
};
const MAX_REPLY_LENGTH = 300;

/** `smtp` is the address of the email server. The result contains neither its user nor its password. */
export function explainEmailFailure(error: EmailError, smtp: string): Check {
  const message = typeof error.message === 'string' ? error.message : '';
  const { says, remedy } =
    BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1] ??
    EXPLANATIONS[typeof error.code === 'string' ? error.code : ''] ??
    OTHER;
  const reply = typeof error.response === 'string' ? quoteReply(error.response, smtp) : '';
  return fail(reply === '' ? says : `${says} It replied: ${reply}`, remedy);
}

/** Returns the reply of an email server on one line, without the credentials, which a server could repeat. */
export function quoteReply(reply: string, smtp: string): string {
  const hidden = credentialsOf(smtp).reduce((text, secret) => text.replaceAll(secret, '‹…›'), reply);
  return hidden
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REPLY_LENGTH);
}

/** All spellings in which the user and the password are sent (RFC 4616 and AUTH LOGIN), the longest first. */
function credentialsOf(smtp: string): string[] {
  const { username, password } = new URL(smtp);
  const plain = [username, password].map(decode);
  const base64 = [...plain, `\0${plain.join('\0')}`].map((text) => Buffer.from(text).toString('base64'));
  return [...new Set([...base64, ...plain, username, password])]
    .filter((text) => text.length > 2)
    .sort((a, b) => b.length - a.length);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
