// Tests of the messages, which are as the documentation of each chat describes them, and of the addresses of chats.
// Slack's and Discord's are checked by their own types when this compiles, and here for their limits.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import type { HeaderBlock } from '@slack/types';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../kernel/secrets/ids.ts';
import type { Alert, CrashFacts, WeeklySummary } from './alert.ts';
import { contentOf, type Line, type Message, ofKinds, restOf, subjectOf } from './message.ts';
import {
  alertEmail,
  discordMessage,
  findChatProblem,
  secretOf,
  signedHeaders,
  slackMessage,
  teamsMessage,
  webhookBody,
} from './message-formats.ts';

// Its modules for import don't work in Node.
const { AdaptiveCard, SerializationContext } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof import('adaptivecards');

const AT = new Date('2026-12-01T12:00:00Z');
const BUILD = { build_id: newId(), version: '1.2', os: 'windows', arch: 'x86_64' };

const LINKS = {
  unsubscribePage: 'https://games.example/unsubscribe/t',
  unsubscribe: 'https://games.example/api/v1/public/alerts/unsubscribe?token=t',
  settings: 'https://games.example/dev/night-owls/settings/alerts',
};

/** A title that tries to be more than text in each chat. */
const TRICKY = '<!channel> @everyone **bold** [a](http://evil.example) <b>& "x" \u202e$& `code`';

const SUMMARY: WeeklySummary = {
  first_day: '2026-11-23',
  reports: 1204,
  new_groups: 1,
  fixed_groups: 3,
  devices: 5120,
  crashed_devices: 92,
  adoption: [
    { version: '1.2', share: 0.714 },
    { version: '1.1', share: 0.2 },
  ],
  downloads: 880,
  top_groups: [{ group_id: newId(), title: TRICKY, reports: 301 }],
  before: { reports: 1368, devices: 5000, crashed_devices: 105, downloads: 880 },
};

const ONE_OF_EACH: readonly Alert[] = (
  [
    { kind: 'new_group', data: { group_id: newId(), title: TRICKY } },
    { kind: 'regression', data: { group_id: newId(), title: 'Door::open', fixed_in_version: '1.1' } },
    { kind: 'snooze_ended', data: { group_id: newId(), title: 'Door::close' } },
    { kind: 'spike', data: { group_id: newId(), title: 'Door::open', reports: 1500, usual: 2.5 } },
    { kind: 'first_crash', data: BUILD },
    { kind: 'health_dropped', data: { ...BUILD, from: 'healthy', to: 'problematic' } },
    {
      kind: 'rollout',
      data: {
        ...{ rollout_id: newId(), version: '1.3', channel: 'stable', share: 5, what: 'paused' },
        guards: [
          ...[{ guard: 'crash_free', good: 91, devices: 100, base_good: 1980, base_devices: 2000, needed: 100 }],
        ] as const,
        groups: [{ group_id: newId(), title: 'Door::open', devices: 9, base_devices: 0 }],
      },
    },
    { kind: 'new_bug', data: { bug_id: newId(), message: 'The door\nis stuck', filed_by: 'Nora' } },
    { kind: 'upload_rejected', data: { ...BUILD, filename: 'game.zip', detail: 'Eicar-Signature' } },
    {
      kind: 'upload_rejected',
      data: { video_id: '01a20b7d-8573-70fc-b8cb-f3c9609c8160', filename: 'trailer.mp4', detail: 'Eicar-Signature' },
    },
    { kind: 'quota_low', data: { quota: 'storage', used: 900_000, limit: 1_000_000 } },
    { kind: 'weekly_summary', data: SUMMARY },
  ] as const
).map(({ kind, data }) => ({ kind, subject: newId(), happenedAt: AT, data })) as Alert[];

const many = (count: number): Alert[] =>
  Array.from({ length: count }, () => ({
    kind: 'new_group',
    subject: newId(),
    happenedAt: AT,
    data: { group_id: newId(), title: '*'.repeat(255) },
  }));

const CRASH: CrashFacts = {
  crash_id: newId(),
  version: '1.2',
  os: 'windows',
  arch: 'x86_64',
  reason: 'EXCEPTION_ACCESS_VIOLATION_READ',
  functions: ['Door::open (door.cc:14)', 'Level::load'],
  reports: 40,
  devices: 12,
  since: '2026-12-01T09:05:00.000Z',
  is_cut: false,
  user_message: `I opened the door. See https://evil.example ${TRICKY}`,
  picture_crash_id: newId(),
};

