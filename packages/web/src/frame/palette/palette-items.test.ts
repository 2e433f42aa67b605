import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SETTINGS_PARTS } from '../../pages/games/settings-parts.ts';
import { findItems, listItems, searchItems } from './palette-items.ts';

const owls = {
  game_uid: 'owls',
  picture: null,
  slug: 'owls',
  name: 'Owls of the North',
  settingsPages: SETTINGS_PARTS,
  mayPromote: true,
  versions: ['1.1.0', '1.0.0 a&b'],
};
const moths = { game_uid: 'moths', slug: 'moths', name: 'Moth Season', picture: null };
const all = listItems({ game: owls, games: [owls, moths], isSignedIn: true, isOperator: false });
const hrefs = (query: string) => findItems(all, query).map((item) => (item.kind === 'page' ? item.href : item.kind));

describe('the items of the palette', () => {
  it('begin with the sections of the open game, and have no item twice', () => {
    assert.equal(hrefs('')[0], '/dev/owls');
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  });

  it('are pages, other games, documentation and actions', () => {
    assert.equal(hrefs('crashes')[0], '/dev/owls/crashes');
    assert.equal(hrefs('moth')[0], '/dev/moths');
    assert.equal(hrefs('promote')[0], 'promote');
    assert.equal(hrefs('danger')[0], '/dev/owls/settings/danger');
    assert.equal(hrefs('back up')[0], '/docs/backups');
    assert.deepEqual(
      hrefs('failed jobs').filter((href) => href.startsWith('/operator')),
      [],
    );
  });

  const MEANT: Readonly<Record<string, readonly string[]>> = {
    '/dev/owls': ['quota', 'dashboard'],
    '/dev/owls/builds': ['compare', 'upload', 'changelog'],
    '/dev/owls/channels': ['roll back', 'rollback', 'testers'],
    '/dev/owls/crashes': ['exceptions', 'minidump'],
    '/dev/owls/bugs': ['tickets', 'feedback'],
    '/dev/owls/events': ['analytics'],
    '/dev/owls/statistics': ['visitors'],
    '/dev/owls/settings/admins': ['invite', 'team', 'roles'],
    '/dev/owls/settings/alerts': ['discord', 'slack', 'teams', 'webhook', 'notifications', 'digest'],
    '/dev/owls/settings/keys': ['deploy key', 'ci'],
    '/dev/owls/settings/issues': ['github', 'jira'],
    '/dev/owls/settings/media': ['screenshots', 'trailer'],
    '/dev/owls/settings/listing': ['rename', 'slug', 'description'],
    '/dev/owls/settings/event-files': ['export', 'parquet'],
    '/dev/owls/settings/danger': ['delete game', 'transfer'],
    '/settings/security': ['password', '2fa', 'passkey'],
    '/settings/agents': ['mcp', 'claude'],
    '/cli': ['install', 'cli'],
  };
  for (const [href, queries] of Object.entries(MEANT))
    it(`find ${href} by words that people use for it`, () => {
      assert.deepEqual(
        queries.map((query) => [query, hrefs(query)[0]]),
        queries.map((query) => [query, href]),
      );
    });

  it('keep the items of a group together', () => {
    const groups = findItems(all, 'a').map(({ group }) => group);
    const changes = groups.filter((group, index) => group !== groups[index - 1]);
    assert.equal(new Set(changes).size, changes.length);
  });

  it('find the page of a version, whose name may contain anything', () => {
    assert.equal(hrefs('1.1.0')[0], '/dev/owls/version?version=1.1.0');
    assert.equal(hrefs('version 1.0.0 a&b')[0], '/dev/owls/version?version=1.0.0+a%26b');
    assert.equal(hrefs('versions')[0], '/dev/owls/versions');
  });

  it('leave out what the role on the game does not allow', () => {
    const viewed = { ...owls, settingsPages: [], mayPromote: false };
    const items = listItems({ game: viewed, games: [], isSignedIn: true, isOperator: false });
    assert.deepEqual(
      items.filter(({ name, group }) => name === 'Promote build…' || group === 'Settings'),
      [],
    );
  });

  it('for visitors, are only the documentation and the theme', () => {
    const items = listItems({ game: null, games: [], isSignedIn: false, isOperator: false });
    assert.deepEqual(
      items.filter((item) => item.kind === 'page' && !item.href.startsWith('/docs/')),
      [],
    );
  });

  it('end with a search for what was typed', () => {
    assert.deepEqual(searchItems('', owls), []);
    const [crashes, docs] = searchItems(' a&b ', owls);
    assert.equal(crashes?.id, '/dev/owls/crashes?q=a%26b');
    assert.equal(docs?.id, '/docs/search?q=a%26b');
  });
});
