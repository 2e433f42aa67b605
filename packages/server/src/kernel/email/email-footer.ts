// Adds links, such as to the imprint, to the end of every email.
import type { Language } from '@chauffeur/contract/texts/messages';
import { escapeHtml } from '../text/escape-html.ts';
import type { Email, Mailer } from './email.ts';
import { MAIL_END } from './html-email.ts';

type Link = { readonly label: string; readonly url: string };

/** Returns a mailer that adds the links for readers of each email's language. */
export function addEmailFooters(mailer: Mailer, linksIn: (language: Language) => readonly Link[]): Mailer {
  return { ...mailer, send: (mail) => mailer.send(withFooter(mail, linksIn(mail.language ?? 'en'))) };
}

/** The start of a signature (RFC 3676, section 4.3), which an email may already have. */
const SIGNATURE = /^-- $/m;

function withFooter(mail: Email, links: readonly Link[]): Email {
  if (links.length === 0) return mail;
  const { text, html } = mail;
  const lines = links.map(({ label, url }) => `${label}: ${url}`).join('\n');
  const start = SIGNATURE.test(text) ? '\n' : '\n\n-- \n';
  const items = links.map(({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`).join(' · ');
  const element = `<p style="margin: 32px 0 0; font-size: 13px; opacity: 0.7">${items}</p>\n`;
  return {
    ...mail,
    text: `${text.trimEnd()}${start}${lines}\n`,
    ...(html !== undefined && { html: html.replace(MAIL_END, () => element + MAIL_END) }),
  };
}
