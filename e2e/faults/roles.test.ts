// Every page of a game and of an organisation, with every role: nothing that the role may not do is loaded. With three of
// them, every control is pressed: nothing else is offered, and everything that the role may do is. What each role may do
// is read from the contract.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Operation } from '@chauffeur/contract/operation';
import { isAtLeast, ROLE_NAMES, type Role } from '@chauffeur/contract/roles';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { newestLink } from '../../packages/server/test/setup/mail.ts';
import { NO_CHROMIUM } from '../setup/chromium.ts';
import { holdChanges, operationOf, pressAll } from '../setup/press-all.ts';
import { furnish, SHOWROOM_SETTINGS, type Showroom } from '../setup/showroom.ts';
import { serveSite } from '../setup/site.ts';
import { addAccount, type Session } from '../setup/studio.ts';
import { untilShown } from '../setup/visit.ts';

const WIDE = { width: 1280, height: 900 };

/** The lowest role, one in the middle, and the one with everything. Pressing all controls takes a minute for each. */
const PRESSED: readonly Role[] = ['viewer', 'developer', 'owner'];

/** What the pages called with each role, and the page that did it last. */
type Calls = Record<Role, Map<string, { readonly operation: Operation; readonly path: string }>>;

/** On a busy machine, a control may not be there yet when its turn comes. */
const TRIES = 4;

/** Only the author of a comment changes it, and members leave, except for the last owner. */
const PERSONAL = ['crashes.updateComment', 'crashes.deleteComment', 'games.leave', 'organisations.leave'];

describe('the pages of a game and of an organisation', () => {
  let showroom: Showroom;
  let people: Record<Role, Session>;
  const site = serveSite(
    async ({ service }) => {
      showroom = await furnish(service);
      const ask = askAs(service, showroom.owner.session);
      const [own] = (
        await ask<{ organisations: { organisation_uid: string; name: string }[] }>('GET', '/organisations')
      ).organisations;
      const joined = await Promise.all(
        ROLE_NAMES.filter((role) => role !== 'owner').map(async (role) => {
          const account = { email: `${role}@example.com`, password: 'another horse battery', name: `The ${role}` };
          const person = await addAccount(service, account);
          await ask('POST', `/organisations/${own?.organisation_uid}/invitations`, { email: account.email, role });
          const link = await newestLink(service, `Invitation to ${own?.name}`, account.email);
          await askAs(service, person)('POST', `/invitations/${link.split('/').at(-1)}/accept`);
          return [role, person] as const;
        }),
      );
      people = { ...Object.fromEntries(joined), owner: showroom.owner.session } as Record<Role, Session>;
    },
    { env: { ...SHOWROOM_SETTINGS, CHAUFFEUR_LIMIT_INVITATIONS: '0' } },
  );

  test('load and offer exactly what the role may do', { timeout: 600_000 }, async (t) => {
    if (site.browser === null) return t.skip(NO_CHROMIUM);
    const problems: string[] = [];
    const calls = Object.fromEntries(ROLE_NAMES.map((role) => [role, new Map()])) as Calls;
    const all = showroom.visits.map(({ path }) => path).filter((path) => /^\/(dev|org)\//.test(path));
    const tryRole = (role: Role, paths: readonly string[]) =>
      tryPages(role, paths, {
        problem: (text) => problems.push(`${role}: ${text}`),
        call: (operation, path) => calls[role].set(operation.id, { operation, path }),
      });
    await Promise.all(ROLE_NAMES.map((role) => tryRole(role, all)));
    const missingFor = (role: Role) =>
      [...calls.owner.values()].filter(
        ({ operation: { id, role: needed = 'owner' } }) =>
          isAtLeast(role, needed) && !PERSONAL.includes(id) && !calls[role].has(id),
      );
    for (const role of PRESSED) {
      for (let tries = 1; tries < TRIES && missingFor(role).length > 0; tries += 1)
        await tryRole(role, [...new Set(missingFor(role).map(({ path }) => path))]);
      const missing = missingFor(role).map(({ operation, path }) => `${operation.id} on ${path}`);
      assert.deepEqual(missing, [], `not offered to ${role}s`);
    }
    assert.deepEqual(problems, []);
    // Otherwise the test has pressed too little.
    const counted = [...calls.owner.values()].filter(({ operation }) => operation.method !== 'GET').length;
    assert.ok(counted > 30, `only ${counted} changes were tried`);
  });

  type Report = { problem(text: string): void; call(operation: Operation, path: string): void };

  async function tryPages(role: Role, paths: readonly string[], report: Report): Promise<void> {
    const page = await site.openPage({ session: people[role], viewport: WIDE, reducedMotion: 'reduce' });
    let visited = '';
    const check = (operation: Operation) => {
      report.call(operation, visited);
      if (operation.role !== undefined && !isAtLeast(role, operation.role))
        report.problem(`${visited} calls ${operation.id}`);
    };
    await holdChanges(page.context(), check);
    page.on('request', (request) => {
      const operation = operationOf(request.method(), request.url());
      if (operation !== undefined) check(operation);
    });
    for (const path of paths) {
      visited = path;
      const open = async () => {
        await page.goto(site.service.url + path);
        await untilShown(page);
      };
      await open();
      for (const alert of await page.getByRole('alert').allInnerTexts()) report.problem(`${path} shows ${alert}`);
      if (PRESSED.includes(role)) await pressAll(page, open);
    }
  }
});
