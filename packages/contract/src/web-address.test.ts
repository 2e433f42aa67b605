import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findTemplateProblem, readWebAddress, tidyTemplate } from './web-address.ts';

describe('an address of the web', () => {
  test('has a host, and may have a port, a path, a query and a fragment', () => {
    for (const text of [
      'https://example.com',
      'http://localhost:3000/hook',
      'https://[2001:db8::1]:8443/a',
      'https://example.com?a=b#c',
      'https://example.com/@handle/a%20b?to=a@b.c&next=https://x.y',
      'https://bücher.example/ä',
    ])
      assert.notEqual(readWebAddress(text), null, text);
  });

  test('has no user name, other scheme, hidden character, or host that could be read in two ways', () => {
    for (const text of [
      'https://github.com@evil.example/',
      'https://user:password@example.com/',
      'https://@example.com/',
      String.raw`https://example.com\@evil.example/`,
      String.raw`https:\\example.com`,
      'https:example.com',
      'https:///example.com',
      'https://',
      'https://:80/',
      'https://%65xample.com/',
      'https://{host}/',
      ' https://example.com',
      'https://example.com/a b',
      'https://example.com/\n',
      'https://example.com/\u202egpj.exe',
      'https://exam\u00adple.com/',
      'https://example.com:99999/',
      'javascript:alert(1)//https://a.b',
      'data:text/html,x',
      'ftp://example.com',
      '//example.com',
      'example.com',
    ])
      assert.equal(readWebAddress(text), null, JSON.stringify(text));
  });
});

describe('a template of addresses', () => {
  const path = { names: ['path', 'line'], required: ['path'] };
  const title = { names: ['title'], required: [], anyText: ['title'] };

  test('has its placeholders behind the host', () => {
    assert.equal(findTemplateProblem('https://a.b/{path}#L{line}', path), null);
    for (const text of [
      'https://{path}/',
      'https://{path}.a.b/',
      'https://a.b:{line}/{path}',
      'https://a.b{path}',
      'https://user@a.b/{path}',
      'https://{path}@a.b/{path}',
      '{path}://a.b/',
      'http{line}://a.b/{path}',
      'https://a.b/{path}/{other}',
      'https://a.b/{path}}',
      'https://a.b/',
    ])
      assert.notEqual(findTemplateProblem(text, path), null, text);
  });

  test('has any text only where it cannot be a step to another folder', () => {
    assert.equal(findTemplateProblem('https://a.b/new?title={title}', title), null);
    assert.equal(findTemplateProblem('https://a.b/new#{title}', title), null);
    assert.match(findTemplateProblem('https://a.b/x/{title}?a=b', title) ?? '', /behind a \?/);
  });

  test('shows the host that it leads to', () => {
    assert.equal(tidyTemplate('https://gіthub.com/{path}#L{line}'), 'https://xn--gthub-n2e.com/{path}#L{line}');
    assert.equal(tidyTemplate('https://A.b:443?q={path}'), 'https://a.b?q={path}');
  });
});
