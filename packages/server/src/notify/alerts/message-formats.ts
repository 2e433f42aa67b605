// The formats of messages: for webhooks, emails, Slack, Discord and Microsoft Teams. Texts of alerts may come from
// players and files, so each format shows them as they are, without making mentions, links or markup of them. Chats
// limit the length of messages: where there is no room, a line leaves out its facts, and the last lines are left out.
//
// Pictures of players are never part of a message: a chat would keep them, out of reach of the game's retention, and
// show them to everyone in the channel. A link leads to the report, for members who are signed in.
import { createHmac } from 'node:crypto';
import type { DESTINATION_KINDS } from '@chauffeur/contract/operations/alerts';
import type { AnyBlock, RichTextBlock, RichTextList, RichTextSection } from '@slack/types';
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
    alerts: message.lines.map(({ kind, heading, text, path, at, data, actions }) => ({
      kind,
      at,
      title: heading,
      text,
      url: `${message.site}${path}`,
      data,
      ...(actions.length > 0 && { actions: Object.fromEntries(actions.map(({ action, url }) => [action, url])) }),
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
      ...message.lines.map(({ heading, text, path, details = [], facts = [], actions }) =>
        [
          `${heading}: ${text}`,
          `${message.site}${path}`,
          ...facts.map((fact) => `${fact.name}: ${fact.text}${fact.path ? `: ${message.site}${fact.path}` : ''}`),
          ...actions.map(({ label, url }) => `${label}: ${url}`),
          ...details.map((each) => `- ${each.text}\n  ${message.site}${each.path}`),
        ].join('\n'),
      ),
      ...(rest === '' ? [] : [`${rest}:\n${message.game.url}`]),
      `-- \n${why}\nSettings: ${links.settings}\nUnsubscribe: ${links.unsubscribePage}\n`,
    ].join('\n\n'),
    html: htmlOf(message, rest, why, links),
  };
}

/** The style of a link that looks like a button. */
const BUTTON =
  'display: inline-block; margin: 0 4px 4px 0; padding: 4px 12px; border: 1px solid; border-radius: 4px; font-size: 14px; text-decoration: none';