/** The longest facts that there can be. */
const LONG: CrashFacts = {
  ...CRASH,
  version: '🦉'.repeat(64),
  reason: '*'.repeat(255),
  functions: Array.from({ length: 5 }, () => '🦉'.repeat(255)),
  user_message: '🦉'.repeat(300),
  is_cut: true,
};

const withFacts = (crash: CrashFacts, count = 1, title = TRICKY): Alert[] =>
  Array.from({ length: count }, () => ({
    kind: 'new_group',
    subject: newId(),
    happenedAt: AT,
    data: { group_id: newId(), title, crash },
  }));

const BUG = { build: { version: '1.2', os: 'windows', arch: 'x86_64' }, steps: TRICKY, screenshots: 2 } as const;

/** Alerts whose facts are not about a crash group that members triage. */
const OTHERS_WITH_FACTS: readonly Alert[] = [
  {
    kind: 'first_crash',
    subject: newId(),
    happenedAt: AT,
    data: { ...BUILD, group_id: newId(), title: TRICKY, crash: CRASH },
  },
  {
    kind: 'new_bug',
    subject: newId(),
    happenedAt: AT,
    data: { bug_id: newId(), message: 'The door', filed_by: 'Nora', bug: BUG },
  },
];

const oneOf = (kind: Alert['kind']) => ONE_OF_EACH.find((alert) => alert.kind === kind)!;

/** The links that alerts about groups have. Their tokens are as long as real ones. */
const actionsOf = ({ data }: Line): Message['lines'][number]['actions'] =>
  'group_id' in data
    ? (['assign', 'resolve', 'snooze'] as const).map((action) => ({
        action,
        label: action,
        url: `https://games.example/dev/night-owls/alerts/${'t'.repeat(74)}`,
      }))
    : [];

function messageOf(alerts: readonly Alert[], reason: Message['reason'] = 'alerts'): Message {
  const { lines, more } = contentOf(alerts, 'night-owls');
  return {
    lines: lines.map((line) => ({ ...line, actions: actionsOf(line) })),
    more,
    reason,
    messageId: newId(),
    deliveryId: newId(),
    game: { uid: newId(), name: 'Night Owls', url: 'https://games.example/dev/night-owls' },
    site: 'https://games.example',
    createdAt: AT,
  };
}

describe('a message', () => {
  test('about one alert has it as its subject, and about several counts them', () => {
    assert.equal(subjectOf(messageOf([oneOf('regression')])), 'Night Owls: Regression: Door::open (fixed in 1.1)');
    assert.equal(
      subjectOf(messageOf([...many(2), oneOf('new_bug')])),
      'Night Owls: 2 new crash groups, 1 new bug ticket',
    );
    assert.equal(subjectOf(messageOf([], 'test')), 'Night Owls: test alert');
  });

  test('has a line for each alert, with a link to what it is about', () => {
    const { lines } = messageOf(ONE_OF_EACH);
    assert.deepEqual(
      lines.slice(1).map(({ heading, text }) => `${heading}: ${text}`),
      [
        'Regression: Door::open (fixed in 1.1)',
        'Snooze ended: Door::close',
        'Spike: Door::open: 1,500 reports within an hour, usually 2.5',
        'First crash: 1.2 for Windows x86_64',
        'Launch health dropped: 1.2 for Windows x86_64: from healthy to problematic',
        'Rollout paused: 1.3 on stable at 5% of devices: it is worse than the current version',
        'New bug ticket: The door is stuck (Nora)',
        'Upload rejected: game.zip of 1.2 for Windows x86_64: Eicar-Signature',
        'Video rejected: trailer.mp4: Eicar-Signature',
        'Limit nearly reached: 90% of the storage used, 879 KiB of 977 KiB. When it is full, uploads fail.',
        'Weekly summary: the seven days from 2026-11-23',
      ],
    );
    for (const { path } of lines) assert.match(path, /^\/dev\/night-owls(\/[\w/-]+)?$/);
    assert.ok(lines[0]!.path.endsWith(`/crashes/groups/${(ONE_OF_EACH[0]!.data as { group_id: string }).group_id}`));
  });

  test('has room for twenty alerts and counts the rest', () => {
    const message = messageOf(many(1000));
    assert.equal(message.lines.length, 20);
    assert.equal(restOf(message), 'and 980 more new crash groups');
    assert.equal(subjectOf(message), 'Night Owls: 1,000 new crash groups');
  });

  test('for a destination has only the kinds that it gets', () => {
    const content = contentOf([...many(30), oneOf('new_bug')], 'night-owls');
    assert.deepEqual(ofKinds(content, ['new_bug']), { lines: [], more: { new_bug: 1 } });
    assert.equal(ofKinds(content, ['new_group']).lines.length, 20);
    assert.equal(ofKinds(content, null).lines.length, 20);
  });
});

