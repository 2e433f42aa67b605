// Tests of which addresses are those of chats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findChatProblem } from './chat-addresses.ts';

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
