import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDocSearch } from './doc-search.ts';
import { writeResults } from './docs.ts';

const section = (page: string, heading: string, text: string) => ({
  page,
  heading,
  anchor: heading.toLowerCase(),
  text,
});
const search = createDocSearch([
  section('cli', '', 'How to ship a game.'),
  section('cli', 'Symbols', 'Uploads files of Breakpad.'),
  section('events', 'Export', 'A symbol of Zoë, in CHAUFFEUR_SMTP.'),
  section('api', 'symbols.upload', 'Uploads symbols.'),
]);
const found = (query: string) => search(query).map(({ page, heading }) => `${page} ${heading}`);

test('every word must start a word, and headings count more than text', () => {
  assert.deepEqual(found('symbol'), ['cli Symbols', 'api symbols.upload', 'events Export']);
  assert.deepEqual(found('breakpad uploads'), ['cli Symbols']);
  assert.deepEqual(found('breakpad nothing'), []);
  assert.deepEqual(found('pad'), []);
});

test('what the documentation says instead of a word is found, and so is the description of a page', () => {
  const docs = createDocSearch([
    section('update', '', 'Stop it, install, start it.'),
    section('containers', '', 'Images.'),
    section('accounts', 'Two-step sign-in', 'A second factor.'),
    section('builds', 'Roll a channel back', ''),
  ]);
  const first = (query: string) => docs(query).map(({ page }) => page);
  assert.deepEqual(first('Upgrade'), ['update']);
  assert.deepEqual(first('kubernetes'), ['containers']);
  assert.match(writeResults('kubernetes', docs('kubernetes')), /<mark>Kubernetes<\/mark>\. Images\./);
  assert.deepEqual(first('2FA login'), ['accounts']);
  assert.deepEqual(first('rollback'), ['builds']);
  assert.deepEqual(first('upgrade kubernetes'), []);
  assert.deepEqual(docs('2fa login')[0]?.words, ['2fa', 'login', 'two-step', 'second', 'factor', 'sign']);
  assert.deepEqual(first('constructor'), []);
});

test('a heading of just the words comes before others with them', () => {
  const docs = createDocSearch([section('builds', 'Who may sign in', ''), section('cli', 'Sign in', '')]);
  for (const query of ['Sign in', 'login']) assert.deepEqual(docs(query)[0]?.heading, 'Sign in', query);
});

test('case, accents and signs around words do not matter', () => {
  assert.deepEqual(found('"ZOE"?'), ['events Export']);
  assert.deepEqual(found('chauffeur_smtp'), ['events Export']);
  assert.deepEqual(found('smtp'), ['events Export']);
  assert.deepEqual(found(' - '), []);
});

test('the title and the address of a page count as the heading of its beginning', () => {
  assert.deepEqual(found('chauffeur command')[0], 'cli ');
  assert.deepEqual(found('cli'), ['cli ']);
});

test('a page fills only a part of the list', () => {
  const many = createDocSearch(Array.from({ length: 9 }, (_, index) => section('cli', `Word ${index}`, '')));
  assert.equal(many('word').length, 4);
});

test('results mark the words that were found, and escape everything', () => {
  const html = writeResults('<b> "c"', [
    { page: 'cli', anchor: 'a', heading: 'A <b>', text: 'x & bc', title: 'Title', words: ['b', 'c'] },
  ]);
  assert.match(html, /1 result for “&lt;b&gt; &quot;c&quot;”/);
  assert.match(html, /<a href="\/docs\/cli#a"><strong>A &lt;<mark>b<\/mark>&gt;<\/strong><em>Title<\/em>/);
  assert.match(html, /x &amp; <mark>b<\/mark>c/);
  assert.match(writeResults('<i>', []), /No results for “&lt;i&gt;”/);
});

test('a long text is cut around its first match', () => {
  const text = `${'before '.repeat(40)}needle ${'after '.repeat(60)}`;
  const html = writeResults('needle', [{ page: 'cli', anchor: '', heading: '', text, title: 'T', words: ['needle'] }]);
  assert.match(html, /<span>… (before )+<mark>needle<\/mark> (after )+…<\/span>/);
  assert.ok(html.length < 500);
});