describe('a weekly summary', () => {
  const message = messageOf([ONE_OF_EACH.at(-1)!], 'digest');
  const first = '1,204 crash reports (12% fewer than the week before), 1 new group, 3 fixed';

  test('compares the week with the one before, and lists the groups with the most reports', () => {
    assert.equal(subjectOf(message), 'Night Owls: Weekly summary: the seven days from 2026-11-23');
    const details = message.lines[0]?.details ?? [];
    assert.deepEqual(
      details.slice(0, 4).map(({ text }) => text),
      [
        first,
        '98.2% of 5,120 devices without a crash (97.9% the week before)',
        'On the last day, 71.4% played 1.2, 20% played 1.1',
        '880 downloads (as many as the week before)',
      ],
    );
    assert.match(details[4]?.text ?? '', /^301 reports of <!channel>/);
    for (const { path } of details) assert.match(path, /^\/dev\/night-owls\/[\w/-]+$/);
  });

  test('says only what there is to say', () => {
    const quiet = {
      ...SUMMARY,
      devices: 0,
      crashed_devices: 0,
      adoption: [],
      downloads: 0,
      top_groups: [],
      before: null,
    };
    const { lines } = messageOf([{ kind: 'weekly_summary', subject: '', happenedAt: AT, data: quiet }]);
    assert.deepEqual(
      lines[0]?.details?.map(({ text }) => text),
      ['1,204 crash reports, 1 new group, 3 fixed'],
    );
  });

  test('says that versions of which only sessions are known are unrated', () => {
    const sessions = (only: object) => {
      const data = { ...SUMMARY, only_sessions: { sessions: 0, crashes: 0, versions: [], version_count: 0, ...only } };
      const { lines } = messageOf([{ kind: 'weekly_summary', subject: '', happenedAt: AT, data }]);
      return lines[0]?.details?.map(({ text }) => text).filter((text) => text.includes('session'));
    };
    const unrated = "Launches are unrated: only sessions of Sentry's SDKs are known";
    assert.deepEqual(sessions({}), []);
    assert.deepEqual(sessions({ sessions: 1204, crashes: 12, versions: ['2.0'], version_count: 1 }), [
      `99% of 1,204 sessions of 2.0 without a crash. ${unrated}`,
    ]);
    assert.deepEqual(sessions({ sessions: 1, crashes: 2, versions: ['2.0', '1.9'], version_count: 4 }), [
      `0% of 1 session of 2.0, 1.9 and 2 more without a crash. ${unrated}`,
    ]);
  });

  test('is whole in each format, and its titles are only text', () => {
    const mail = alertEmail('a@example.com', message, { unsubscribePage: '', unsubscribe: '', settings: '' });
    const discord = discordMessage(message).embeds?.[0]?.description ?? '';
    const [slack, teams] = [JSON.stringify(slackMessage(message)), JSON.stringify(teamsMessage(message))];
    for (const text of [mail.text, mail.html ?? '', slack, teams, discord.replaceAll('\\', '')])
      assert.ok(text.includes(first) && text.includes('301 reports of'), text);
    assert.doesNotMatch(mail.html ?? '', /<!channel>/);
    assert.match(discord, /\\<!channel\\> \\@everyone/);
  });
});

