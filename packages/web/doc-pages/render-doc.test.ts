import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { imagePlace, renderDoc } from './render-doc.ts';

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
  assert.match(html, /<h2 id="uploadsfile"><code>uploads.file<\/code><\/h2>/);
  assert.doesNotMatch(html, /<h1/);
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

test('escapes code and adds a copy button', () => {
  const { html } = render('```sh\necho "<b>" && ls\n```\n');
  assert.match(html, /<code>echo &quot;&lt;b&gt;&quot; &amp;&amp; ls<\/code>/);
  assert.match(html, /<button type="button" data-copy>/);
});

test('returns the paths of images, so that they are bundled', () => {
  const { html, images } = render('![A “page”](images/page.png)\n\n<!-- not for readers -->\n');
  assert.deepEqual(images, ['images/page.png']);
  assert.match(html, new RegExp(`<img src="${imagePlace(0)}" alt="A “page”"`));
  assert.doesNotMatch(html, /readers/);
});

test('every link within docs/ leads to an existing anchor', async () => {
  const folder = join(import.meta.dirname, '../../../docs');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3));
  const all = new Set(names);
  const rendered = new Map(
    await Promise.all(
      names.map(async (name) => [name, renderDoc(await readFile(join(folder, `${name}.md`), 'utf8'), all)] as const),
    ),
  );
  const anchors = new Map([...rendered].map(([name, { html }]) => [name, new Set(html.match(/(?<=<h\d id=")[^"]*/g))]));
  for (const [name, { html }] of rendered) {
    for (const [, page = '', anchor = ''] of html.matchAll(/href="(?:\/docs\/([a-z0-9-]+))?#([^"]*)"/g))
      assert.ok(anchors.get(page || name)?.has(anchor), `${name}.md links to ${page}#${anchor}`);
  }
});