function htmlOf(message: Message, rest: string, why: string, links: Links): string {
  const link = (address: string, text: string) => `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
  const list = (all: readonly string[]) => `<ul style="padding-left: 20px">${all.join('\n')}</ul>`;
  const items = message.lines.map(({ heading, text, path, details = [], facts = [], actions }) => {
    const line = `<b>${link(`${message.site}${path}`, heading)}</b>: ${escapeHtml(text)}`;
    const below = details.map((each) => `<li>${link(`${message.site}${each.path}`, each.text)}</li>`);
    const rows = facts.map(({ name, text: value, path: to }) => {
      const shown = to === undefined ? escapeHtml(value) : link(`${message.site}${to}`, value);
      return `<tr><td style="padding: 1px 12px 1px 0; vertical-align: top; white-space: nowrap; opacity: 0.7">${name}</td><td>${shown}</td></tr>`;
    });
    const button = (url: string, label: string) => `<a href="${escapeHtml(url)}" style="${BUTTON}">${label}</a>`;
    const buttons =
      actions.length === 0
        ? []
        : [button(`${message.site}${path}`, 'Open'), ...actions.map(({ label, url }) => button(url, label))];
    return [
      `<li style="margin-bottom: 16px">${line}`,
      ...(rows.length === 0 ? [] : [`<table style="margin: 6px 0; font-size: 14px">${rows.join('')}</table>`]),
      ...(buttons.length === 0 ? [] : [`<p style="margin: 6px 0">${buttons.join(' ')}</p>`]),
      ...(below.length === 0 ? [] : [list(below)]),
      '</li>',
    ].join('\n');
  });
  if (rest !== '') items.push(`<li>${link(message.game.url, rest)}</li>`);
  return writeEmailDocument([
    `<h1 style="margin: 0; font-size: 20px; line-height: 1.3">${link(message.game.url, oneLine(message.game.name))}</h1>`,
    list(items),
    `<p style="margin-top: 32px; font-size: 13px; opacity: 0.7">${escapeHtml(why)}<br>`,
    `${link(links.settings, 'Settings')} · ${link(links.unsubscribePage, 'Unsubscribe')}</p>`,
  ]);
}

type MessageLine = Message['lines'][number];

/** A chat shows the facts and actions of this many lines, so that a message fits on a screen. */
const MAX_FULL_LINES = 5;

type Room<Part> = {
  /** Formats a line; not `isFull` without its facts and actions. */
  readonly write: (line: MessageLine, isFull: boolean) => Part;
  readonly sizeOf: (part: Part) => number;
  readonly max: number;
};

/**
 * Formats as many lines as there is room for, the first ones in full: facts are added only where they don't take the
 * room of other lines.
 */
function fitLines<Part>(lines: readonly MessageLine[], { write, sizeOf, max }: Room<Part>): Part[] {
  let left = max;
  const parts: Part[] = [];
  for (const line of lines) {
    const part = write(line, false);
    if (sizeOf(part) > left) break;
    left -= sizeOf(part);
    parts.push(part);
  }
  return parts.map((part, index) => {
    if (index >= MAX_FULL_LINES) return part;
    const full = write(lines[index]!, true);
    const growth = sizeOf(full) - sizeOf(part);
    if (growth > left) return part;
    left -= growth;
    return full;
  });
}

/** The maximum length of the text of a header block. */
const MAX_HEADER = 150;
/** The maximum length of the texts of any other block. */
const MAX_BLOCK = 3000;

/**
 * The body for an incoming webhook of Slack, in its Block Kit (https://docs.slack.dev/reference/block-kit/blocks).
 * Texts of alerts are elements of rich text, in which nothing is a mention or a link. Actions are links, because Slack
 * shows a warning next to a button whose app doesn't answer when it is clicked.
 */
export function slackMessage(message: Message): { text: string; blocks: AnyBlock[] } {
  const subject = subjectOf(message);
  const rest = restOf(message);
  const blocks = message.lines.map((line, index) => {
    const full = slackBlock(message, line, index < MAX_FULL_LINES);
    return textLengthOf(full) <= MAX_BLOCK ? full : slackBlock(message, line, false);
  });
  return {
    // Notifications show this text. There, the three characters would begin a mention or a link.
    text: subject.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: [...subject].slice(0, MAX_HEADER).join(''), emoji: false } },
      ...blocks,
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

function slackBlock({ site }: Message, line: MessageLine, isFull: boolean): RichTextBlock {
  const { heading, text, path, details = [], facts = [], actions } = line;
  const item = (...elements: RichTextSection['elements']): RichTextSection => ({ type: 'rich_text_section', elements });
  const listOf = (elements: RichTextSection[], indent: number): RichTextList[] =>
    elements.length === 0 ? [] : [{ type: 'rich_text_list', style: 'bullet', indent, elements }];
  const link = (url: string, label: string) => ({ type: 'link' as const, url, text: label });
  const below = [
    ...facts.map((fact) =>
      item(
        { type: 'text', text: `${fact.name}: `, style: { bold: true } },
        fact.path === undefined ? { type: 'text', text: fact.text } : link(`${site}${fact.path}`, fact.text),
      ),
    ),
    ...(actions.length === 0
      ? []
      : [
          item(
            link(`${site}${path}`, 'Open'),
            ...actions.flatMap(({ url, label }): RichTextSection['elements'] => [
              { type: 'text', text: ' · ' },
              link(url, label),
            ]),
          ),
        ]),
  ];
  return {
    type: 'rich_text',
    elements: [
      ...listOf(
        [
          item(
            { type: 'link', url: `${site}${path}`, text: heading, style: { bold: true } },
            { type: 'text', text: `: ${text}` },
          ),
        ],
        0,
      ),
      ...listOf(isFull ? below : [], 1),
      ...listOf(
        details.map((each) => item(link(`${site}${each.path}`, each.text))),
        1,
      ),
    ],
  };
}

/** The length of the texts and addresses of a block. */
function textLengthOf(block: RichTextBlock): number {
  return JSON.stringify(block, ['elements', 'text', 'url']).length;
}

const MAX_TITLE = 256;
const MAX_DESCRIPTION = 4096;
/** The room for the last line, which counts the alerts that have no line. */
const REST_ROOM = 400;

/** The body for a webhook of Discord (https://docs.discord.com/developers/resources/webhook#execute-webhook). */
export function discordMessage(message: Message): RESTPostAPIWebhookWithTokenJSONBody {
  const lines = fitLines(message.lines, {
    write: (line, isFull) => discordLine(message, line, isFull),
    sizeOf: (text) => text.length + 1,
    max: MAX_DESCRIPTION - REST_ROOM,
  });
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

/** Actions are links: Discord leaves out the buttons of webhooks that don't belong to an application. */
function discordLine({ site }: Message, line: MessageLine, isFull: boolean): string {
  const { heading, text, path, details = [], facts = [], actions } = line;
  const link = (label: string, url: string) => `[${escapeMarkdown(label)}](${url})`;
  const below = [
    ...facts.map(({ name, text: value, path: to }) =>
      to === undefined ? `**${name}:** ${escapeMarkdown(value)}` : `**${name}:** ${link(value, `${site}${to}`)}`,
    ),
    ...(actions.length === 0
      ? []
      : [[link('Open', `${site}${path}`), ...actions.map(({ label, url }) => link(label, url))].join(' · ')]),
  ];
  return [
    `- **[${heading}](${site}${path})**: ${escapeMarkdown(text)}`,
    ...(isFull ? below : []).map((each) => `  - ${each}`),
    ...details.map((each) => `  - ${link(each.text, `${site}${each.path}`)}`),
  ].join('\n');
}

/** Escapes a text so that Discord shows it as it is. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#@:-]/g, '\\$&');
}

type OpenUrl = { readonly type: 'Action.OpenUrl'; readonly title: string; readonly url: string };
type TextRun = {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly isSubtle?: true;
  readonly selectAction?: Omit<OpenUrl, 'title'>;
};
type CardElement =
  | { readonly type: 'RichTextBlock'; readonly spacing?: 'Small'; readonly inlines: readonly TextRun[] }
  | { readonly type: 'ActionSet'; readonly actions: readonly OpenUrl[] };

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
        readonly body: readonly CardElement[];
        readonly actions: readonly OpenUrl[];
      };
    },
  ];
};

/** Teams refuses messages of 28 KB and more. The rest is for the heading, and for what surrounds the lines. */
const MAX_TEAMS_LINES = 24_000;

/**
 * The body for Microsoft Teams: the adaptive card that its workflow "Post to a channel when a webhook request is
 * received" expects (https://adaptivecards.io/explorer). Text runs have no formatting inside.
 */
export function teamsMessage(message: Message): TeamsMessage {
  const lines = fitLines(message.lines, {
    write: (line, isFull) => teamsElements(message, line, isFull),
    sizeOf: (elements) => Buffer.byteLength(JSON.stringify(elements)),
    max: MAX_TEAMS_LINES,
  });
  const rest = lines.length < message.lines.length ? 'and more' : restOf(message);
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
            textBlock({ type: 'TextRun', text: subjectOf(message), weight: 'Bolder' }),
            ...lines.flat(),
            ...(rest === '' ? [] : [textBlock({ type: 'TextRun', text: rest })]),
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open the game', url: message.game.url }],
        },
      },
    ],
  };
}

function textBlock(...inlines: TextRun[]): CardElement {
  return { type: 'RichTextBlock', inlines };
}

function teamsElements({ site }: Message, line: MessageLine, isFull: boolean): CardElement[] {
  const { heading, text, path, details = [], facts = [], actions } = line;
  const open = (to: string) => ({ type: 'Action.OpenUrl' as const, url: `${site}${to}` });
  const factElements = facts.map(
    (fact): CardElement => ({
      type: 'RichTextBlock',
      spacing: 'Small',
      inlines: [
        { type: 'TextRun', text: `${fact.name}: `, isSubtle: true },
        { type: 'TextRun', text: fact.text, ...(fact.path !== undefined && { selectAction: open(fact.path) }) },
      ],
    }),
  );
  const buttons = [
    { title: 'Open', ...open(path) },
    ...actions.map(({ label, url }) => ({ type: 'Action.OpenUrl' as const, title: label, url })),
  ];
  return [
    textBlock({ type: 'TextRun', text: heading, selectAction: open(path) }, { type: 'TextRun', text: `: ${text}` }),
    ...(isFull ? factElements : []),
    ...(isFull && actions.length > 0 ? [{ type: 'ActionSet' as const, actions: buttons }] : []),
    ...details.map((each) => textBlock({ type: 'TextRun', text: each.text, selectAction: open(each.path) })),
  ];
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
