// Agents that act for people: connected through consent or with a key, listed for the owner, disconnected and revoked.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import type { Page } from 'playwright-core';
import { connect } from '../packages/server/test/setup/agents.ts';
import { type Program, startProgram } from '../packages/server/test/setup/program.ts';
import { untilEqual } from '../packages/server/test/setup/until.ts';
import { findSeriousProblems } from './setup/accessibility.ts';
import { NO_CHROMIUM } from './setup/chromium.ts';
import { submitSignIn } from './setup/page.ts';
import { serveSite } from './setup/site.ts';
import { openStudio, type Studio } from './setup/studio.ts';

type Result = { structuredContent?: { games: { name: string }[] }; isError?: boolean };

describe('agents that act for a person', () => {
  let studio: Studio;
  let page: Page;
  const site = serveSite(async ({ service, browser }) => {
    studio = await openStudio(service, 'Owls of the North');
    if (browser === null) return;
    // Elements that are still fading in have too little contrast.
    page = await site.openPage({ reducedMotion: 'reduce' });
  });

  const open = (path: string) => page.goto(`${site.service.url}${path}`);

  test('a person signs in and allows an agent, which then reads one game', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const program = await startProgram(site.service.url);
    t.after(() => program.close());
    await page.goto(String(await program.begin()));
    await submitSignIn(page, studio);
    await page.getByRole('heading', { name: 'Let an agent act for you?' }).waitFor();
    await page.getByText('“Night owl”').waitFor();
    await page.getByText('A program on this computer').waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);
    await page.getByLabel('Games', { exact: true }).selectOption('Owls of the North only');
    await page.getByRole('button', { name: 'Allow' }).click();
    const client = await program.finish();
    const games = (await client.callTool({ name: 'list_games', arguments: {} })) as Result;
    assert.deepEqual(
      games.structuredContent?.games.map(({ name }) => name),
      ['Owls of the North'],
    );
    const args = { uid: studio.gameUid };
    assert.equal((await client.callTool({ name: 'request_deploy_key', arguments: args })).isError, true);
    const tools = OPERATIONS.filter(({ mcp }) => mcp !== undefined);
    assert.equal((await client.listTools()).tools.length, tools.length);
    await page.waitForURL(/127\.0\.0\.1:\d+\/callback\?code=/);
    await disconnect(program, client);
  });

  /** Disconnects the program on the website. Its next call fails. */
  async function disconnect(program: Program, client: Awaited<ReturnType<Program['finish']>>) {
    await open('/settings/agents');
    const connected = page.getByRole('table', { name: 'Connected agents' });
    const row = connected.getByRole('row', { name: /Night owl/ });
    await row.getByRole('cell', { name: 'Read only', exact: true }).waitFor();
    await row.getByRole('cell', { name: 'Owls of the North', exact: true }).waitFor();
    const latest = page.getByRole('table', { name: 'Agent activity' });
    await latest.getByRole('row', { name: /request_deploy_key.*Error 4031.*Night owl.*Owls of the North/ }).waitFor();
    await latest.getByRole('row', { name: /list_games.*Done.*Night owl.*No game/ }).waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);
    await row.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Night owl was disconnected.').waitFor();
    await assert.rejects(client.callTool({ name: 'list_games', arguments: {} }));
    assert.equal(program.tokens(), undefined);
  }

  test('an agent that is denied gets no access', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const program = await startProgram(site.service.url);
    t.after(() => program.close());
    await page.goto(String(await program.begin()));
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(/\/callback\?error=access_denied/);
    await assert.rejects(program.finish());
  });

  test('an invalid request explains how to connect', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/consent');
    await page.getByText('Connect again from the agent.').waitFor();
  });

  test('a personal key is created, used and revoked', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open('/settings/keys');
    await page.getByText('No personal keys yet.').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('form', { name: 'Create a personal key' });
    await form.getByLabel('Name').fill('Laptop');
    await form.getByLabel('Read and change').check();
    assert.deepEqual(await findSeriousProblems(page), []);
    await form.getByRole('button', { name: 'Create key' }).click();
    const key = await page.locator('pre', { hasText: 'chf_mcp_' }).textContent();
    const agent = await connect(site.service, key ?? '');
    t.after(() => agent.close());
    assert.equal((await agent.call('list_channels', { uid: studio.slug })).isError, undefined);
    assert.equal((await agent.call('rollback_channel', { uid: studio.slug, channel: 'stable' })).isError, true);
    await page.getByRole('button', { name: 'Revoke Laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('row', { name: /Laptop/ })
      .getByText('Revoked')
      .waitFor();
    await assert.rejects(agent.call('list_games'));
  });

  test('the owner sees the agent activity of a game, and the failed calls', async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    await open(`/dev/${studio.slug}/settings/audit`);
    const calls = page.getByRole('table', { name: 'Agent activity' });
    await calls.getByRole('row', { name: /rollback_channel.*Error 4075.*Laptop/ }).waitFor();
    await calls.getByRole('row', { name: /list_channels.*Done.*Laptop/ }).waitFor();
    await calls.getByRole('row', { name: /request_deploy_key.*Error 4031.*Night owl/ }).waitFor();
    assert.deepEqual(await findSeriousProblems(page), []);
    await page.getByLabel('Failed calls only').check();
    await page.waitForURL(/failed=only/);
    await calls.getByRole('row', { name: /list_channels/ }).waitFor({ state: 'detached' });
    // While the list is loading, all of its rows are missing.
    await calls.getByRole('row', { name: /rollback_channel/ }).waitFor();
    await untilEqual(() => calls.locator('tbody tr').count(), 2);
  });
});
