import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDoc } from './layout.ts';
import { findBrokenLinks, sectionsOf } from './plugin.ts';
import { imageSlot, renderDoc } from './render-doc.ts';

const pages = new Set(['cli', 'errors']);
const render = (markdown: string) => renderDoc(markdown, pages);

test('separates the title and gives headings their anchors', () => {
  const { title, headings, html } = render(
    '# The `chauffeur` command\n\n## `uploads.file`\n\n### An <A> & B\n\n## Twice\n\n## Twice\n',
  );
  assert.equal(title, 'The chauffeur command');
  assert.deepEqual(
    headings.map(({ id, text, depth }) => [id, text, depth]),
    [
      ['uploadsfile', 'uploads.file', 2],
      ['an-a--b', 'An <A> & B', 3],
      ['twice', 'Twice', 2],
      ['twice-1', 'Twice', 2],
    ],
  );
  assert.match(html, /<h2 id="uploadsfile"><code>uploads.file<\/code> <a href="#uploadsfile"/);
  assert.doesNotMatch(html, /<h1/);
});

test('breaks long names in tables after a slash or an underscore, and finds them still', () => {
  const doc = render('| A | B |\n|---|---|\n| `a/b` | `GET /games/{uid}/builds/{build_id}` |\n');
  assert.match(doc.html, /<code>a\/b<\/code>/);
  assert.match(doc.html, /<code>GET \/games\/<wbr>\{uid\}\/<wbr>builds\/<wbr>\{build_<wbr>id\}<\/code>/);
  assert.match(sectionsOf('x', doc)[0]!.text, /GET \/games\/\{uid\}\/builds\/\{build_id\}/);
});

test('links pages on the website, and turns links to other files into text', () => {
  const { html } = render(
    '[a](cli.md) [b](errors.md#4040) [c](../examples/x.md) [d](adr/0001-x.md) [e](https://x.example) [f](#here)',
  );
  assert.deepEqual(html.match(/href="[^"]*"/g), [
    'href="/docs/cli"',
    'href="/docs/errors#4040"',
    'href="https://x.example"',
    'href="#here"',
  ]);
  assert.match(html, / c d /);
});

test('escapes code', () => {
  const { html } = render('```sh\necho "<b>" && ls\n```\n');
  assert.match(html, /<code>echo &quot;&lt;b&gt;&quot; &amp;&amp; ls<\/code>/);
});

test('returns the paths of images, so that they are bundled', () => {
  const { html, images } = render('![A “page”](images/page.png)\n\n<!-- not for readers -->\n');
  assert.deepEqual(images, ['images/page.png']);
  assert.match(html, new RegExp(`<img src="${imageSlot(0)}" alt="A “page”"`));
  assert.doesNotMatch(html, /readers/);
});

test('the same commands for several shells become tabs, in lists too', () => {
  const blocks = '```sh\na\n```\n\n```powershell\nb\n```\n\n```bat\nc\n```\n';
  const { html } = render(
    `\`\`\`sh\nalone\n\`\`\`\n\nText\n\n${blocks}\n1. One\n\n${blocks.replaceAll(/^(?=.)/gm, '   ')}`,
  );
  assert.equal(html.match(/<fieldset/g)?.length, 2);
  assert.deepEqual(html.match(/(?<=<label for="shell-2-)\w+/g), ['sh', 'powershell', 'bat']);
  assert.ok(html.indexOf('alone') < html.indexOf('<fieldset'));
});

test('links to headings or pages that do not exist are found', () => {
  assert.throws(() => render('[a](nothing.md)'), /nothing\.md/);
  const docs = new Map([
    ['cli', render('## One\n\n[a](#one) [b](#two) [c](errors.md#4040)')],
    ['errors', render('## 4040')],
  ]);
  assert.deepEqual(findBrokenLinks(docs), ['cli links to cli#two']);
});

test('each heading starts a section of the search, without the commands for other shells', () => {
  const doc = render('# Title\n\nIntro <b>\n\n## `a` & b\n\n```sh\nx $A\n```\n\n```powershell\nx $env:A\n```\n');
  assert.deepEqual(sectionsOf('cli', doc), [
    { page: 'cli', anchor: '', heading: '', text: 'Intro' },
    { page: 'cli', anchor: 'a--b', heading: 'a & b', text: 'x $A' },
  ]);
  const [, marked] = sectionsOf('cli', render('# Title\n\n## One\n\nRead ([`a`](#one)), **then** `b`.\n\n- c\n- d\n'));
  assert.equal(marked?.text, 'Read (a), then b. c d');
  assert.deepEqual(sectionsOf('cli', render('# Title\n\n## One\n\nFirst\n')), [
    { page: 'cli', anchor: '', heading: '', text: '' },
    { page: 'cli', anchor: 'one', heading: 'One', text: 'First' },
  ]);
});

test('a page has its title, the list of pages, its contents, and links to the pages before and after it', () => {
  const page = writeDoc('games', render('# Games\n\n## One\n\nText\n\n## Two\n'));
  assert.match(page, /<h1>Games<\/h1>/);
  assert.match(page, /<a href="\/docs\/games" aria-current="page">/);
  assert.match(page, /<nav class="contents" aria-label="On this page"><ul><li data-depth="2"><a href="#one">One<\/a>/);
  assert.match(page, /<a rel="prev" href="\/docs\/start">/);
  assert.match(page, /<a rel="next" href="\/docs\/organisations">/);
});
