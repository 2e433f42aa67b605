// Unit tests of the template tag that writes HTML.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showHidden } from '@chauffeur/contract/text';
import { asHtml, html } from './html.ts';

test('text is escaped in elements and attributes, and HTML is not', () => {
  const name = `"><script>alert('1')</script>`;
  const { text } = html`<p title="${name}">${name} ${html`<b>${'a & b'}</b>`} ${asHtml('<i></i>')}</p>`;
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;';
  assert.equal(text, `<p title="${escaped}">${escaped} <b>a &amp; b</b> <i></i></p>`);
});

test('lists are joined, numbers are written, and nothing is left out of a template', () => {
  assert.equal(html`${[1, 'a<', html`<br>`, [null, undefined, false]]}${0}`.text, '1a&lt;<br>0');
});

test('characters that reverse text or hide are made visible', () => {
  assert.equal(showHidden('game\u202egpj.exe\u0000'), 'game\ufffdgpj.exe\ufffd');
});
