// cspell:ignore anzeigen Englisch hochgeladen Keine Spiele Startet Treffer
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CATALOGUES } from '@chauffeur/contract/texts/catalogue';
import { formatFriendlyPlatform, formatScan } from '@chauffeur/contract/texts/download-texts';
import { isForProgram, type MessageKey, PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import { chooseLanguage } from '../request/negotiation.ts';
import { type HtmlPart, html } from './pages/html.ts';
import { formatLaunch, formatSource, textsOf } from './texts.ts';

const KEYS = Object.keys(CATALOGUES.en) as MessageKey[];
const [en, de] = [textsOf('en'), textsOf('de')];

/** The values and tags of a message. */
function namesOf(message: string): string[] {
  const names = [...message.matchAll(/\{(\w+)[,}]|<(\w+)>/g)].map(([, value, tag]) => value ?? `<${tag}>`);
  return [...new Set(names)].sort();
}

describe('the catalogue', () => {
  test('has the same messages with the same values in each language', () => {
    for (const language of PAGE_LANGUAGES) {
      assert.deepEqual(Object.keys(CATALOGUES[language]), KEYS, language);
      for (const key of KEYS) {
        assert.deepEqual(namesOf(CATALOGUES[language][key]), namesOf(CATALOGUES.en[key]), `${key} in ${language}`);
        const values = namesOf(CATALOGUES[language][key]).map((name) =>
          name.startsWith('<') ? [name.slice(1, -1), (content: HtmlPart) => html`<i>${content}</i>`] : [name, 2],
        );
        assert.notEqual(textsOf(language).html(key, Object.fromEntries(values)).text.trim(), '');
      }
    }
  });

  test('has no message that nothing uses, and the program has its own', () => {
    const root = join(import.meta.dirname, '../../../..');
    const read = (folder: string) => {
      const files = globSync('**/*.{ts,tsx}', { cwd: join(root, folder) }).filter((path) => !/\.test\.ts$/.test(path));
      return files.map((path) => readFileSync(join(root, folder, path), 'utf8')).join('\n');
    };
    const shared = read('packages/contract/src/texts');
    const isUsedBy = (source: string) => {
      // Keys with a variable part, such as `shelf.${shelf}`.
      const families = [...source.matchAll(/`([\w.]+\.)\$\{[^`]+?\}([\w.]*)`/g)].map(
        ([, start = '', end = '']) => new RegExp(`^${RegExp.escape(start)}[\\w.]+${RegExp.escape(end)}$`),
      );
      return (key: string) => source.includes(`'${key}'`) || families.some((family) => family.test(key));
    };
    const program = isUsedBy(shared + read('packages/web/src'));
    const server = isUsedBy(shared + read('packages/server/src'));
    assert.deepEqual(
      KEYS.filter((key) => !server(key) && !(isForProgram(key) && program(key))),
      [],
    );
  });
});

describe('a visitor gets', () => {
  const choose = (accepted?: string, lang?: string, cookie?: string) => chooseLanguage({ lang, cookie, accepted });

  test('the language that the browser prefers, or English', () => {
    assert.equal(choose('de-AT,de;q=0.9,en;q=0.8'), 'de');
    assert.equal(choose('fr,en;q=0.5,de;q=0.4'), 'en');
    assert.equal(choose('fr,de;q=0.3,en;q=0.1'), 'de');
    for (const accepted of [undefined, '', '*', 'fr', 'de;q=0', 'x'.repeat(9000), ';;,=,q=1', 'EN'])
      assert.equal(choose(accepted), 'en', String(accepted));
  });

  test('the language of the address, or else what they chose before', () => {
    assert.equal(choose('de', 'en'), 'en');
    assert.equal(choose('en', undefined, 'a=b; chauffeur.language=de'), 'de');
    assert.equal(choose('de', 'en', 'chauffeur.language=de'), 'en');
    assert.equal(choose('de', 'fr', 'chauffeur.language=<x>'), 'de');
    assert.equal(choose('en', undefined, 'other.chauffeur.language=de'), 'en');
  });
});

test('numbers, sizes and dates are written as in the language', () => {
  assert.deepEqual(
    [en.size(1), en.size(1023), en.size(70_250), en.size(112_000_000)],
    ['1 byte', '1,023 bytes', '68.6 KiB', '107 MiB'],
  );
  assert.deepEqual(
    [de.size(1), de.size(1023), de.size(70_250), de.size(112_000_000)],
    ['1 Byte', '1.023 Byte', '68,6 KiB', '107 MiB'],
  );
  const [time, now] = [new Date('2026-11-03T23:30:00Z'), new Date('2026-12-01T00:00:00Z')];
  assert.deepEqual([en.recentDay(time, now), de.recentDay(time, now)], ['3 Nov', '3. Nov.']);
  assert.equal(en.recentDay(time, new Date('2027-01-01T00:00:00Z')), '3 Nov 2026');
  assert.deepEqual([en.compactNumber(9999), en.compactNumber(12_345)], ['9,999', '12.3K']);
  assert.deepEqual(
    [en.languages(['en', 'pt-BR', 'zz']), de.languages(['en', 'nope!'])],
    ['English, Brazilian Portuguese, zz', 'Englisch, nope!'],
  );
});

test('plurals follow the rules of the language', () => {
  assert.deepEqual(
    [en.t('releases.count', { count: 1 }), en.t('releases.count', { count: 1200 })],
    ['1 release', '1,200 releases'],
  );
  assert.deepEqual(
    [de.t('releases.count', { count: 1 }), de.t('releases.count', { count: 1200 })],
    ['1 Veröffentlichung', '1.200 Veröffentlichungen'],
  );
});

test('values of a message are escaped, and tags are written by the page', () => {
  assert.equal(en.html('by', { developer: '<b>' }).text, 'By &lt;b&gt;');
  const link = en.html('follow.feed', { link: (text) => html`<a href="/feed">${text}</a>` });
  assert.equal(link.text, 'With a feed reader, follow the <a href="/feed">feed of releases</a> instead.');
});

test('a download has its platform, scan result and origin', () => {
  assert.deepEqual(
    [
      formatFriendlyPlatform(en, { os: 'macos', arch: 'arm64' }),
      formatFriendlyPlatform(de, { os: 'windows', arch: 'x86_64' }),
      formatFriendlyPlatform(en, { os: 'linux', arch: 'riscv64' }),
      formatFriendlyPlatform(de, { os: 'web', arch: 'wasm32' }),
    ],
    ['macOS Apple silicon', 'Windows, 64 Bit', 'Linux riscv64', 'Browser'],
  );
  const offer = {
    origin: { type: 'deploy_key', key_ref: 'a1b2c3d4' },
    scanned_at: '2026-11-03T12:00:00.000Z',
    file: { status: 'clean' },
  } as Parameters<typeof formatScan>[1];
  const now = new Date('2026-12-01T12:00:00Z');
  assert.equal(formatScan(en, offer, now), 'Scanned clean with ClamAV, 3 Nov · uploaded with deploy key a1b2c3d4');
  assert.equal(
    formatScan(de, offer, now),
    'Von ClamAV geprüft und sauber, 3. Nov. · mit dem Deploy-Key a1b2c3d4 hochgeladen',
  );
  const login = { type: 'cli_login', key_ref: 'chf_cli_a1b2c3', user: 'Ada' } as const;
  assert.equal(formatSource(en, login), 'Chauffeur command, by Ada (login chf_cli_a1b2c3)');
  assert.equal(formatScan(en, { ...offer, origin: login }, now).split(' · ')[1], 'uploaded by Ada');
});

test('launch health says how often a game starts, or crashes if that lowers its band', () => {
  const launch = (starts_percent: number, crashes_percent: number) => ({ starts_percent, crashes_percent });
  assert.equal(formatLaunch(en, 'healthy', launch(94, 3)), 'Starts for 94% of players');
  assert.equal(formatLaunch(de, 'healthy', launch(94, 3)), 'Startet bei 94 % der Spieler');
  assert.equal(formatLaunch(en, 'problematic', launch(61, 20)), 'Starts for 61% of players');
  assert.equal(formatLaunch(en, 'mixed', launch(99, 4)), 'Crashes on start for 4% of players');
  assert.equal(formatLaunch(en, 'problematic', launch(99, 11)), 'Crashes on start for 11% of players');
  assert.equal(formatLaunch(en, 'mixed', launch(99, 6.3)), 'Crashes on start for 6.3% of players');
  assert.equal(formatLaunch(de, 'mixed', launch(99, 6.3)), 'Stürzt bei 6,3 % der Spieler beim Start ab');
  // The rounded percentages meet the limits of a better band, the exact ones don't.
  assert.equal(formatLaunch(en, 'mixed', launch(99, 3)), 'Crashes on start for 3% of players');
  assert.equal(formatLaunch(en, 'mixed', launch(93, 1)), 'Starts for 93% of players');
  assert.equal(formatLaunch(en, 'unrated', null), null);
});
