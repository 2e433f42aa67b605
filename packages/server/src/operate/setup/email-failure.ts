// Explains why an email could not be sent, from the error of the email library and the reply of the email server.
// cspell:ignore ENOAUTH ECONNECTION ESOCKET ETLS EENVELOPE EMESSAGE altnames
import { type Check, fail } from './checks.ts';

/** An error of nodemailer. `response` is the reply of the server, such as `535 5.7.8 Bad credentials`. */
export type EmailError = { code?: unknown; message?: unknown; response?: unknown };

type Explanation = { readonly says: string; readonly remedy: string };

const CHECK_ADDRESS = 'Check the host and the port in CHAUFFEUR_SMTP, and that the server can reach them.';

/** Keys are the codes of nodemailer. */
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

/** `smtp` is the address of the email server. Nothing of its user and password is in the result. */
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
