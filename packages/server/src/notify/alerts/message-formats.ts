// The formats of messages: for webhooks, emails, Slack, Discord and Microsoft Teams. Texts of alerts may come from
// players and files, so each format shows them as they are, without making mentions, links or markup of them.
import { createHmac } from 'node:crypto';
import type { DESTINATION_KINDS } from '@chauffeur/contract/operations/alerts';
import type { AnyBlock, RichTextList, RichTextSection } from '@slack/types';
import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10';
import type { Email } from '../../kernel/email/email.ts';
import { oneLine, quote, writeEmailDocument } from '../../kernel/email/html-email.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { escapeHtml } from '../../kernel/text/escape-html.ts';
import { type Message, restOf, subjectOf } from './message.ts';

/**
 * The body for a webhook of the game, signed as Standard Webhooks describes (https://www.standardwebhooks.com).
 * docs/alerts.md describes its fields. Some may be added, but none is removed or changes its meaning.
 */
export function webhookBody({ game, ...message }: Message): object {
  return {
    type: message.reason,
    message_uid: message.messageId,
    delivery_uid: message.deliveryId,
    created_at: message.createdAt.toISOString(),
    game,
    alerts: message.lines.map(({ kind, heading, text, path, at, data }) => ({
      kind,
      at,
      title: heading,
      text,
      url: `${message.site}${path}`,
      data,
    })),
    more: message.more,
  };
}

type Destination = { readonly destinationId: string; readonly secretVersion: number };

/** The secret of a webhook as people see it: `whsec_` and 32 bytes in base64. It is not stored anywhere. */
export function secretOf(serviceSecret: string, destination: Destination): string {
  return `whsec_${keyOf(serviceSecret, destination).toString('base64')}`;
}

/**
 * The headers that say what is delivered and when, and prove that it is from this service. `now` is the time of
 * sending.
 */
export function signedHeaders(
  serviceSecret: string,
  destination: Destination,
  { deliveryId, body, now }: { deliveryId: string; body: string; now: Date },
): Record<string, string> {
  const seconds = String(Math.floor(now.getTime() / 1000));
  const mac = createHmac('sha256', keyOf(serviceSecret, destination))
    .update(`${deliveryId}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': deliveryId, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${mac}` };
}

function keyOf(serviceSecret: string, { destinationId, secretVersion }: Destination): Buffer {
  return deriveKey(serviceSecret, `webhook ${destinationId} ${secretVersion}`);
}

type Links = {
  /** The page that asks before it unsubscribes. */
  readonly unsubscribePage: string;
  /** Unsubscribes when it gets a POST. */
  readonly unsubscribe: string;
  /** The page with the settings of the game's alerts. */
  readonly settings: string;
};

/** The message as an email in text and HTML, with the headers for unsubscribing with one click (RFC 8058). */
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

/** The maximum length of the text of a header block. */
const MAX_HEADER = 150;

/**
 * The body for an incoming webhook of Slack, in its Block Kit (https://docs.slack.dev/reference/block-kit/blocks).
 * Texts of alerts are elements of rich text, in which nothing is a mention or a link.
 */
export function slackMessage(message: Message): { text: string; blocks: AnyBlock[] } {
  const subject = subjectOf(message);
  const rest = restOf(message);
  const item = (...elements: RichTextSection['elements']): RichTextSection => ({ type: 'rich_text_section', elements });
  const listOf = (elements: RichTextSection[], indent: number): RichTextList => ({
    type: 'rich_text_list',
    style: 'bullet',
    indent,
    elements,
  });
  const lists = message.lines.flatMap(({ heading, text, path, details = [] }) => [
    listOf(
      [
        item(
          { type: 'link', url: `${message.site}${path}`, text: heading, style: { bold: true } },
          { type: 'text', text: `: ${text}` },
        ),
      ],
      0,
    ),
    ...(details.length === 0
      ? []
      : [
          listOf(
            details.map((each) => item({ type: 'link', url: `${message.site}${each.path}`, text: each.text })),
            1,
          ),
        ]),
  ]);
  return {
    // Notifications show this text. There, the three characters would begin a mention or a link.
    text: subject.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: [...subject].slice(0, MAX_HEADER).join(''), emoji: false } },
      ...(lists.length === 0 ? [] : [{ type: 'rich_text' as const, elements: lists }]),
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              ...(rest === '' ? [] : [{ type: 'text' as const, text: `${rest}. ` }]),
              { type: 'link', url: message.game.url, text: 'Open the game' },
            ],
          },
        ],
      },
    ],
  };
}

const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4096;
/** The room for the last line, which counts the alerts that have no line. */
const REST_ROOM = 400;

