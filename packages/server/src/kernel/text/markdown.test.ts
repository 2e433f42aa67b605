// Markdown of strangers: what it may become, and that nothing else can appear, whatever it contains.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { markdownToHtml, plainTextOf } from './markdown.ts';

const REL = 'rel="nofollow ugc noopener noreferrer"';
const LENGTH = 10_000;
/** All that may appear between angle brackets. */
const ALLOWED = new RegExp(
  `^<(/?(p|ul|ol|li|strong|em|s|blockquote|h[234]|code|pre|a)|br|hr|pre tabindex="0"|ol start="\\d+"|a href="https?://[^"<>\\s]*" ${REL})>$`,
);

describe('Markdown', () => {
  test('formats text, lists, quotes, code and links', () => {
    const text = '**One** *evening* ~~now~~\n\n- a\n- b\n\n3. c\n\n> `d`\n\n---\n[e](https://e.example/f?g=1&h=2)';
    assert.equal(
      markdownToHtml(text).replaceAll('\n', ''),
      '<p><strong>One</strong> <em>evening</em> <s>now</s></p><ul><li>a</li><li>b</li></ul><ol start="3"><li>c</li></ol>' +
        `<blockquote><p><code>d</code></p></blockquote><hr><p><a href="https://e.example/f?g=1&amp;h=2" ${REL}>e</a></p>`,
    );
  });

  test('plain text keeps its lines, and nothing in it turns into code, a table or an entity', () => {
    const text =
      'One evening.\nForty houses.\n\n    For two.\nTitle\n=====\n\n|a|b|\n|-|-|\n|c|d|\n\nR&amp;D [1]: https://a.example';
    assert.equal(
      markdownToHtml(text),
      '<p>One evening.<br>\nForty houses.</p>\n<p>For two.<br>\nTitle<br>\n=====</p>\n' +
        `<p>|a|b|<br>\n|-|-|<br>\n|c|d|</p>\n<p>R&amp;amp;D [1]: <a href="https://a.example/" ${REL}>https://a.example</a></p>`,
    );
  });

  test('headings start below the title of the page, and no level is skipped', () => {
    assert.equal(
      markdownToHtml('### a\n# b\n###### c\n## d\n###### e').replaceAll('\n', ''),
      '<h2>a</h2><h2>b</h2><h3>c</h3><h3>d</h3><h4>e</h4>',
    );
  });

  test('HTML is shown as text, and images as their description', () => {
    const texts = ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<!-- a -->'];
    for (const text of texts) assert.doesNotMatch(markdownToHtml(text), /<(?!\/?p>)/, text);
    assert.equal(markdownToHtml('![a <b>](https://evil.example/x.png)'), '<p>a &lt;b&gt;</p>');
  });

  test('only complete addresses of websites become links', () => {
    const refused = [
      '[a](javascript:alert(1))',
      '[a](JaVaScRiPt&#58;alert(1))',
      '[a](data:text/html,x)',
      '[a](//evil.example)',
      '[a](/sign-out)',
      '[a](https://user:password@a.example)',
      '[a](mailto:a@a.example)',
      '<mailto:a@a.example>',
      'a@a.example example.com 127.0.0.1',
      '[a](https:evil.example)',
      '[a](\\\\evil.example)',
    ];
    for (const text of refused) assert.doesNotMatch(markdownToHtml(text), /<a|href/, text);
    assert.equal(
      markdownToHtml('[a](https://a.example/"onclick=1)'),
      `<p><a href="https://a.example/%22onclick=1" ${REL}>a</a></p>`,
    );
  });

  test('controls, and characters that reverse the text around them, are removed', () => {
    assert.equal(markdownToHtml('a\u202e b\u0000\u001b[1m\u2066b'), '<p>a b[1mb</p>');
  });

  test('any text becomes only elements of the list, each one closed', () => {
    const piece = fc.constantFrom(
      ...[
        '*',
        '**',
        '_',
        '`',
        '```\n',
        '~~',
        '[',
        '](',
        '](https://a.example',
        ')',
        '![',
        '<',
        '>',
        '"',
        "'",
        '&',
        '\\',
      ],
      ...[
        '\n',
        '\n\n',
        '    ',
        '- ',
        '1. ',
        '# ',
        '> ',
        '<script>',
        '</p>',
        'onerror=',
        'javascript:',
        'https://b.example/',
        'x',
      ],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(text, (any) => {
        const open: string[] = [];
        for (const [tag] of markdownToHtml(any).matchAll(/<[^>]*>/g)) {
          assert.match(tag, ALLOWED);
          const [, end, name = ''] = /^<(\/?)(\w+)/.exec(tag) ?? [];
          if (end === '/') assert.equal(open.pop(), name);
          else if (!['br', 'hr'].includes(name)) open.push(name);
        }
        assert.deepEqual(open, []);
      }),
      { numRuns: 1000 },
    );
  });

  test('the longest text takes a fraction of a second, whatever it repeats', () => {
    const repeated = [
      '[',
      '![',
      '[a](',
      '*a ',
      '**a',
      '*a **b',
      '_*',
      '`a``',
      '> ',
      '- ',
      '  * ',
      '1. a\n',
      '<',
      '&',
      '\\',
      '~~a',
      '# a\n',
    ];
    const texts = [
      ...repeated.map((part) => part.repeat(LENGTH / part.length)),
      ...['https://a.example ', 'https://', '((', '[a](b "', '[[]]', '```\n'].map((part) =>
        part.repeat(LENGTH / part.length),
      ),
      Array.from({ length: 140 }, (_, index) => '`'.repeat(index + 1)).join(' '),
      Array.from({ length: 100 }, (_, index) => `${' '.repeat(index * 2)}- a`).join('\n'),
    ];
    for (const text of texts) {
      const start = process.threadCpuUsage();
      markdownToHtml(text.slice(0, LENGTH));
      assert.ok(process.threadCpuUsage(start).user < 1_000_000, JSON.stringify(text.slice(0, 20)));
    }
  });

  test('the text for previews has no formatting', () => {
    assert.equal(
      plainTextOf('# One *evening*\nForty [houses](https://a.example)\n\n- `a`\n![b](c)'),
      'One evening\nForty houses\na\nb',
    );
  });
});