describe('the facts about a crash', () => {
  const message = messageOf(withFacts(CRASH));

  test('say what is needed to decide, one on each line', () => {
    assert.deepEqual(
      message.lines[0]?.facts?.map(({ name, text }) => `${name}: ${text}`),
      [
        'Build: 1.2 for Windows x86_64',
        'Reason: EXCEPTION_ACCESS_VIOLATION_READ',
        'Your code: Door::open (door.cc:14) ← Level::load',
        'Hit: 12 devices, 40 reports since 2026-12-01 09:05 UTC',
        'Player: “I opened the door. See https: //evil. example <!channel> @ everyone **bold** [a](http: //evil. example) <b>& "x"  $& `code`”',
        'Picture: Sign in to see it',
      ],
    );
    assert.match(
      message.lines[0]?.facts?.at(-1)?.path ?? '',
      new RegExp(`^/dev/night-owls/crashes/reports/${CRASH.picture_crash_id}$`),
    );
    const unknown = { ...CRASH, reason: null, functions: [], devices: 0, user_message: null, picture_crash_id: null };
    assert.deepEqual(
      messageOf(withFacts({ ...unknown, is_cut: true })).lines[0]?.facts?.map(({ text }) => text),
      ['1.2 for Windows x86_64', 'at least 40 reports since 2026-12-01 09:05 UTC'],
    );
  });

  test('and what a player was doing, are also known of a first crash and of a new ticket', () => {
    const [first, bug] = messageOf(OTHERS_WITH_FACTS).lines;
    assert.match(first?.text ?? '', /^1\.2 for Windows x86_64: <!channel> @everyone/);
    assert.match(first?.path ?? '', /^\/dev\/night-owls\/crashes\/groups\//);
    assert.deepEqual(first?.facts, message.lines[0]?.facts);
    assert.deepEqual(first?.actions.length, 3);
    assert.deepEqual(
      bug?.facts?.map(({ name, text }) => `${name}: ${text}`),
      [
        'Build: 1.2 for Windows x86_64',
        'Doing: “<!channel> @ everyone **bold** [a](http: //evil. example) <b>& "x"  $& `code`”',
        'Pictures: 2, sign in to see them',
      ],
    );
    assert.deepEqual(bug?.actions, []);
    const { description = '' } = discordMessage(messageOf(OTHERS_WITH_FACTS)).embeds![0]!;
    assert.doesNotMatch(description, /(?<!\\)@everyone|(?<!\\)<!channel|https?:\/\/evil|\[a\]\(/);
  });

  test('are in every format, with links to open, assign, resolve and snooze', () => {
    const slack = JSON.stringify(slackMessage(message));
    const { description = '' } = discordMessage(message).embeds![0]!;
    const teams = JSON.stringify(teamsMessage(message));
    const mail = alertEmail('a@example.com', message, LINKS);
    for (const text of [slack, description, teams, mail.text, mail.html ?? '']) {
      for (const part of ['EXCEPTION', 'Level', '12 devices', 'I opened the door', 'Sign in to see it'])
        assert.ok(text.includes(part), `${part}: ${text}`);
      for (const { url } of message.lines[0]!.actions) assert.ok(text.includes(url), text);
      assert.ok(text.includes(`/crashes/reports/${CRASH.picture_crash_id}`), text);
    }
    const { alerts } = webhookBody(message) as { alerts: { data: object; actions: object }[] };
    assert.deepEqual(alerts[0]?.data, withFactsOf(message));
    assert.deepEqual(Object.keys(alerts[0]?.actions ?? {}), ['assign', 'resolve', 'snooze']);
  });

  test('of players are neither mentions nor links nor markup', () => {
    const { description = '' } = discordMessage(message).embeds![0]!;
    assert.doesNotMatch(description, /(?<!\\)@everyone|(?<!\\)<!channel|https:\/\/evil|\[a\]/);
    const { html = '', text } = alertEmail('a@example.com', message, LINKS);
    assert.doesNotMatch(html, /<b>& |<!channel|https:\/\/evil/);
    assert.doesNotMatch(text, /https:\/\/evil/);
    for (const { type } of elementsOf(slackMessage(message))) assert.match(type, /^(text|link)$/);
    assert.doesNotMatch(slackMessage(message).text, /[<>]/);
  });

  test('are left out before other alerts are, and never make a message too long', () => {
    for (const [count, crash, title] of [
      [1, LONG, '🦉'.repeat(255)],
      [5, LONG, '*'.repeat(255)],
      [20, LONG, '🦉'.repeat(255)],
      [1000, CRASH, 'Door::open'],
      [1000, LONG, '*'.repeat(255)],
    ] as const) {
      const long = messageOf(withFacts(crash, count, title));
      const [embed] = discordMessage(long).embeds!;
      assert.ok(embed!.description!.length <= 4096 && embed!.description!.length + embed!.title!.length <= 6000);
      const teams = teamsMessage(long);
      assert.ok(Buffer.byteLength(JSON.stringify(teams)) < 28_000);
      assert.deepEqual(problemsOf(teams), []);
      const { blocks } = slackMessage(long);
      assert.ok(blocks.length <= 50);
      for (const block of blocks)
        assert.ok(
          elementsOf({ blocks: [block] })
            .map(({ text }) => text)
            .join('').length <= 3000,
        );
    }
    // Twenty short alerts fit, and the first ones have facts.
    const { description = '' } = discordMessage(messageOf(withFacts(CRASH, 20, 'Door::open'))).embeds![0]!;
    assert.equal(description.match(/^- /gm)?.length, 20);
    assert.match(description.split('\n')[1] ?? '', /Build/);
  });

  test('are missing in alerts of an older version, whose messages still have links', () => {
    const old = messageOf([oneOf('regression')]);
    assert.equal(old.lines[0]?.facts, undefined);
    assert.match(discordMessage(old).embeds?.[0]?.description ?? '', /\n {2}- \[Open\].*\[snooze\]/);
    const stored = JSON.parse(JSON.stringify(old)) as Message;
    assert.deepEqual(slackMessage({ ...stored, createdAt: AT }), slackMessage(old));
  });
});

/** The data of the message's only line. */
function withFactsOf({ lines }: Message): object {
  return lines[0]!.data;
}

/** The texts and links in the blocks of a message for Slack. */
function elementsOf({ blocks }: { blocks: readonly object[] }): { type: string; text: string }[] {
  const found: { type: string; text: string }[] = [];
  JSON.stringify(blocks, (_, value) => {
    if (typeof value?.text === 'string' && value.type !== 'plain_text') found.push(value);
    return value;
  });
  return found;
}

/** What Microsoft's parser of adaptive cards objects to. */
function problemsOf(message: ReturnType<typeof teamsMessage>): string[] {
  const context = new SerializationContext();
  new AdaptiveCard().parse(message.attachments[0].content, context);
  return Array.from({ length: context.eventCount }, (_, no) => context.getEventAt(no).message);
}

describe('Slack', () => {
  test('gets texts that are neither mentions nor links', () => {
    const { text, blocks } = slackMessage(messageOf([ONE_OF_EACH[0]!]));
    assert.match(text, /&lt;!channel&gt;/);
    assert.doesNotMatch(text, /[<>]/);
    assert.deepEqual(
      blocks.map(({ type }) => type),
      ['header', 'rich_text', 'rich_text'],
    );
    assert.match(JSON.stringify(blocks), /"type":"text","text":": <!channel> @everyone/);
  });

  test('gets at most 50 blocks and a header of 150 characters', () => {
    const { blocks } = slackMessage(messageOf(many(1000)));
    assert.ok(blocks.length <= 50);
    const [header] = slackMessage({ ...messageOf(many(1)), game: { uid: '', name: 'x'.repeat(300), url: '' } }).blocks;
    assert.equal((header as HeaderBlock).text.text.length, 150);
  });
});

describe('Discord', () => {
  test('gets texts without formatting, and notifies no one', () => {
    const { embeds, allowed_mentions } = discordMessage(messageOf([ONE_OF_EACH[0]!]));
    assert.deepEqual(allowed_mentions, { parse: [] });
    assert.match(embeds?.[0]?.description ?? '', /\\<!channel\\> \\@everyone \\\*\\\*bold/);
  });

  test('gets at most 4,096 characters, and 256 in the title', () => {
    const { embeds } = discordMessage(messageOf(many(1000)));
    const [embed] = embeds!;
    assert.ok(embed!.description!.length <= 4096);
    assert.ok(embed!.title!.length <= 256);
    assert.match(embed!.description!, /\nand more$/);
  });
});

describe('Microsoft Teams', () => {
  test('gets an adaptive card without errors, of less than 28 KB', () => {
    for (const alerts of [[], ONE_OF_EACH, many(1000)]) {
      const message = teamsMessage(messageOf(alerts, alerts.length === 0 ? 'test' : 'alerts'));
      assert.ok(JSON.stringify(message).length < 28_000);
      const context = new SerializationContext();
      const card = new AdaptiveCard();
      card.parse(message.attachments[0].content, context);
      assert.equal(
        context.eventCount,
        0,
        JSON.stringify([...Array(context.eventCount).keys()].map((no) => context.getEventAt(no).message)),
      );
      assert.equal(card.getItemCount(), message.attachments[0].content.body.length);
    }
  });
});

describe('a webhook', () => {
  test('gets JSON that is signed for the standard verification', () => {
    const message = messageOf(ONE_OF_EACH);
    const body = JSON.stringify(webhookBody(message));
    const destination = { destinationId: newId(), secretVersion: 1 };
    const now = new Date();
    const headers = signedHeaders('the secret of the service', destination, {
      deliveryId: message.deliveryId,
      body,
      now,
    });
    const secret = secretOf('the secret of the service', destination);
    const verified = new Webhook(secret).verify(body, headers) as { alerts: unknown[]; game: unknown };
    assert.deepEqual(verified.game, message.game);
    assert.equal(verified.alerts.length, ONE_OF_EACH.length);
    for (const other of [
      secretOf('the secret of the service', { ...destination, secretVersion: 2 }),
      secretOf('another secret', destination),
    ])
      assert.throws(() => new Webhook(other).verify(body, headers), /No matching signature/);
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers), /No matching signature/);
  });
});

describe('a mail', () => {
  test('can be unsubscribed from with one click', () => {
    const { headers } = alertEmail('a@example.com', messageOf(ONE_OF_EACH), LINKS);
    assert.equal(headers?.['List-Unsubscribe'], `<${LINKS.unsubscribe}>`);
    assert.equal(headers?.['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click');
  });

  test('has the same in text and in HTML, where texts are not markup', () => {
    const { text, html = '' } = alertEmail('a@example.com', messageOf([ONE_OF_EACH[0]!, ...many(30)]), LINKS);
    assert.match(text, /New crash group: <!channel> @everyone/);
    assert.match(text, /and 11 more new crash groups:\n/);
    assert.match(html, /&lt;!channel&gt; @everyone/);
    assert.match(html, /&lt;b&gt;&amp; &quot;x&quot;/);
    assert.match(html, /and 11 more new crash groups/);
    for (const link of [LINKS.unsubscribePage, LINKS.settings]) assert.ok(text.includes(link) && html.includes(link));
  });
});

const ADDRESSES = {
  slack: ['https://hooks.slack.com/services/T000/B000/x0', 'https://hooks.slack-gov.com/services/T000/B000/x0'],
  discord: [
    'https://discord.com/api/webhooks/123456/a-b_C',
    'https://discordapp.com/api/webhooks/123456/abc',
    'https://canary.discord.com/api/v10/webhooks/123456/abc?thread_id=9',
  ],
  teams: [
    'https://prod-12.westeurope.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke?sig=x',
    'https://default1234.56.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/abc',
    'https://studio.webhook.office.com/webhookb2/abc/IncomingWebhook/def',
  ],
} as const;

test('the addresses of a chat are accepted for this chat only', () => {
  for (const kind of ['slack', 'discord', 'teams', 'webhook'] as const)
    for (const [owner, addresses] of Object.entries(ADDRESSES))
      for (const address of addresses)
        assert.equal(findChatProblem(kind, new URL(address)) === null, ['webhook', owner].includes(kind), address);
});

test('hosts that only look like the chat, other ports and other pages of it are not accepted', () => {
  for (const address of [
    'https://evil.example/api/webhooks/123456/abc',
    'https://discord.com.evil.example/api/webhooks/123456/abc',
    'https://evildiscord.com/api/webhooks/123456/abc',
    'https://discord.com:8443/api/webhooks/123456/abc',
    'http://discord.com/api/webhooks/123456/abc',
    'https://discord.com/channels/123456/789',
    'https://discord.com/api/webhooks/123456',
    'https://discord.com/api/webhooks/123456/abc/slack',
    'https://discord.com./api/webhooks/123456/abc',
  ])
    assert.match(findChatProblem('discord', new URL(address)) ?? '', /discord\.com\/api\/webhooks/, address);
  for (const address of ['https://acme.slack.com/archives/C1', 'https://hooks.slack.com/workflows/T0/A0/1/x'])
    assert.match(findChatProblem('slack', new URL(address)) ?? '', /incoming webhook/, address);
  for (const address of [
    'https://teams.microsoft.com/l/channel/x',
    'https://logic.azure.com/x',
    'https://a.logic.azure.com',
  ])
    assert.match(findChatProblem('teams', new URL(address)) ?? '', /workflow/, address);
});