/** The body for a webhook of Discord (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
export function discordMessage(message: Message): RESTPostAPIWebhookWithTokenJSONBody {
  const lines: string[] = [];
  let length = 0;
  for (const { heading, text, path, details = [] } of message.lines) {
    const line = [
      `- **[${heading}](${message.site}${path})**: ${escapeMarkdown(text)}`,
      ...details.map((each) => `  - [${escapeMarkdown(each.text)}](${message.site}${each.path})`),
    ].join('\n');
    length += line.length + 1;
    if (length > MAX_DESCRIPTION - REST_ROOM) break;
    lines.push(line);
  }
  const rest = lines.length < message.lines.length ? 'and more' : restOf(message);
  return {
    embeds: [
      {
        title: [...subjectOf(message)].slice(0, MAX_TITLE / 2).join(''),
        url: message.game.url,
        description: [...lines, ...(rest === '' ? [] : [rest])].join('\n'),
        timestamp: message.createdAt.toISOString(),
      },
    ],
    // A name must not notify everyone in the channel.
    allowed_mentions: { parse: [] },
  };
}

/** Escapes a text so that Discord shows it as it is. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#@:-]/g, '\\$&');
}

type TextRun = {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly selectAction?: { readonly type: 'Action.OpenUrl'; readonly url: string };
};
type RichTextBlock = { readonly type: 'RichTextBlock'; readonly inlines: readonly TextRun[] };

type TeamsMessage = {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: {
        readonly $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
        readonly type: 'AdaptiveCard';
        readonly version: '1.4';
        readonly body: readonly RichTextBlock[];
        readonly actions: readonly { readonly type: 'Action.OpenUrl'; readonly title: string; readonly url: string }[];
      };
    },
  ];
};

/**
 * The body for Microsoft Teams: the adaptive card that its workflow "Post to a channel when a webhook request is
 * received" expects (https://adaptivecards.io/explorer). Text runs have no formatting inside.
 */
export function teamsMessage(message: Message): TeamsMessage {
  const block = (...inlines: TextRun[]): RichTextBlock => ({ type: 'RichTextBlock', inlines });
  const rest = restOf(message);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block({ type: 'TextRun', text: subjectOf(message), weight: 'Bolder' }),
            ...message.lines.flatMap(({ heading, text, path, details = [] }) => [
              block(
                {
                  type: 'TextRun',
                  text: heading,
                  selectAction: { type: 'Action.OpenUrl', url: `${message.site}${path}` },
                },
                { type: 'TextRun', text: `: ${text}` },
              ),
              ...details.map((each) =>
                block({
                  type: 'TextRun',
                  text: each.text,
                  selectAction: { type: 'Action.OpenUrl', url: `${message.site}${each.path}` },
                }),
              ),
            ]),
            ...(rest === '' ? [] : [block({ type: 'TextRun', text: rest })]),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open the game', url: message.game.url }],
        },
      },
    ],
  };
}

type DestinationKind = (typeof DESTINATION_KINDS)[number];

type Chat = {
  readonly hosts: RegExp;
  readonly path: RegExp;
  /** A sentence that says how to get such an address. */
  readonly remedy: string;
};

/**
 * The addresses of the webhooks of chats. Anything else that is entered as a Discord webhook is a mistake, or shares
 * the alerts of a game with a stranger.
 */
const CHATS: Readonly<Record<Exclude<DestinationKind, 'webhook'>, Chat>> = {
  // The hosts include that of Slack for governments. The addresses of workflows take messages of another form.
  slack: {
    hosts: /^hooks\.slack(-gov)?\.com$/,
    path: /^\/services\/[^/]+\/[^/]+\/[^/]+$/,
    remedy: 'Use the URL of an incoming webhook of a Slack app, which begins with https://hooks.slack.com/services/.',
  },
  // The hosts include those of test versions, and the one from before 2019. `/slack` and `/github` after the token take
  // messages of another form.
  discord: {
    hosts: /^((ptb|canary)\.)?discord(app)?\.com$/,
    path: /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+\/?$/,
    remedy: 'Copy the URL of a webhook in the settings of a channel. It begins with https://discord.com/api/webhooks/.',
  },
  // The hosts are those of workflows of Power Automate, since 2025 and before, and of the connectors that they replace.
  // Clouds of governments have separate domains.
  teams: {
    hosts: /^[\w.-]+\.(logic\.azure\.(com|us|cn)|api\.powerplatform\.(com|us|cn)|webhook\.office(365)?\.(com|us))$/,
    path: /^\/./,
    remedy: 'Use the URL of the workflow “Post to a channel when a webhook request is received” of the channel.',
  },
};

/** What to do if this is not an address of such a chat; null if it is one. */
export function findChatProblem(kind: DestinationKind, { protocol, hostname, port, pathname }: URL): string | null {
  if (kind === 'webhook') return null;
  const { hosts, path, remedy } = CHATS[kind];
  return protocol === 'https:' && port === '' && hosts.test(hostname) && path.test(pathname) ? null : remedy;
}
