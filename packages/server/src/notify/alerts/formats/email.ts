// Messages as emails, in text and in HTML, with the headers for unsubscribing with one click (RFC 8058).

import type { Email } from '../../../kernel/email/email.ts';
import { oneLine, quote, writeEmailDocument } from '../../../kernel/email/html-email.ts';
import { escapeHtml } from '../../../kernel/text/escape-html.ts';
import { type Message, restOf, subjectOf } from '../message.ts';

type Links = {
  /** The page that asks before it unsubscribes. */
  readonly unsubscribePage: string;
  /** Unsubscribes by a POST. */
  readonly unsubscribe: string;
  /** The settings of the game's alerts. */
  readonly settings: string;
};

export function alertEmail(to: string, message: Message, links: Links): Email {
  const rest = restOf(message);
  const why = `You get this email because you are a member of ${quote(message.game.name)} on Chauffeur.`;
  return {
    to,
    subject: subjectOf(message),
    // A repeated email has the same id, so email programs show it once.
    id: message.deliveryId,
    headers: {
      'List-Unsubscribe': `<${links.unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
    text: [
      ...message.lines.map(({ heading, text, path, details = [] }) =>
        [
          `${heading}: ${text}`,
          `${message.site}${path}`,
          ...details.map((each) => `- ${each.text}\n  ${message.site}${each.path}`),
        ].join('\n'),
      ),
      ...(rest === '' ? [] : [`${rest}:\n${message.game.url}`]),
      `-- \n${why}\nSettings: ${links.settings}\nUnsubscribe: ${links.unsubscribePage}\n`,
    ].join('\n\n'),
    html: htmlOf(message, rest, why, links),
  };
}

function htmlOf(message: Message, rest: string, why: string, links: Links): string {
  const link = (address: string, text: string) => `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
  const list = (all: readonly string[]) => `<ul style="padding-left: 20px">${all.join('\n')}</ul>`;
  const items = message.lines.map(({ heading, text, path, details = [] }) => {
    const line = `<b>${link(`${message.site}${path}`, heading)}</b>: ${escapeHtml(text)}`;
    const below = details.map((each) => `<li>${link(`${message.site}${each.path}`, each.text)}</li>`);
    return `<li>${line}${below.length === 0 ? '' : list(below)}</li>`;
  });
  if (rest !== '') items.push(`<li>${link(message.game.url, rest)}</li>`);
  return writeEmailDocument([
    `<h1 style="margin: 0; font-size: 20px; line-height: 1.3">${link(message.game.url, oneLine(message.game.name))}</h1>`,
    list(items),
    `<p style="margin-top: 32px; font-size: 13px; opacity: 0.7">${escapeHtml(why)}<br>`,
    `${link(links.settings, 'Settings')} · ${link(links.unsubscribePage, 'Unsubscribe')}</p>`,
  ]);
}
